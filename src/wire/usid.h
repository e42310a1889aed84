/* SPDX-License-Identifier: Apache-2.0 */
/* SRv6 micro segment identifiers (uSIDs, RFC 9800, NEXT-C-SID flavour) in an IPv6 destination of
 * the format F3216: a block of 32 bits, up to six uSIDs of 16 bits, zeros. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/ip_address.h"

enum {
    USID_BLOCK_BYTES = 4,
    USID_BYTES = 2,
    USID_COUNT_MAX = (16 - USID_BLOCK_BYTES) / USID_BYTES,
};

/* Returns the uSID at `index`; index 0 is the active one. The value 0 is no uSID: the carrier has
 * ended. */
static inline uint16_t usid_get(const struct ipv6_addr *address, uint32_t index)
{
    assert(index < USID_COUNT_MAX);
    return bytes_get_be16(address->octets + USID_BLOCK_BYTES + (size_t)index * USID_BYTES);
}

/* Returns true if only zeros follow the active uSID. */
static inline bool usid_is_last(const struct ipv6_addr *address)
{
    return usid_get(address, 1) == 0 && bytes_get_be64(address->octets + 8) == 0;
}

/* Consumes the active uSID: keeps the block, moves the rest up and appends zeros. Runs for every
 * packet at every hop, so it loads and stores pieces that need no byte swap. */
static inline void usid_shift(uint8_t octets[16])
{
    uint64_t four;
    uint16_t last;

    memcpy(&four, octets + 6, 8);
    memcpy(&last, octets + 14, 2);
    memcpy(octets + 4, &four, 8);
    memcpy(octets + 12, &last, 2);
    memset(octets + 14, 0, 2);
}
