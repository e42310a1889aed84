/* SPDX-License-Identifier: Apache-2.0 */
/* A bitmap of what has arrived, and the part of it that an ACK shows. */
#include "rival/uet/uet_receiver.h"

#include "base/bits.h"

enum {
    ACK_CHARGE_LEAST = 1024, /* a short packet counts as if it were so long */
    BITMAP_BITS = 64,
};

void uet_receiver_init(struct uet_receiver *receiver, struct arena *arena,
    const struct uet_profile *profile, uint32_t depth)
{
    uint64_t *arrived =
        arena_take(arena, BITS_WORDS(profile->window_packets), sizeof(*arrived), sizeof(*arrived));
    struct message_arrivals messages;

    message_arrivals_init(&messages, arena, depth);
    if (arena->memory)
        *receiver = (struct uet_receiver){ .arrived = arrived, .messages = messages };
}

static uint32_t bit_of(const struct uet_profile *profile, uint64_t sequence)
{
    return (uint32_t)(sequence & (profile->window_packets - 1));
}

static bool has_arrived(
    const struct uet_receiver *receiver, const struct uet_profile *profile, uint64_t sequence)
{
    return sequence < receiver->expected ||
           (sequence < receiver->end && bits_test(receiver->arrived, bit_of(profile, sequence)));
}

bool uet_receiver_has(
    const struct uet_receiver *receiver, const struct uet_profile *profile, uint32_t psn)
{
    return has_arrived(receiver, profile, uet_packet_sequence(psn, receiver->expected));
}

/* All packets up to the next gap are in order now. */
static void move_expected(struct uet_receiver *receiver, const struct uet_profile *profile)
{
    while (bits_test(receiver->arrived, bit_of(profile, receiver->expected))) {
        bits_clear(receiver->arrived, bit_of(profile, receiver->expected));
        receiver->expected++;
        receiver->early--;
    }
}

/* ACKs show the packets from `unshown` on, 64 at a time. */
static void note_unshown(struct uet_receiver *receiver, uint64_t sequence)
{
    if (receiver->unshown < receiver->expected)
        receiver->unshown = receiver->expected;
    else if (sequence > receiver->expected && sequence < receiver->unshown)
        receiver->unshown = sequence;
}

static void note_new(
    struct uet_receiver *receiver, const struct uet_profile *profile, uint64_t sequence, bool asks)
{
    if (sequence >= receiver->end) {
        receiver->end = sequence + 1;
        receiver->end_asks = asks;
    }
    bits_set(receiver->arrived, bit_of(profile, sequence));
    receiver->early++;
    move_expected(receiver, profile);
    note_unshown(receiver, sequence);
}

bool uet_receiver_take(struct uet_receiver *receiver, const struct uet_profile *profile,
    const struct uet_packet *packet, bool is_marked, bool *acks)
{
    uint64_t sequence = uet_packet_sequence(packet->body.psn, receiver->expected);
    uint32_t bytes = uet_packet_bytes(packet);
    bool asks = packet->flags & UET_ASKS_ACK;
    bool is_first = !receiver->has_begun;

    *acks = true;
    receiver->has_begun = true;
    if (has_arrived(receiver, profile, sequence))
        return false;
    receiver->received_bytes += bytes;
    receiver->unacked_bytes += bytes > ACK_CHARGE_LEAST ? bytes : ACK_CHARGE_LEAST;
    *acks = asks || is_marked || is_first || packet->flags & UET_REPEATED ||
            receiver->unacked_bytes >= profile->ack_bytes ||
            (receiver->end_asks && sequence + 1 < receiver->end);
    note_new(receiver, profile, sequence, asks);
    if (*acks)
        receiver->unacked_bytes = 0;
    return true;
}

/* The answer to a probe begins with the oldest gap; that to a packet which demands one, with the
 * packet; all others go through what has not been shown. */
static uint64_t base_of(struct uet_receiver *receiver, uint64_t trigger, uint8_t flags)
{
    uint64_t base = receiver->unshown;

    if (flags & UET_OF_PROBE)
        return receiver->expected;
    if (flags & (UET_MARKED | UET_ASKS_ACK))
        return trigger > receiver->expected ? trigger : receiver->expected;
    if (receiver->end > base + BITMAP_BITS)
        receiver->unshown += BITMAP_BITS;
    return base;
}

/* Returns the 64 bits from `base` on, which is not before `expected`. */
static uint64_t bitmap_from(
    const struct uet_receiver *receiver, const struct uet_profile *profile, uint64_t base)
{
    uint64_t bits;

    if (base >= receiver->end)
        return 0;
    bits = bits_window(receiver->arrived, profile->window_packets, bit_of(profile, base));
    return receiver->end - base < BITMAP_BITS ? bits & ((UINT64_C(1) << (receiver->end - base)) - 1)
                                              : bits;
}

void uet_receiver_fill_ack(struct uet_receiver *receiver, const struct uet_profile *profile,
    uint32_t trigger, uint8_t flags, struct uet_body *body)
{
    uint64_t sequence = uet_packet_sequence(trigger, receiver->expected);
    uint64_t base = base_of(receiver, sequence, flags);

    if (base < receiver->expected)
        base = receiver->expected;
    body->psn = (uint32_t)receiver->expected;
    body->ack.base = (uint32_t)base;
    body->ack.bitmap = bitmap_from(receiver, profile, base);
    body->ack.received_bytes = receiver->received_bytes;
    body->ack.trigger = trigger;
    body->ack.early = receiver->early;
}
