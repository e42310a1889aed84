/* SPDX-License-Identifier: Apache-2.0 */
/* Trimming random WRITEs as a switch does, and reading them as a receiver does (docs/wire.md §14).
 */
#include "spec.h"

#include <string.h>

#include "frame_check.h"
#include "random_packet.h"
#include "wire/frame.h"
#include "wire/trim.h"

struct sample {
    struct wire_format format;
    struct frame whole;
    uint8_t bytes[RANDOM_PACKET_BYTES_MAX];
    uint32_t length;
};

static void make(struct prng *prng, struct sample *sample)
{
    do
        sample->length = random_packet_any(
            prng, &sample->format, &sample->whole, sample->bytes, sizeof(sample->bytes));
    while (!opcode_is_write(sample->whole.packet.opcode) || frame_is_trimmed(&sample->whole));
}

PROPERTY(
    "a trimmed WRITE tells what it was: addresses, EV, mark, PSN, message, stamp, length", 20000)
{
    struct prng prng = prng_stream(seed, 0);
    struct sample sample;
    struct frame trimmed;
    struct packet wanted;
    size_t keep_bytes;
    size_t length;

    make(&prng, &sample);
    keep_bytes = trim_bytes_min(sample.bytes, sample.length) + prng_below(&prng, 300);
    length = trim_frame(
        sample.bytes, sample.length, keep_bytes, sample.format.dscp[DSCP_TRIMMED_LASTHOP]);
    EXPECT_EQ(length, keep_bytes < sample.length ? keep_bytes : sample.length);
    EXPECT_EQ(frame_parse(&sample.format, sample.bytes, length, &trimmed), DROP_NONE);
    EXPECT(frame_check_fault(&trimmed, sample.bytes, length) == NULL);
    EXPECT_EQ(trimmed.packet.class, DSCP_TRIMMED_LASTHOP);
    EXPECT_EQ(trimmed.packet.ecn, sample.whole.packet.ecn);
    EXPECT_EQ(trimmed.packet.ev, sample.whole.packet.ev);
    wanted = sample.whole.packet;
    wanted.class = DSCP_TRIMMED_LASTHOP;
    EXPECT(frame_check_packets(&wanted, &trimmed.packet) == NULL);
}

PROPERTY("trimming changes nothing behind the outermost IP header", 20000)
{
    struct prng prng = prng_stream(seed, 0);
    struct sample sample;
    uint8_t before[RANDOM_PACKET_BYTES_MAX];
    size_t ip_bytes;
    size_t bytes_min;

    make(&prng, &sample);
    memcpy(before, sample.bytes, sample.length);
    ip_bytes = before[0] >> 4 == 4 ? IP_V4_BYTES : IP_V6_BYTES;
    bytes_min = trim_bytes_min(sample.bytes, sample.length);
    trim_frame(sample.bytes, sample.length, bytes_min, sample.format.dscp[DSCP_TRIMMED]);
    EXPECT_MEM_EQ(sample.bytes + ip_bytes, before + ip_bytes, sample.length - ip_bytes);
}

PROPERTY("trimming twice is trimming once", 20000)
{
    struct prng prng = prng_stream(seed, 0);
    struct sample sample;
    uint8_t once[RANDOM_PACKET_BYTES_MAX];
    size_t bytes_min;
    size_t length;

    make(&prng, &sample);
    bytes_min = trim_bytes_min(sample.bytes, sample.length);
    length = trim_frame(sample.bytes, sample.length, bytes_min, sample.format.dscp[DSCP_TRIMMED]);
    memcpy(once, sample.bytes, length);
    EXPECT_EQ(
        trim_frame(sample.bytes, length, bytes_min, sample.format.dscp[DSCP_TRIMMED]), length);
    EXPECT_MEM_EQ(sample.bytes, once, length);
}
