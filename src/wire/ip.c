/* SPDX-License-Identifier: Apache-2.0 */
/* IPv6 headers, and the choice between IPv6 and IPv4. */
#include "wire/ip.h"

#include <string.h>

#include "wire/ip_v4.h"

static enum drop_reason parse_v6(struct bytes_in *in, struct ip_header *ip)
{
    const uint8_t *header = bytes_take(in, IP_V6_BYTES);
    uint32_t word;

    if (!header)
        return DROP_TRUNCATED;
    word = bytes_get_be32(header);
    ip->is_v4 = false;
    ip->traffic_class = (uint8_t)(word >> 20);
    ip->flow_label = word & 0xfffff;
    ip->payload_bytes = bytes_get_be16(header + 4);
    ip->next_header = header[6];
    ip->hop_limit = header[7];
    memcpy(&ip->src, header + 8, sizeof(ip->src));
    memcpy(&ip->dst, header + 24, sizeof(ip->dst));
    return DROP_NONE;
}

enum drop_reason ip_parse(struct bytes_in *in, struct ip_header *ip)
{
    if (bytes_left(in) == 0)
        return DROP_TRUNCATED;
    if (in->at[0] >> 4 == 6)
        return parse_v6(in, ip);
    return in->at[0] >> 4 == 4 ? ip_v4_parse(in, ip) : DROP_IP_VERSION;
}

static void build_v6(struct bytes_out *out, const struct ip_header *ip)
{
    uint8_t *header = bytes_room(out, IP_V6_BYTES);

    if (!header)
        return;
    bytes_put_be32(
        header, UINT32_C(6) << 28 | (uint32_t)ip->traffic_class << 20 | (ip->flow_label & 0xfffff));
    bytes_put_be16(header + 4, ip->payload_bytes);
    header[6] = ip->next_header;
    header[7] = ip->hop_limit;
    memcpy(header + 8, &ip->src, sizeof(ip->src));
    memcpy(header + 24, &ip->dst, sizeof(ip->dst));
}

void ip_build(struct bytes_out *out, const struct ip_header *ip)
{
    if (ip->is_v4)
        ip_v4_build(out, ip);
    else
        build_v6(out, ip);
}
