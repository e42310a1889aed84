/* SPDX-License-Identifier: Apache-2.0 */
/* In order, or with a bitmap of what arrived early. */
#include "rival/rocev2/roce_receiver.h"

#include "base/bits.h"

void roce_receiver_init(
    struct roce_receiver *receiver, struct arena *arena, const struct roce_profile *profile)
{
    uint64_t *arrived =
        roce_profile_keeps_early(profile)
            ? arena_take(arena, profile->window_packets / 64, sizeof(*arrived), sizeof(*arrived))
            : NULL;

    if (arena->memory)
        *receiver = (struct roce_receiver){ .arrived = arrived };
}

static bool asks_ack(const struct roce_packet *packet)
{
    return packet->flags & ROCE_ASKS_ACK;
}

/* Takes the expected packet, and those after it that are there. */
static void take_expected(struct roce_receiver *receiver, const struct roce_profile *profile)
{
    uint32_t window = profile->window_packets;

    receiver->expected++;
    receiver->has_complained = false;
    if (!receiver->arrived)
        return;
    while (bits_test(receiver->arrived, (uint32_t)(receiver->expected % window))) {
        bits_clear(receiver->arrived, (uint32_t)(receiver->expected % window));
        receiver->expected++;
    }
}

/* One NAK for each gap; with selective repeat one for each packet that arrives early; if packets
 * may overtake each other none. The ACK that an early packet asks for waits for the packets before
 * it.
 */
static struct roce_reply take_early(struct roce_receiver *receiver,
    const struct roce_profile *profile, const struct roce_packet *packet, uint32_t ahead)
{
    uint32_t bit = (uint32_t)((receiver->expected + ahead) % profile->window_packets);
    struct roce_reply reply = { .verdict = ROCE_DISCARDED, .nak = !profile->in_any_order };

    if (!receiver->arrived) {
        reply.nak = !receiver->has_complained;
        receiver->has_complained = true;
        return reply;
    }
    if (ahead >= profile->window_packets)
        return reply;
    reply.verdict = bits_test(receiver->arrived, bit) ? ROCE_DUPLICATE : ROCE_NEW;
    bits_set(receiver->arrived, bit);
    if (asks_ack(packet) && receiver->asked <= receiver->expected + ahead)
        receiver->asked = receiver->expected + ahead + 1;
    return reply;
}

struct roce_reply roce_receiver_take(struct roce_receiver *receiver,
    const struct roce_profile *profile, const struct roce_packet *packet)
{
    int32_t ahead = psn_distance(psn((uint32_t)receiver->expected), packet->psn);
    bool waits;

    if (ahead < 0)
        return (struct roce_reply){ .verdict = ROCE_DUPLICATE, .ack = true };
    if (ahead > 0)
        return take_early(receiver, profile, packet, (uint32_t)ahead);
    waits = receiver->asked > receiver->expected;
    take_expected(receiver, profile);
    return (struct roce_reply){ .verdict = ROCE_NEW,
        .ack = asks_ack(packet) || (waits && receiver->expected >= receiver->asked) };
}

bool roce_receiver_notifies(
    struct roce_receiver *receiver, const struct roce_profile *profile, uint64_t now_ps)
{
    if (!profile->has_dcqcn || now_ps < receiver->cnp_ps)
        return false;
    receiver->cnp_ps = now_ps + profile->dcqcn.cnp_gap_ps;
    return true;
}
