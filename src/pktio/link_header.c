/* SPDX-License-Identifier: Apache-2.0 */
/* Ethernet headers of ports on interfaces. */
#include "pktio/link_header.h"

#include <string.h>

#include "pktio/interface.h"

enum { MAC = INTERFACE_MAC_BYTES };

static void set_peer(struct link_header *header, const uint8_t *mac)
{
    memcpy(header->bytes[0], mac, MAC);
    memcpy(header->bytes[1], mac, MAC);
}

bool link_header_init(struct link_header *header, const uint8_t *own_mac, const char *peer)
{
    static const uint8_t types[2][2] = { { 0x86, 0xdd }, { 0x08, 0x00 } };
    uint8_t mac[MAC] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

    header->learns = !peer || !*peer;
    if (!header->learns && !interface_parse_mac(peer, mac))
        return false;
    set_peer(header, mac);
    for (uint32_t i = 0; i < 2; i++) {
        memcpy(header->bytes[i] + MAC, own_mac, MAC);
        memcpy(header->bytes[i] + (size_t)2 * MAC, types[i], sizeof(types[i]));
    }
    return true;
}

void link_header_strip(struct link_header *header, struct pktio_received *frames, uint32_t count)
{
    if (count > 0 && header->learns && frames[0].length_bytes >= LINK_HEADER_BYTES)
        set_peer(header, frames[0].bytes + MAC);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bytes = frames[i].length_bytes < LINK_HEADER_BYTES ? 0 : LINK_HEADER_BYTES;

        frames[i].bytes += bytes;
        frames[i].length_bytes -= bytes;
    }
}
