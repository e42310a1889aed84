/* SPDX-License-Identifier: Apache-2.0 */
/* The 4-byte timestamp of TSETH, also inside PETH and ERTH: stamp(16) tsr(1) reserved(11) ftype(4)
 * (docs/wire.md §5.2). */
#pragma once

#include "base/bytes.h"
#include "wire/packet.h"

#define STAMP_BYTES   4
#define STAMP_UNIT_NS 128

/* Returns the stamp. Sets PACKET_OWN_UNIT if tsr is set. */
static inline uint16_t stamp_get(const uint8_t *from, struct packet *packet)
{
    uint32_t word = bytes_get_be32(from);

    if (word & 0x8000)
        packet->flags |= PACKET_OWN_UNIT;
    return (uint16_t)(word >> 16);
}

static inline void stamp_put(uint8_t *to, const struct packet *packet, uint16_t stamp)
{
    uint32_t tsr = packet->flags & PACKET_OWN_UNIT ? 0x8000 : 0;

    bytes_put_be32(to, (uint32_t)stamp << 16 | tsr | 0x1);
}
