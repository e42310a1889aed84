/* SPDX-License-Identifier: Apache-2.0 */
/* Walks nested IP headers. */
#include "wire/ip_nest.h"

#include "wire/ip.h"
#include "wire/srh.h"

static size_t header_bytes(uint8_t protocol)
{
    switch (protocol) {
    case IP_NEXT_IPV6:
        return IP_V6_BYTES;
    case IP_NEXT_IPV4:
        return IP_V4_BYTES;
    case IP_NEXT_ROUTING:
        return SRH_BYTES;
    default:
        return 0;
    }
}

static uint8_t next_protocol(uint8_t protocol, const uint8_t *header)
{
    static const uint8_t offsets[256] = {
        [IP_NEXT_IPV6] = 6, [IP_NEXT_IPV4] = 9, [IP_NEXT_ROUTING] = 0
    };

    return header[offsets[protocol]];
}

bool ip_nest_walk(const uint8_t *bytes, size_t length, struct ip_nest *nest)
{
    uint8_t protocol = length > 0 && bytes[0] >> 4 == 4 ? IP_NEXT_IPV4 : IP_NEXT_IPV6;

    *nest = (struct ip_nest){ 0 };
    if (length == 0 || (bytes[0] >> 4 != 4 && bytes[0] >> 4 != 6))
        return false;
    while (header_bytes(protocol) > 0) {
        size_t next = nest->end + header_bytes(protocol);

        if (next > length)
            return false;
        if (protocol != IP_NEXT_ROUTING) {
            nest->innermost = nest->end;
            nest->is_v4 = protocol == IP_NEXT_IPV4;
        }
        protocol = next_protocol(protocol, bytes + nest->end);
        nest->end = next;
    }
    return true;
}
