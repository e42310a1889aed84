/* SPDX-License-Identifier: Apache-2.0 */
/* The iCRC against a second implementation, and against damage: what it must ignore and what it
 * must find (docs/wire.md §12). */
#include "spec.h"

#include <stdbool.h>
#include <string.h>

#include "icrc_reference.h"
#include "random_packet.h"
#include "vectors.h"
#include "wire/frame.h"
#include "wire/icrc.h"
#include "wire/ip_v4.h"

struct sample {
    struct wire_format format;
    struct frame frame;
    uint8_t bytes[RANDOM_PACKET_BYTES_MAX];
    uint32_t length;
};

static void make(struct sample *sample, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 0);

    do
        sample->length = random_packet_any(
            &prng, &sample->format, &sample->frame, sample->bytes, sizeof(sample->bytes));
    while (frame_is_trimmed(&sample->frame));
}

PROPERTY("the iCRC of a random packet is that of the bit-serial reference", 100000)
{
    struct sample sample;
    const uint8_t *inner;
    size_t covered;

    make(&sample, seed);
    inner = sample.bytes + sample.frame.inner_offset;
    covered = sample.length - FRAME_ICRC_BYTES - sample.frame.inner_offset;
    EXPECT_EQ(icrc_compute(inner, covered), icrc_reference(inner, covered));
}

/* Which bits of the byte at `offset`, counted from the inner IP header, may change on the way. */
static uint8_t mutable_bits(bool is_v4, size_t offset)
{
    size_t udp = is_v4 ? 20 : 40;

    if (offset == udp + 6 || offset == udp + 7 || offset == udp + 8 + 4)
        return 0xff;
    if (is_v4)
        return offset == 1 || offset == 8 || offset == 10 || offset == 11 ? 0xff : 0;
    if (offset == 0)
        return 0x0f;
    return offset <= 3 || offset == 7 ? 0xff : 0;
}

PROPERTY("the iCRC survives any change of the fields that may change on the way", 100000)
{
    struct sample sample;
    struct prng prng = prng_stream(seed, 1);
    uint8_t *inner;
    size_t covered;
    uint32_t before;

    make(&sample, seed);
    inner = sample.bytes + sample.frame.inner_offset;
    covered = sample.length - FRAME_ICRC_BYTES - sample.frame.inner_offset;
    before = icrc_compute(inner, covered);
    for (size_t i = 0; i < 60; i++)
        inner[i] ^= (uint8_t)prng_next(&prng) & mutable_bits(sample.frame.inner.is_v4, i);
    EXPECT_EQ(icrc_compute(inner, covered), before);
    EXPECT(frame_icrc_ok(&sample.frame, sample.bytes));
}

/* A trimmed packet has no iCRC, so one that a flipped bit of the DSCP makes trimmed is left out. */
static bool still_parses(const uint8_t *bytes, size_t length, struct frame *frame)
{
    return frame_parse(&format_default, bytes, length, frame) == DROP_NONE &&
           !frame_is_trimmed(frame);
}

static size_t inner_offset_of(const char *name)
{
    return strcmp(name, "X2") == 0 ? 64 : name[0] == 'X' ? 40 : 0;
}

/* Returns how many of the vector's bits may change. */
static uint32_t flip_every_bit(const struct vector *vector)
{
    size_t offset = inner_offset_of(vector->name);
    const uint8_t *stored = vector->bytes + vector->length - 4;
    uint32_t icrc = stored[0] | (uint32_t)stored[1] << 8 | (uint32_t)stored[2] << 16 |
                    (uint32_t)stored[3] << 24;
    bool is_v4 = vector->bytes[offset] >> 4 == 4;
    uint32_t ignored = 0;

    for (size_t bit = 8 * offset; bit < 8 * (vector->length - 4); bit++) {
        uint8_t bytes[VECTOR_BYTES_MAX];
        uint8_t flipped = (uint8_t)(1u << bit % 8);
        bool may_change = mutable_bits(is_v4, bit / 8 - offset) & flipped;

        memcpy(bytes, vector->bytes, vector->length);
        bytes[bit / 8] ^= flipped;
        EXPECT_EQ(icrc_compute(bytes + offset, vector->length - 4 - offset) == icrc, may_change);
        ignored += may_change;
    }
    return ignored;
}

