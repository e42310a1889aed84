/* SPDX-License-Identifier: Apache-2.0 */
/* Ethernet headers with any number of VLAN tags. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "must.h"
#include "wire/ethernet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    struct bytes_in in = bytes_in(data, length_bytes);
    struct ethernet_header header;
    uint8_t built[ETHERNET_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));
    enum drop_reason reason = ethernet_parse(&in, &header);

    MUST(in.at >= data && in.at <= data + length_bytes);
    if (reason)
        return 0;
    MUST((in.at - data) % 4 == ETHERNET_BYTES % 4);
    MUST(header.type != ETHERNET_TYPE_VLAN && header.type != ETHERNET_TYPE_PROVIDER_VLAN);
    ethernet_build(&out, &header);
    MUST(out.ok && out.at == out.end);
    MUST(memcmp(built, data, 12) == 0);
    return 0;
}
