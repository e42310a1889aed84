/* SPDX-License-Identifier: Apache-2.0 */
/* Trimming (docs/wire.md §14). */
#include "spec.h"

#include <string.h>

#include "checksum_reference.h"
#include "frame_check.h"
#include "vectors.h"
#include "wire/frame.h"
#include "wire/ip_v4.h"
#include "wire/trim.h"

#define DSCP_12 12
#define DSCP_16 16

struct sample {
    uint8_t bytes[VECTOR_BYTES_MAX];
    size_t length;
};

static struct sample copy_of(const char *name)
{
    const struct vector *vector = vectors_find(name);
    struct sample sample = { .length = vector->length };

    memcpy(sample.bytes, vector->bytes, vector->length);
    return sample;
}

SPEC("W1 trimmed to the minimum is T1")
{
    struct sample sample = copy_of("W1");
    const struct vector *t1 = vectors_find("T1");

    EXPECT_EQ(trim_bytes_min(sample.bytes, sample.length), t1->length);
    EXPECT_EQ(trim_frame(sample.bytes, sample.length, t1->length, DSCP_12), t1->length);
    EXPECT_MEM_EQ(sample.bytes, t1->bytes, t1->length);
}

SPEC("28 bytes after the IP headers are kept, for any IP headers")
{
    EXPECT_EQ(trim_bytes_min(vectors_find("W1")->bytes, 100), 40 + 28);
    EXPECT_EQ(trim_bytes_min(vectors_find("W7")->bytes, 80), 20 + 28);
    EXPECT_EQ(trim_bytes_min(vectors_find("X1")->bytes, 140), 40 + 40 + 28);
    EXPECT_EQ(trim_bytes_min(vectors_find("X2")->bytes, 164), 40 + 24 + 40 + 28);
}

SPEC("a frame that is short enough keeps its length and changes its class")
{
    struct sample sample = copy_of("W1");
    struct frame frame;

    EXPECT_EQ(trim_frame(sample.bytes, sample.length, 256, DSCP_12), 100);
    EXPECT_EQ(frame_parse(&format_default, sample.bytes, 100, &frame), DROP_NONE);
    EXPECT(frame_is_trimmed(&frame));
    EXPECT_EQ(frame.inner.payload_bytes, 60);
    EXPECT_EQ(frame.packet.write.payload.length, 10);
    EXPECT(frame.packet.write.payload.bytes == NULL);
}

SPEC("Ethernet padding after a short packet does not become part of it")
{
    struct sample sample = copy_of("W1");
    struct ip_header ip;
    struct bytes_in in = bytes_in(sample.bytes, sample.length);

    EXPECT_EQ(trim_frame(sample.bytes, sample.length + 20, 256, DSCP_12), 120);
    EXPECT_EQ(ip_parse(&in, &ip), DROP_NONE);
    EXPECT_EQ(ip.payload_bytes, 60);
}

SPEC("of an IPv4 header only class, length and checksum change")
{
    struct sample sample = copy_of("W7");
    struct sample before;

    memcpy(sample.bytes + 4, "\xab\xcd\x80\x00", 4); /* identification, no DF, reserved bit */
    sample.bytes[1] = 4 << 2 | ECN_CE;
    ip_v4_seal(sample.bytes);
    before = sample;
    EXPECT_EQ(trim_frame(sample.bytes, sample.length, 48, DSCP_12), 48);
    EXPECT_EQ(sample.bytes[1], DSCP_12 << 2 | ECN_CE);
    EXPECT_EQ(bytes_get_be16(sample.bytes + 2), 48);
    EXPECT(checksum_reference_holds(sample.bytes));
    EXPECT_MEM_EQ(sample.bytes + 4, before.bytes + 4, 6);
    EXPECT_MEM_EQ(sample.bytes + 12, before.bytes + 12, 68);
}

SPEC("a frame that is not an IP packet, or lacks a header, is unchanged")
{
    struct sample sample = copy_of("X2");
    struct sample before = sample;

    EXPECT_EQ(trim_bytes_min(sample.bytes, 0), 0);
    EXPECT_EQ(trim_bytes_min(sample.bytes, 39), 0);
    EXPECT_EQ(trim_bytes_min(sample.bytes, 63), 0);  /* the SRH ends at 64 */
    EXPECT_EQ(trim_bytes_min(sample.bytes, 103), 0); /* the inner header at 104 */
    EXPECT_EQ(trim_frame(sample.bytes, 63, 0, DSCP_12), 0);
    EXPECT_MEM_EQ(sample.bytes, before.bytes, before.length);
    sample.bytes[0] = 0x50;
    EXPECT_EQ(trim_bytes_min(sample.bytes, sample.length), 0);
    EXPECT_EQ(trim_frame(sample.bytes, sample.length, 132, DSCP_12), 0);
}

SPEC("the original payload length is computed from T1 and T2")
{
    struct frame frame;

    EXPECT_EQ(frame_parse(&format_default, vectors_find("T1")->bytes, 68, &frame), DROP_NONE);
    EXPECT_EQ(frame.packet.write.payload.length, 10);
    EXPECT_EQ(frame_parse(&format_default, vectors_find("T2")->bytes, 108, &frame), DROP_NONE);
    EXPECT_EQ(frame.packet.write.payload.length, 10);
}
