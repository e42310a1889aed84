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
    enum drop_reason reason = ethernet_parse(&in, &header);

    MUST(in.at >= data && in.at <= data + length_bytes);
    if (reason)
        return 0;
    MUST((in.at - data) % 4 == ETHERNET_BYTES % 4);
    MUST(header.type != ETHERNET_TYPE_VLAN && header.type != ETHERNET_TYPE_PROVIDER_VLAN);
    MUST(memcmp(header.dst, data, 6) == 0 && memcmp(header.src, data + 6, 6) == 0);
    return 0;
}
