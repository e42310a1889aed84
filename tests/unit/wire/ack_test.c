/* SPDX-License-Identifier: Apache-2.0 */
/* AETH: Transport ACK and NAK (docs/wire.md §6). */
#include "spec.h"

#include "wire/ack.h"

static enum drop_reason parse(uint32_t aeth, struct packet *packet)
{
    uint8_t bytes[4];
    struct bytes_in in;

    bytes_put_be32(bytes, aeth);
    in = bytes_in(bytes, sizeof(bytes));
    return ack_parse(&in, packet);
}

SPEC("an ACK has syndrome 0x1F and counts completed messages")
{
    struct packet packet;

    EXPECT_EQ(parse(0x1f00000b, &packet), DROP_NONE);
    EXPECT_EQ(packet.ack.syndrome, ACK_SYNDROME_ACK);
    EXPECT_EQ(packet.ack.messages_done, 11);
    EXPECT(!ack_is_nak(packet.ack.syndrome));
}

SPEC("the NAK codes have their numbers")
{
    EXPECT_EQ(ACK_SYNDROME_INVALID_REQUEST, 0x61);
    EXPECT_EQ(ACK_SYNDROME_REMOTE_ACCESS, 0x62);
    EXPECT_EQ(ACK_SYNDROME_REMOTE_OPERATION, 0x63);
}

SPEC("ACKs with any credit and NAKs with any code are accepted, all other syndromes are not")
{
    struct packet packet;

    for (uint32_t syndrome = 0; syndrome < 256; syndrome++) {
        bool is_ack = syndrome <= 0x1f;
        bool is_nak = syndrome >= 0x60 && syndrome <= 0x7f;

        EXPECT_EQ(parse(syndrome << 24, &packet), is_ack || is_nak ? DROP_NONE : DROP_SYNDROME);
        EXPECT_EQ(ack_is_nak((uint8_t)syndrome), is_nak);
    }
}

SPEC("the message count has 24 bits and does not overflow into the syndrome")
{
    struct packet packet = { .ack = { .syndrome = 0x62, .messages_done = 0xffabcdef } };
    uint8_t built[4];
    struct bytes_out out = bytes_out(built, sizeof(built));

    ack_build(&out, &packet);
    EXPECT_MEM_EQ(built, "\x62\xab\xcd\xef", 4);
}

SPEC("a truncated AETH clears ok")
{
    static const uint8_t bytes[3] = { 0x1f };

    for (size_t length = 0; length <= sizeof(bytes); length++) {
        struct bytes_in in = bytes_in(bytes, length);
        struct packet packet;

        ack_parse(&in, &packet);
        EXPECT(!in.ok);
    }
}
