/* SPDX-License-Identifier: Apache-2.0 */
/* Frames are recognised when they come back: shifted, marked, trimmed. */
#include "spec.h"

#include <string.h>

#include "conform/traffic_match.h"
#include "vectors.h"
#include "wire/trim.h"
#include "wire/usid.h"

struct sample {
    uint8_t bytes[VECTOR_BYTES_MAX];
    uint32_t length;
};

static struct sample copy_of(const char *name)
{
    const struct vector *vector = vectors_find(name);
    struct sample sample = { .length = (uint32_t)vector->length };

    memcpy(sample.bytes, vector->bytes, vector->length);
    return sample;
}

/* As a switch forwards it. */
static void forward_sample(struct sample *sample)
{
    usid_shift(sample->bytes + 24);
    sample->bytes[7]--;
    sample->bytes[1] |= 0x30;
}

SPEC("a frame that switches shifted and marked is recognised, and is not damaged")
{
    struct sample sample = copy_of("X1");
    struct traffic_match match;
    uint32_t number;

    EXPECT(traffic_match_init(&match, 8));
    number = traffic_match_add(&match, sample.bytes, sample.length);
    forward_sample(&sample);
    EXPECT_EQ(traffic_match_find(&match, sample.bytes, sample.length), number);
    EXPECT_EQ(traffic_match_digest(sample.bytes, sample.length), match.sent[number].digest);
    sample.bytes[sample.length - 6] ^= 1;
    EXPECT(traffic_match_digest(sample.bytes, sample.length) != match.sent[number].digest);
    traffic_match_fini(&match);
}

SPEC("a trimmed frame is recognised, with and without an outer header")
{
    static const char *const names[] = { "X1", "X2", "W1" };
    struct traffic_match match;

    EXPECT(traffic_match_init(&match, 8));
    for (uint32_t i = 0; i < 3; i++) {
        struct sample sample = copy_of(names[i]);
        uint32_t number = traffic_match_add(&match, sample.bytes, sample.length);
        size_t keep_bytes = trim_bytes_min(sample.bytes, sample.length);

        sample.length = (uint32_t)trim_frame(sample.bytes, sample.length, keep_bytes, 12);
        EXPECT_EQ(traffic_match_find(&match, sample.bytes, sample.length), number);
        traffic_match_fini(&match);
        EXPECT(traffic_match_init(&match, 8));
    }
    traffic_match_fini(&match);
}

SPEC("of equal frames, the first that has not come back is found")
{
    struct sample sample = copy_of("W1");
    struct traffic_match match;

    EXPECT(traffic_match_init(&match, 8));
    for (uint32_t i = 0; i < 3; i++)
        traffic_match_add(&match, sample.bytes, sample.length);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t number = traffic_match_find(&match, sample.bytes, sample.length);

        EXPECT_EQ(number, i);
        match.sent[number].copies++;
    }
    traffic_match_fini(&match);
}

SPEC("other frames, and bytes that are no packet, are not recognised")
{
    struct sample sample = copy_of("W1");
    struct sample other = copy_of("W2");
    uint8_t noise[100] = { 0x60, 1, 2, 3 };
    struct traffic_match match;

    EXPECT(traffic_match_init(&match, 8));
    traffic_match_add(&match, sample.bytes, sample.length);
    EXPECT_EQ(traffic_match_find(&match, other.bytes, other.length), TRAFFIC_NO_FRAME);
    EXPECT_EQ(traffic_match_find(&match, noise, sizeof(noise)), TRAFFIC_NO_FRAME);
    EXPECT_EQ(traffic_match_find(&match, noise, 0), TRAFFIC_NO_FRAME);
    EXPECT(!match.sent[traffic_match_add(&match, noise, sizeof(noise))].has_key);
    traffic_match_fini(&match);
}

SPEC("Ethernet padding does not count")
{
    struct sample sample = copy_of("A1");

    EXPECT_EQ(traffic_match_length(sample.bytes, sample.length + 10), sample.length);
    EXPECT_EQ(traffic_match_length(sample.bytes, sample.length - 1), sample.length - 1);
}