SPEC("of every bit of every vector exactly the mutable ones are ignored, any other is found")
{
    const struct vectors *vectors = vectors_all();

    for (size_t i = 0; i < vectors->count; i++) {
        const struct vector *vector = &vectors->items[i];

        if (vector->name[0] == 'T')
            continue;
        /* IPv6: traffic class 8, flow label 20, hop limit 8. IPv4: TOS 8, TTL 8, checksum 16. Both:
         * UDP checksum 16, BTH byte 4. */
        EXPECT_EQ(flip_every_bit(vector), strcmp(vector->name, "W7") == 0 ? 32 + 24 : 36 + 24);
    }
}

SPEC("no vector with a flipped bit outside the mutable fields is taken for a good packet")
{
    const struct vectors *vectors = vectors_all();

    for (size_t i = 0; i < vectors->count; i++) {
        const struct vector *vector = &vectors->items[i];
        size_t offset = inner_offset_of(vector->name);

        for (size_t bit = 8 * offset; vector->name[0] != 'T' && bit < 8 * vector->length; bit++) {
            uint8_t bytes[VECTOR_BYTES_MAX];
            uint8_t flipped = (uint8_t)(1u << bit % 8);
            struct frame frame;

            memcpy(bytes, vector->bytes, vector->length);
            bytes[bit / 8] ^= flipped;
            if (mutable_bits(bytes[offset] >> 4 == 4, bit / 8 - offset) & flipped)
                continue;
            EXPECT(!still_parses(bytes, vector->length, &frame) || !frame_icrc_ok(&frame, bytes));
        }
    }
}

SPEC("every bit of the outer header and the SRH may change")
{
    static const char *const names[] = { "X1", "X2", "X3" };

    for (size_t i = 0; i < 3; i++) {
        const struct vector *vector = vectors_find(names[i]);

        for (size_t bit = 0; bit < 8 * inner_offset_of(names[i]); bit++) {
            uint8_t bytes[VECTOR_BYTES_MAX];
            struct frame frame;

            memcpy(bytes, vector->bytes, vector->length);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if (still_parses(bytes, vector->length, &frame))
                EXPECT(frame_icrc_ok(&frame, bytes));
        }
    }
}

SPEC("hop limit, class, mark, flow label, UDP checksum and BTH byte 4 of W1 change, and it is good")
{
    static const struct {
        size_t offset;
        uint8_t value;
    } changes[] = { { 7, 1 }, { 0, 0x60 }, { 1, 0x30 }, { 2, 0xff }, { 3, 0xff }, { 46, 0xab },
        { 47, 0xcd }, { 52, 0xff } };
    const struct vector *w1 = vectors_find("W1");
    uint8_t bytes[VECTOR_BYTES_MAX];
    struct frame frame;

    memcpy(bytes, w1->bytes, w1->length);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        bytes[changes[i].offset] = changes[i].value;
        EXPECT_EQ(frame_parse(&format_default, bytes, w1->length, &frame), DROP_NONE);
        EXPECT(frame_icrc_ok(&frame, bytes));
    }
}

SPEC("TOS and TTL of W7 change, its checksum with them, and it is good")
{
    const struct vector *w7 = vectors_find("W7");
    uint8_t bytes[VECTOR_BYTES_MAX];
    struct frame frame;

    memcpy(bytes, w7->bytes, w7->length);
    bytes[1] = 0x03;
    bytes[8] = 9;
    ip_v4_seal(bytes);
    EXPECT_EQ(frame_parse(&format_default, bytes, w7->length, &frame), DROP_NONE);
    EXPECT(frame_icrc_ok(&frame, bytes));
}

PROPERTY("a flipped bit in a random packet is found wherever it may not change", 100000)
{
    struct sample sample;
    struct prng prng = prng_stream(seed, 1);
    uint32_t first;
    uint32_t bit;

    make(&sample, seed);
    first = 8u * sample.frame.inner_offset;
    do
        bit = first + 8 + prng_below(&prng, 8 * sample.length - first - 8);
    while (mutable_bits(sample.frame.inner.is_v4, (bit - first) / 8) & 1u << bit % 8);
    sample.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    EXPECT(!frame_icrc_ok(&sample.frame, sample.bytes));
}
