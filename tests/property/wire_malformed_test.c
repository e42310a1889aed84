/* SPDX-License-Identifier: Apache-2.0 */
/* No input, however malformed, is read past its end or accepted with lengths that do not agree. */
#include "spec.h"

#include <stdlib.h>
#include <string.h>

#include "frame_check.h"
#include "random_packet.h"
#include "vectors.h"
#include "wire/frame.h"
#include "wire/ip_v4.h"

#ifdef __SANITIZE_ADDRESS__
#define RUNS 2000
#else
#define RUNS 20000
#endif

/* Parses a copy in a block of exactly this length, so that a sanitizer sees any byte read beyond
 * it; what is accepted must be sound. */
static enum drop_reason parse_exactly(
    const struct wire_format *format, const uint8_t *bytes, size_t length)
{
    uint8_t *copy = malloc(length ? length : 1);
    struct frame frame;
    enum drop_reason reason;
    const char *fault = NULL;

    EXPECT(copy);
    memcpy(copy, bytes, length);
    reason = frame_parse(format, copy, length, &frame);
    if (reason == DROP_NONE) {
        fault = frame_check_fault(&frame, copy, length);
        frame_icrc_ok(&frame, copy);
    }
    free(copy);
    EXPECT_STR_EQ(fault ? fault : "sound", "sound");
    return reason;
}

SPEC("every vector cut at any byte is refused as truncated")
{
    const struct vectors *vectors = vectors_all();

    for (size_t i = 0; i < vectors->count; i++) {
        const struct vector *vector = &vectors->items[i];

        EXPECT_EQ(parse_exactly(&format_default, vector->bytes, vector->length), DROP_NONE);
        for (size_t length = 0; length < vector->length; length++)
            EXPECT_EQ(parse_exactly(&format_default, vector->bytes, length), DROP_TRUNCATED);
    }
}

PROPERTY("a random packet cut at any byte is refused as truncated", RUNS / 10)
{
    struct prng prng = prng_stream(seed, 0);
    struct wire_format format;
    struct frame frame;
    uint8_t bytes[RANDOM_PACKET_BYTES_MAX];
    size_t whole = random_packet_any(&prng, &format, &frame, bytes, sizeof(bytes));

    EXPECT_EQ(parse_exactly(&format, bytes, whole), DROP_NONE);
    for (size_t length = 0; length < whole; length++)
        EXPECT_EQ(parse_exactly(&format, bytes, length), DROP_TRUNCATED);
}

static void put_ip_length(uint8_t *ip, size_t payload_bytes)
{
    if (ip[0] >> 4 == 6) {
        bytes_put_be16(ip + 4, (uint16_t)payload_bytes);
        return;
    }
    bytes_put_be16(ip + 2, (uint16_t)(payload_bytes + IP_V4_BYTES));
    ip_v4_seal(ip);
}

/* Sets every length field so that the frame claims to have been sent this short. */
static void claim_length(const struct frame *frame, uint8_t *bytes, size_t udp_bytes)
{
    uint8_t *inner = bytes + frame->inner_offset;
    size_t ip_bytes = frame->inner.is_v4 ? IP_V4_BYTES : IP_V6_BYTES;

    put_ip_length(inner, udp_bytes);
    bytes_put_be16(inner + ip_bytes + 4, (uint16_t)udp_bytes);
    if (frame->encapsulation != FRAME_PLAIN)
        put_ip_length(bytes, frame->inner_offset - IP_V6_BYTES + ip_bytes + udp_bytes);
}

/* UDP, BTH and extension headers, pad and iCRC: what a packet without payload has. */
static size_t udp_bytes_min(const struct packet *packet)
{
    size_t bytes = packet_udp_bytes(packet);

    return opcode_has_payload(packet->opcode) ? bytes - packet->write.payload.length : bytes;
}

PROPERTY("a packet that claims to be shorter is refused once its headers do not fit", RUNS / 10)
{
    struct prng prng = prng_stream(seed, 0);
    struct wire_format format;
    struct frame frame;
    uint8_t bytes[RANDOM_PACKET_BYTES_MAX];
    size_t udp_offset;

    do
        random_packet_any(&prng, &format, &frame, bytes, sizeof(bytes));
    while (frame_is_trimmed(&frame));
    udp_offset = frame.inner_offset + (frame.inner.is_v4 ? 20u : 40u);
    for (size_t udp_bytes = packet_udp_bytes(&frame.packet); udp_bytes-- > 8;) {
        enum drop_reason wanted = udp_bytes < 8 + 12 ? DROP_TRUNCATED : DROP_LENGTH;

        claim_length(&frame, bytes, udp_bytes);
        if (udp_bytes >= udp_bytes_min(&frame.packet))
            wanted = DROP_NONE;
        EXPECT_EQ(parse_exactly(&format, bytes, udp_offset + udp_bytes), wanted);
    }
}

PROPERTY("random bytes are refused or parse to a consistent packet", RUNS)
{
    struct prng prng = prng_stream(seed, 0);
    uint8_t bytes[200];
    size_t length = prng_below(&prng, sizeof(bytes) + 1);

    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)prng_next(&prng);
    if (length > 0 && prng_below(&prng, 2))
        bytes[0] = 0x60;
    parse_exactly(&format_default, bytes, length);
}

PROPERTY("a valid packet with a few bytes changed, cut or repeated is refused or consistent", RUNS)
{
    struct prng prng = prng_stream(seed, 0);
    struct wire_format format;
    struct frame frame;
    uint8_t bytes[RANDOM_PACKET_BYTES_MAX + 64] = { 0 };
    uint32_t length = random_packet_any(&prng, &format, &frame, bytes, RANDOM_PACKET_BYTES_MAX);
    uint32_t headers = length < 160 ? length : 160;

    for (uint32_t changes = 1 + prng_below(&prng, 8); changes > 0; changes--)
        bytes[prng_below(&prng, headers)] = (uint8_t)prng_next(&prng);
    if (prng_below(&prng, 2))
        memmove(bytes + 8 * prng_below(&prng, 8), bytes, headers);
    parse_exactly(&format, bytes, prng_below(&prng, 2) ? length : prng_below(&prng, length + 64));
}

PROPERTY("a valid packet with any one byte changed is refused or consistent", RUNS / 100)
{
    struct prng prng = prng_stream(seed, 0);
    struct wire_format format;
    struct frame frame;
    uint8_t bytes[RANDOM_PACKET_BYTES_MAX];
    uint32_t length = random_packet_any(&prng, &format, &frame, bytes, sizeof(bytes));

    for (uint32_t i = 0; i < length && i < 160; i++) {
        uint8_t before = bytes[i];

        for (uint32_t value = 0; value < 256; value++) {
            bytes[i] = (uint8_t)value;
            parse_exactly(&format, bytes, length);
        }
        bytes[i] = before;
    }
}
