/* SPDX-License-Identifier: Apache-2.0 */
/* Parses Ethernet II headers. */
#include "wire/ethernet.h"

uint16_t ethernet_skip_tags(struct bytes_in *in, uint16_t type)
{
    while (in->ok && (type == ETHERNET_TYPE_VLAN || type == ETHERNET_TYPE_PROVIDER_VLAN)) {
        bytes_take(in, 2); /* priority and VLAN number */
        type = (uint16_t)bytes_read_be(in, 2);
    }
    return type;
}

enum drop_reason ethernet_parse(struct bytes_in *in, struct ethernet_header *ethernet)
{
    bytes_read(in, ethernet->dst, sizeof(ethernet->dst));
    bytes_read(in, ethernet->src, sizeof(ethernet->src));
    ethernet->type = ethernet_skip_tags(in, (uint16_t)bytes_read_be(in, 2));
    return in->ok ? DROP_NONE : DROP_TRUNCATED;
}
