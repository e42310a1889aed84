/* SPDX-License-Identifier: Apache-2.0 */
/* Names and addresses of ports. */
#include "config/config_port.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/bytes.h"

static bool leads_up(const struct topology *topology, struct topology_end end, uint32_t hosts)
{
    return topology->graph ? topology_goes_up(topology, end) : hosts > 0 && end.port >= hosts;
}

void config_port_interface(const struct topology *topology, struct topology_end end,
    char out[static CONFIG_PORT_NAME_BYTES])
{
    uint32_t hosts = end.is_nic ? 0 : topology_host_port_count(topology, end.node);

    if (end.is_nic)
        snprintf(out, CONFIG_PORT_NAME_BYTES, "p%u", end.port);
    else if (leads_up(topology, end, hosts))
        snprintf(out, CONFIG_PORT_NAME_BYTES, "u%u", end.port - hosts);
    else
        snprintf(out, CONFIG_PORT_NAME_BYTES, "d%u", end.port);
}

/* Addresses are locally administered: 02:0p:... for a NIC, 06:... for a switch, then node and port.
 */
void config_port_mac(struct topology_end end, char out[static CONFIG_PORT_MAC_BYTES])
{
    uint32_t port = end.port & 0xffff;

    if (end.is_nic)
        snprintf(out, CONFIG_PORT_MAC_BYTES, "02:%02x:%02x:%02x:%02x:%02x", port & 0xff,
            end.node >> 24 & 0xff, end.node >> 16 & 0xff, end.node >> 8 & 0xff, end.node & 0xff);
    else
        snprintf(out, CONFIG_PORT_MAC_BYTES, "06:%02x:%02x:%02x:%02x:%02x", end.node >> 16 & 0xff,
            end.node >> 8 & 0xff, end.node & 0xff, port >> 8, port & 0xff);
}

void config_port_address(const struct topology *topology, struct topology_end end,
    char out[static CONFIG_PORT_ADDRESS_BYTES])
{
    size_t link = topology_link_number(topology, end);
    bool is_upper = !end.is_nic && !topology_goes_up(topology, end);
    uint8_t octets[16] = { 0 };

    bytes_put_be32(octets, CONFIG_PORT_BLOCK);
    bytes_put_be32(octets + 4, (uint32_t)link);
    octets[15] = is_upper ? 3 : 2;
    inet_ntop(AF_INET6, octets, out, CONFIG_PORT_ADDRESS_BYTES);
}
