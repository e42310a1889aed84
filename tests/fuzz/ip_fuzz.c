/* SPDX-License-Identifier: Apache-2.0 */
/* One IP header of either version: what parses is built and parsed to the same again. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame_check.h"
#include "must.h"
#include "wire/ip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    struct bytes_in in = bytes_in(data, length_bytes);
    struct ip_header ip;
    struct ip_header again;
    uint8_t built[IP_V6_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));
    enum drop_reason reason = ip_parse(&in, &ip);

    MUST(in.at >= data && in.at <= data + length_bytes);
    if (reason)
        return 0;
    MUST(in.at - data == (ip.is_v4 ? IP_V4_BYTES : IP_V6_BYTES));
    ip_build(&out, &ip);
    MUST(out.ok);
    in = bytes_in(built, (size_t)(out.at - built));
    MUST(ip_parse(&in, &again) == DROP_NONE);
    MUST(bytes_left(&in) == 0);
    MUST_BE_NULL(frame_check_ip_headers(&ip, &again));
    return 0;
}
