/* SPDX-License-Identifier: Apache-2.0 */
/* Opcodes of the base transport header: those of MRC, and those of RoCEv2 RC that use the same
 * port. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum opcode {
    /* RoCEv2 RC: the opcodes of MRC without the class bits */
    OPCODE_ROCE_WRITE_FIRST = 0x06,
    OPCODE_ROCE_WRITE_MIDDLE = 0x07,
    OPCODE_ROCE_WRITE_LAST = 0x08,
    OPCODE_ROCE_WRITE_LAST_IMM = 0x09,
    OPCODE_ROCE_WRITE_ONLY = 0x0a,
    OPCODE_ROCE_WRITE_ONLY_IMM = 0x0b,
    OPCODE_ROCE_ACK = 0x11,
    OPCODE_ROCE_CNP = 0x81,

    OPCODE_WRITE_FIRST = 0xc6,
    OPCODE_WRITE_MIDDLE = 0xc7,
    OPCODE_WRITE_LAST = 0xc8,
    OPCODE_WRITE_LAST_IMM = 0xc9,
    OPCODE_WRITE_ONLY = 0xca,
    OPCODE_WRITE_ONLY_IMM = 0xcb,
    OPCODE_ACK = 0xd1,
    OPCODE_ENDPOINT_REQUEST = 0xd8,
    OPCODE_ENDPOINT_RESPONSE = 0xd9,
    OPCODE_SACK = 0xdc,
    OPCODE_NACK = 0xdd,
    OPCODE_PROBE = 0xde,
};

#define OPCODE_CLASS_MASK 0xe0
#define OPCODE_CLASS_MRC  0xc0

static inline bool opcode_is_mrc(uint8_t opcode)
{
    return (opcode & OPCODE_CLASS_MASK) == OPCODE_CLASS_MRC;
}

/* True for an RDMA WRITE of MRC. These packets carry data and consume a PSN. */
static inline bool opcode_is_write(uint8_t opcode)
{
    return opcode >= OPCODE_WRITE_FIRST && opcode <= OPCODE_WRITE_ONLY_IMM;
}

static inline bool opcode_is_roce_write(uint8_t opcode)
{
    return opcode >= OPCODE_ROCE_WRITE_FIRST && opcode <= OPCODE_ROCE_WRITE_ONLY_IMM;
}

static inline bool opcode_has_payload(uint8_t opcode)
{
    return opcode_is_write(opcode) || opcode_is_roce_write(opcode);
}

/* The next four functions take WRITE opcodes of MRC or RoCEv2. */
static inline bool opcode_has_immediate(uint8_t opcode)
{
    return (opcode & 0x1f) == 0x09 || (opcode & 0x1f) == 0x0b;
}

static inline bool opcode_starts_message(uint8_t opcode)
{
    return (opcode & 0x1f) == 0x06 || (opcode & 0x1f) >= 0x0a;
}

static inline bool opcode_ends_message(uint8_t opcode)
{
    return (opcode & 0x1f) >= 0x08;
}

/* MRC has a RETH in every WRITE packet, RoCEv2 only in the first of a message. */
static inline bool opcode_has_reth(uint8_t opcode)
{
    return opcode_is_mrc(opcode) || opcode_starts_message(opcode);
}

/* Bytes of BTH and extension headers, without TSETH; 0 if the opcode is not defined (docs/wire.md
 * §1). */
extern const uint8_t opcode_header_bytes[256];

static inline bool opcode_is_defined(uint8_t opcode)
{
    return opcode_header_bytes[opcode] != 0;
}

/* Returns a name for users, for example "WRITE Last Imm"; NULL if the opcode is not defined. */
const char *opcode_name(uint8_t opcode);
