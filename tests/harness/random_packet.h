/* SPDX-License-Identifier: Apache-2.0 */
/* Random valid packets of a given opcode and carriage, every field and every knob of the format
 * drawn from a seed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/prng.h"
#include "wire/frame.h"

enum random_packet_carriage {
    RANDOM_PACKET_V6,
    RANDOM_PACKET_V4,
    RANDOM_PACKET_SRV6,
    RANDOM_PACKET_SRV6_V4,
    RANDOM_PACKET_SRV6_SRH,
    RANDOM_PACKET_SRV6_SRH_V4,
    RANDOM_PACKET_CARRIAGE_COUNT,
};

#define RANDOM_PACKET_OPCODE_COUNT 20
#define RANDOM_PACKET_PAYLOAD_MAX  4096
#define RANDOM_PACKET_BYTES_MAX    (FRAME_HEADER_BYTES_MAX + RANDOM_PACKET_PAYLOAD_MAX + 4)

/* MRC's twelve, then RoCEv2's. */
extern const uint8_t random_packet_opcodes[RANDOM_PACKET_OPCODE_COUNT];

struct wire_format random_packet_format(struct prng *);

/* All fields as parsing must return them, save the offsets and lengths that building fills in. A
 * trimmed packet is one of MRC's WRITEs. */
struct frame random_packet_frame(struct prng *, const struct wire_format *, uint8_t opcode,
    enum random_packet_carriage, bool trimmed);

/* Builds, fills in a random payload, seals; returns the length. */
uint32_t random_packet_build(
    struct prng *, const struct wire_format *, struct frame *, uint8_t *bytes, size_t room);

/* All of the above: an opcode, a carriage and a format at random, trimmed or not. */
uint32_t random_packet_any(
    struct prng *, struct wire_format *, struct frame *, uint8_t *bytes, size_t room);
