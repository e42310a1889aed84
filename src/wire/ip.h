/* SPDX-License-Identifier: Apache-2.0 */
/* IPv6 and IPv4 headers as MRC uses them: no options, no extension header except one SRH, no
 * fragments. */
#pragma once

#include <stdint.h>

#include "base/bytes.h"
#include "wire/drop.h"
#include "wire/ip_address.h"

enum {
    IP_V6_BYTES = 40,
    IP_V4_BYTES = 20,
    IP_NEXT_IPV4 = 4,
    IP_NEXT_UDP = 17,
    IP_NEXT_IPV6 = 41,
    IP_NEXT_ROUTING = 43,
    IP_HOP_LIMIT_DEFAULT = 64,
};

struct ip_header {
    struct ipv6_addr src;
    struct ipv6_addr dst;
    uint32_t flow_label;    /* 20 bits; 0 in IPv4 */
    uint16_t payload_bytes; /* after this header */
    uint8_t traffic_class;  /* DSCP << 2 | ECN */
    uint8_t hop_limit;
    uint8_t next_header;
    bool is_v4; /* addresses are IPv4-mapped */
};

static inline uint8_t ip_dscp(const struct ip_header *ip)
{
    return ip->traffic_class >> 2;
}

static inline uint8_t ip_ecn(const struct ip_header *ip)
{
    return ip->traffic_class & 3;
}

/* Parses either version, chosen by the first nibble. Lengths are read but not checked. */
enum drop_reason ip_parse(struct bytes_in *, struct ip_header *);
void ip_build(struct bytes_out *, const struct ip_header *);
