/* SPDX-License-Identifier: Apache-2.0 */
/* A segment routing header: what parses is built to the same bytes, and the next segment is inside
 * the bytes. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "must.h"
#include "wire/srh.h"

/* Of a header with one segment, the next segment is that one. */
static void take_next(const uint8_t *data, size_t length_bytes, const struct srh *srh)
{
    struct ipv6_addr segment;
    enum drop_reason reason = srh_next(data, length_bytes, &segment);

    MUST(reason == DROP_NONE || reason == DROP_SRH || reason == DROP_TRUNCATED ||
         reason == DROP_END_OF_CARRIER);
    if (srh)
        MUST(reason == (srh->segments_left ? DROP_NONE : DROP_END_OF_CARRIER));
    if (srh && reason == DROP_NONE)
        MUST(memcmp(&segment, &srh->segment, sizeof(segment)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    struct bytes_in in = bytes_in(data, length_bytes);
    struct srh srh;
    uint8_t built[SRH_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));
    enum drop_reason reason = srh_parse(&in, &srh);

    MUST(in.at >= data && in.at <= data + length_bytes);
    take_next(data, length_bytes, reason ? NULL : &srh);
    if (reason)
        return 0;
    MUST(srh.segments_left <= 1);
    MUST(in.at - data == SRH_BYTES);
    srh_build(&out, &srh);
    MUST(out.ok && out.at == out.end);
    MUST(memcmp(built, data, SRH_BYTES) == 0);
    return 0;
}
