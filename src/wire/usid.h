/* SPDX-License-Identifier: Apache-2.0 */
/* SRv6 micro segment identifiers (uSIDs) in an IPv6 destination: a block, then identifiers, then
 * zeros. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/ip_address.h"

struct usid_format {
    uint8_t block_bytes;
    uint8_t usid_bytes; /* 1 to 4 */
};

/* "F3216": a block of 32 bits, uSIDs of 16, so six fit. */
#define USID_FORMAT_F3216 ((struct usid_format){ .block_bytes = 4, .usid_bytes = 2 })

static inline uint32_t usid_count_max(struct usid_format format)
{
    return (16u - format.block_bytes) / format.usid_bytes;
}

/* Returns the uSID at `index`; index 0 is the active one. The value 0 is no uSID: the carrier has
 * ended. */
uint32_t usid_get(const struct ipv6_addr *, struct usid_format, uint32_t index);
void usid_set(struct ipv6_addr *, struct usid_format, uint32_t index, uint32_t usid);

/* Consumes the active uSID: keeps the block, moves the rest up and appends zeros. */
void usid_shift(struct ipv6_addr *, struct usid_format);

/* True if only zeros follow the active uSID. */
bool usid_is_last(const struct ipv6_addr *, struct usid_format);
