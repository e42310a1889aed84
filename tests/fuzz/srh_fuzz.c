/* SPDX-License-Identifier: Apache-2.0 */
/* A segment routing header: what parses is built to the same bytes. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "must.h"
#include "wire/srh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    struct bytes_in in = bytes_in(data, length_bytes);
    struct srh srh;
    uint8_t built[SRH_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));
    enum drop_reason reason = srh_parse(&in, &srh);

    MUST(in.at >= data && in.at <= data + length_bytes);
    if (reason)
        return 0;
    MUST(srh.segments_left <= 1);
    MUST(in.at - data == SRH_BYTES);
    srh_build(&out, &srh);
    MUST(out.ok && out.at == out.end);
    MUST(memcmp(built, data, SRH_BYTES) == 0);
    return 0;
}
