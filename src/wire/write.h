/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA WRITE: METH [TSETH] RETH [ImmDt], and the form of RoCEv2 without the first two (docs/wire.md
 * §5). */
#pragma once

#include "base/bytes.h"
#include "wire/bth.h"
#include "wire/packet.h"

#define WRITE_METH_BYTES  4
#define WRITE_TSETH_BYTES 4
#define WRITE_RETH_BYTES  16
#define WRITE_IMM_BYTES   4

/* Returns the bytes that must survive trimming: METH, and TSETH if there is one. */
static inline uint32_t write_trimmed_bytes(const struct packet *packet)
{
    return packet->flags & PACKET_STAMPED ? WRITE_METH_BYTES + WRITE_TSETH_BYTES : WRITE_METH_BYTES;
}

/* Returns the bytes of all extension headers up to the payload. */
static inline uint32_t write_header_bytes(const struct packet *packet)
{
    uint32_t bytes = opcode_header_bytes[packet->opcode] - (uint32_t)BTH_BYTES;

    return packet->flags & PACKET_STAMPED ? bytes + WRITE_TSETH_BYTES : bytes;
}

void write_parse_trimmed(struct bytes_in *, struct packet *);
void write_parse(struct bytes_in *, struct packet *);
void write_build_trimmed(struct bytes_out *, const struct packet *);
void write_build(struct bytes_out *, const struct packet *);
