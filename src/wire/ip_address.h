/* SPDX-License-Identifier: Apache-2.0 */
/* An IP address as 16 octets. An IPv4 address has its IPv4-mapped form ::ffff:a.b.c.d. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct ipv6_addr {
    uint8_t octets[16];
};

static const uint8_t ip_address_v4_prefix[12] = { [10] = 0xff, [11] = 0xff };

static inline bool ip_address_is_v4(const struct ipv6_addr *address)
{
    return memcmp(address->octets, ip_address_v4_prefix, sizeof(ip_address_v4_prefix)) == 0;
}

/* Returns a hash for tables. All bits of the address contribute. */
static inline uint32_t ip_address_hash(const struct ipv6_addr *address)
{
    uint64_t words[2];

    memcpy(words, address->octets, sizeof(words));
    return (uint32_t)((words[0] ^ words[1] >> 7) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* Returns whether all bits are 0: the address names nothing. */
static inline bool ip_address_is_zero(const struct ipv6_addr *address)
{
    static const struct ipv6_addr zero = { { 0 } };

    return memcmp(address->octets, zero.octets, sizeof(zero.octets)) == 0;
}

static inline bool ip_address_equal(const struct ipv6_addr *a, const struct ipv6_addr *b)
{
    return memcmp(a->octets, b->octets, sizeof(a->octets)) == 0;
}
