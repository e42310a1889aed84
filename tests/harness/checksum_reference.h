/* SPDX-License-Identifier: Apache-2.0 */
/* The checksum of an IPv4 header from its definition (RFC 791), sharing nothing with src/wire. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns whether the one's complement sum of the header of 20 bytes is 0: a multiple of 65535. */
static inline bool checksum_reference_holds(const uint8_t *header)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < 20; i += 2)
        sum += (uint32_t)header[i] << 8 | header[i + 1];
    return sum % 0xffff == 0;
}
