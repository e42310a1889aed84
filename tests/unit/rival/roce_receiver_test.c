/* SPDX-License-Identifier: Apache-2.0 */
/* The responder of a QP of RoCEv2: what it answers to packets that overtake each other. */
#include "spec.h"

#include "rival/rival.h"

struct bench {
    _Alignas(8) uint8_t memory[64];
    struct roce_profile profile;
    struct roce_receiver receiver;
};

static void begin(struct bench *bench, bool selective, bool in_any_order)
{
    struct arena arena;

    *bench = (struct bench){
        .profile = { .selective = selective, .in_any_order = in_any_order, .window_packets = 64 }
    };
    arena_init(&arena, bench->memory, sizeof(bench->memory));
    roce_receiver_init(&bench->receiver, &arena, &bench->profile);
}

static struct roce_reply take(struct bench *bench, uint32_t number, uint8_t flags)
{
    return roce_receiver_take(&bench->receiver, &bench->profile,
        &(struct roce_packet){ .opcode = ROCE_WRITE, .psn = psn(number), .flags = flags });
}

/* Otherwise, if the sender repeats each hole once and every packet arrives, it waits for its
 * timeout. */
SPEC("an ACK that an early packet asked for is sent when the packets before it are there")
{
    for (uint32_t in_any_order = 0; in_any_order < 2; in_any_order++) {
        struct bench bench;

        begin(&bench, !in_any_order, in_any_order);
        EXPECT(!take(&bench, 0, 0).ack);
        EXPECT_EQ(take(&bench, 3, ROCE_ASKS_ACK).nak, !in_any_order);
        EXPECT(!take(&bench, 1, 0).ack);
        EXPECT(take(&bench, 2, 0).ack);
        EXPECT_EQ(bench.receiver.expected, 4);
        EXPECT(!take(&bench, 4, 0).ack); /* once */
    }
}

SPEC("with go-back-N an early packet is discarded, with one NAK for a gap")
{
    struct bench bench;

    begin(&bench, false, false);
    EXPECT(take(&bench, 1, ROCE_ASKS_ACK).nak);
    EXPECT(!take(&bench, 2, ROCE_ASKS_ACK).nak);
    EXPECT(!take(&bench, 0, 0).ack);
    EXPECT_EQ(bench.receiver.expected, 1);
}
