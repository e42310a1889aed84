/* SPDX-License-Identifier: Apache-2.0 */
/* What the pairs of a ring are due, against rings solved by hand. */
#include "capacity/capacity_ring.h"

#include "spec.h"

enum { PAIRS = 3, STEP_BITS = 100 };

/* Pair i leads from rank i to the next one. Each step lasts a second. */
struct ring {
    struct capacity_forward forwards[PAIRS];
    double alone_bps[PAIRS]; /* what the links allow; no pair shares a link */
    double due_bits[PAIRS];
};

static struct ring ring_of(double chunk_bits, double slack_bits, const double *alone_bps)
{
    struct ring ring = { 0 };

    for (uint32_t i = 0; i < PAIRS; i++) {
        ring.alone_bps[i] = alone_bps[i];
        ring.forwards[i] = (struct capacity_forward){ .feeder = (i + PAIRS - 1) % PAIRS + 1,
            .chunk_bits = chunk_bits,
            .slack_bits = slack_bits,
            .step_bits = STEP_BITS,
            .given_bits = chunk_bits };
    }
    return ring;
}

/* Pairs are due their rates for `seconds`, and carry `share` of what they are due. */
static void advance(struct ring *ring, uint32_t seconds, double share)
{
    while (seconds-- > 0) {
        double rate_bps[PAIRS];

        capacity_ring_tie(ring->forwards, PAIRS, ring->due_bits);
        for (uint32_t i = 0; i < PAIRS; i++)
            rate_bps[i] = ring->alone_bps[i];
        capacity_ring_limit(ring->forwards, PAIRS, rate_bps);
        for (uint32_t i = 0; i < PAIRS; i++) {
            ring->due_bits[i] += rate_bps[i];
            ring->forwards[i].placed_bits += rate_bps[i] * share;
        }
        capacity_ring_flow(ring->forwards, PAIRS, ring->alone_bps, ring->due_bits, 1);
    }
}

/* No time passes. */
static void tie(struct ring *ring)
{
    capacity_ring_flow(ring->forwards, PAIRS, ring->alone_bps, ring->due_bits, 0);
    capacity_ring_tie(ring->forwards, PAIRS, ring->due_bits);
}

/* Rank 1 holds 940 bits, receives 10 and sends 100 in a second. After 10 s it holds 40, less than
 * half a step, and pair 1 is due what it receives. Rank 2 received 1,000 until then: it sent 1,000
 * and holds 940, which lasts 10 s more. */
SPEC("a pair behind a slow one is due its own rate until its rank has sent what it began with")
{
    static const double rates[] = { 10, 100, 100 };
    struct ring ring = ring_of(940, 1e9, rates);

    advance(&ring, 10, 1);
    EXPECT(!ring.forwards[1].is_tied && ring.due_bits[1] == 1000);
    advance(&ring, 1, 1);
    EXPECT(ring.forwards[1].is_tied && ring.due_bits[1] == 1010);
    EXPECT(!ring.forwards[2].is_tied && ring.due_bits[2] == 1100);
    advance(&ring, 20, 1);
    EXPECT(ring.forwards[2].is_tied);
    EXPECT(!ring.forwards[0].is_tied && ring.due_bits[0] == 310);
}

SPEC("equal pairs are due their rate for ever")
{
    static const double rates[] = { 100, 100, 100 };
    struct ring ring = ring_of(940, 1e9, rates);

    advance(&ring, 1000, 1);
    for (uint32_t i = 0; i < PAIRS; i++)
        EXPECT(!ring.forwards[i].is_tied && ring.due_bits[i] == 100000);
}

SPEC("pairs that carry half of what they are due are due no less")
{
    static const double rates[] = { 10, 100, 100 };
    struct ring ring = ring_of(940, 1e9, rates);
    struct ring slow = ring;

    advance(&ring, 1000, 1);
    advance(&slow, 1000, 0.5);
    for (uint32_t i = 0; i < PAIRS; i++)
        EXPECT(slow.due_bits[i] == ring.due_bits[i]);
}

/* All three are due 10 in a second. Pair 2 carries nothing for 100 s, while others carry what they
 * receive: rank 2 holds 1,000 more, and 300 may be under way. */
SPEC("a pair that leaves bits behind is due its own rate again")
{
    static const double rates[] = { 10, 100, 100 };
    struct ring ring = ring_of(940, 300, rates);

    advance(&ring, 100, 1);
    EXPECT(ring.forwards[2].is_tied);
    for (uint32_t i = 0; i < 2; i++)
        ring.forwards[i].placed_bits += 1000;
    for (uint32_t i = 0; i < PAIRS; i++)
        ring.due_bits[i] += 1000;
    tie(&ring);
    EXPECT(ring.forwards[1].is_tied);
    EXPECT(!ring.forwards[2].is_tied);
}

/* Pair 0 was due 5,000 that it did not carry, and now both are 10 in a second. */
SPEC("bits that never arrived are forgotten, except for what may be under way")
{
    static const double rates[] = { 10, 100, 100 };
    struct ring ring = ring_of(940, 300, rates);

    advance(&ring, 100, 1);
    ring.due_bits[0] += 5000;
    tie(&ring);
    EXPECT(!ring.forwards[1].is_tied);
    advance(&ring, 10, 1);
    EXPECT(ring.forwards[1].is_tied);
}

/* All links are equal, but pair 0 carries nothing of what it is due. Ranks 1 and 2 have sent what
 * they had, and would have more if pair 0 did well. */
SPEC("pairs that wait for a slow transport are not tied")
{
    static const double rates[] = { 100, 100, 100 };
    struct ring ring = ring_of(940, 300, rates);

    ring.forwards[1].placed_bits = ring.due_bits[1] = 940;
    ring.forwards[2].placed_bits = ring.due_bits[2] = 1880;
    for (uint32_t second = 0; second < 50; second++) {
        ring.due_bits[0] += 100;
        capacity_ring_flow(ring.forwards, PAIRS, ring.alone_bps, ring.due_bits, 1);
    }
    tie(&ring);
    for (uint32_t i = 0; i < PAIRS; i++)
        EXPECT(!ring.forwards[i].is_tied);
}

SPEC("a tied pair has nothing while its feeder, or what feeds that one, has nothing outstanding")
{
    static const double rates[] = { 10, 100, 100 };
    struct ring ring = ring_of(940, 1e9, rates);
    bool is_outstanding[PAIRS] = { false, true, true };

    capacity_ring_starve(ring.forwards, PAIRS, is_outstanding);
    EXPECT(is_outstanding[1] && is_outstanding[2]);
    advance(&ring, 100, 1);
    capacity_ring_starve(ring.forwards, PAIRS, is_outstanding);
    EXPECT(!is_outstanding[1] && !is_outstanding[2]);
}
