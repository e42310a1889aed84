/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing and building are inverses for every opcode, every carriage and every knob of the format.
 */
#include "spec.h"

#include <string.h>

#include "frame_check.h"
#include "random_packet.h"
#include "wire/frame.h"

/* A run is one packet of each opcode in each carriage, and of each WRITE trimmed: 156 packets. */
#ifdef __SANITIZE_ADDRESS__
#define RUNS 3000
#else
#define RUNS 100000
#endif

static void expect_same(const struct frame *built, const struct frame *parsed)
{
    const char *difference = frame_check_difference(built, parsed);

    EXPECT_STR_EQ(difference ? difference : "the same", "the same");
}

static void expect_sound(const struct frame *parsed, const uint8_t *bytes, uint32_t length)
{
    const char *fault = frame_check_fault(parsed, bytes, length);

    EXPECT_STR_EQ(fault ? fault : "sound", "sound");
}

static void rebuild(const struct wire_format *format, struct frame *frame, const uint8_t *from,
    uint8_t *to, uint32_t length)
{
    EXPECT_EQ(frame_build(format, frame, to, length), length);
    if (opcode_has_payload(frame->packet.opcode) && !frame_is_trimmed(frame))
        memcpy(to + frame->payload_offset, from + frame->payload_offset,
            frame->packet.write.payload.length);
    frame_seal(frame, to);
}

static void round_trip(
    struct prng *prng, uint8_t opcode, enum random_packet_carriage carriage, bool trimmed)
{
    struct wire_format format = random_packet_format(prng);
    struct frame built = random_packet_frame(prng, &format, opcode, carriage, trimmed);
    struct frame parsed;
    uint8_t bytes[RANDOM_PACKET_BYTES_MAX];
    uint8_t again[RANDOM_PACKET_BYTES_MAX];
    uint32_t length = random_packet_build(prng, &format, &built, bytes, sizeof(bytes));

    EXPECT_GT(length, 0);
    EXPECT_EQ(frame_parse(&format, bytes, length, &parsed), DROP_NONE);
    expect_sound(&parsed, bytes, length);
    expect_same(&built, &parsed);
    EXPECT(frame_icrc_ok(&parsed, bytes));
    rebuild(&format, &parsed, bytes, again, length);
    EXPECT_MEM_EQ(again, bytes, length);
}

PROPERTY(
    "a built packet parses to the same fields, and a parsed one builds to the same bytes", RUNS)
{
    struct prng prng = prng_stream(seed, 0);

    for (uint32_t carriage = 0; carriage < RANDOM_PACKET_CARRIAGE_COUNT; carriage++)
        for (uint32_t i = 0; i < RANDOM_PACKET_OPCODE_COUNT; i++) {
            uint8_t opcode = random_packet_opcodes[i];

            round_trip(&prng, opcode, (enum random_packet_carriage)carriage, false);
            if (opcode_is_write(opcode))
                round_trip(&prng, opcode, (enum random_packet_carriage)carriage, true);
        }
}

static uint32_t send(struct prng *prng, const struct wire_format *format, struct frame *frame,
    uint8_t *bytes, size_t room)
{
    struct ipv6_addr addresses[2];
    const struct ipv6_addr *path = prng_below(prng, 3) ? &addresses[0] : NULL;
    const struct ipv6_addr *segment = path && prng_below(prng, 2) ? &addresses[1] : NULL;

    for (uint32_t i = 0; i < sizeof(addresses); i++)
        ((uint8_t *)addresses)[i] = (uint8_t)prng_next(prng);
    frame_address(format, frame, path, segment);
    return random_packet_build(prng, format, frame, bytes, room);
}

PROPERTY("a packet that is addressed, sent and received is the packet it was", RUNS)
{
    struct prng prng = prng_stream(seed, 0);
    struct wire_format format;
    struct frame sent;
    struct frame received;
    uint8_t bytes[RANDOM_PACKET_BYTES_MAX];
    uint32_t length;

    random_packet_any(&prng, &format, &sent, bytes, sizeof(bytes));
    sent = (struct frame){ .packet = sent.packet };
    if (sent.packet.class == DSCP_OTHER)
        sent.packet.class = DSCP_NO_TRIM;
    length = send(&prng, &format, &sent, bytes, sizeof(bytes));
    EXPECT_EQ(frame_parse(&format, bytes, length, &received), DROP_NONE);
    EXPECT(frame_icrc_ok(&received, bytes));
    expect_same(&sent, &received);
}
