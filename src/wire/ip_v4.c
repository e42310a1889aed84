/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 headers. */
#include "wire/ip_v4.h"

#include <string.h>

enum {
    VERSION_AND_LENGTH = 0x45, /* no options */
    CHECKSUM_OFFSET = 10,
    DONT_FRAGMENT = 0x4000,
    FRAGMENT_BITS = 0x3fff, /* more fragments, and the offset */
};

/* Returns the one's complement sum including the checksum field: 0 if it is correct. */
static uint16_t header_checksum(const uint8_t *header)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < IP_V4_BYTES; i += 2)
        sum += bytes_get_be16(header + i);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

void ip_v4_seal(uint8_t *header)
{
    bytes_put_be16(header + CHECKSUM_OFFSET, 0);
    bytes_put_be16(header + CHECKSUM_OFFSET, header_checksum(header));
}

static void map_address(struct ipv6_addr *address, const uint8_t *octets)
{
    memcpy(address->octets, ip_address_v4_prefix, sizeof(ip_address_v4_prefix));
    memcpy(address->octets + sizeof(ip_address_v4_prefix), octets, 4);
}

enum drop_reason ip_v4_parse(struct bytes_in *in, struct ip_header *ip)
{
    const uint8_t *header = bytes_take(in, IP_V4_BYTES);
    uint32_t total_bytes;

    if (!header)
        return DROP_TRUNCATED;
    if (header[0] != VERSION_AND_LENGTH || (bytes_get_be16(header + 6) & FRAGMENT_BITS))
        return DROP_IPV4_HEADER;
    if (header_checksum(header) != 0)
        return DROP_IPV4_CHECKSUM;
    total_bytes = bytes_get_be16(header + 2);
    if (total_bytes < IP_V4_BYTES)
        return DROP_IP_LENGTH;
    ip->is_v4 = true;
    ip->traffic_class = header[1];
    ip->flow_label = 0;
    ip->payload_bytes = (uint16_t)(total_bytes - IP_V4_BYTES);
    ip->next_header = header[9];
    ip->hop_limit = header[8];
    map_address(&ip->src, header + 12);
    map_address(&ip->dst, header + 16);
    return DROP_NONE;
}

void ip_v4_build(struct bytes_out *out, const struct ip_header *ip)
{
    uint8_t *header = bytes_room(out, IP_V4_BYTES);

    if (!header)
        return;
    header[0] = VERSION_AND_LENGTH;
    header[1] = ip->traffic_class;
    bytes_put_be16(header + 2, (uint16_t)(ip->payload_bytes + IP_V4_BYTES));
    bytes_put_be32(header + 4, DONT_FRAGMENT); /* identification 0 */
    header[8] = ip->hop_limit;
    header[9] = ip->next_header;
    memcpy(header + 12, ip->src.octets + sizeof(ip_address_v4_prefix), 4);
    memcpy(header + 16, ip->dst.octets + sizeof(ip_address_v4_prefix), 4);
    ip_v4_seal(header);
}
