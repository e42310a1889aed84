/* SPDX-License-Identifier: Apache-2.0 */
/* What the flows of a ring are due, against rings solved by hand. */
#include "capacity/capacity_ring.h"

#include <stdlib.h>

#include "spec.h"

static void *resize(void *context, void *memory, size_t bytes)
{
    (void)context;
    if (bytes > 0)
        return realloc(memory, bytes);
    free(memory);
    return NULL;
}

static const struct allocator memory = { .resize = resize };

/* Adds what the flows are due in `steps` seconds. */
static void advance(
    struct capacity_ring *ring, const double *rate_bps, uint32_t steps, double *bits)
{
    for (uint32_t step = 0; step < steps; step++) {
        capacity_ring_advance(ring, rate_bps, bits, 1);
        for (uint32_t i = 0; i < ring->count; i++)
            bits[i] += ring->due_bps[i];
    }
}

/* Rank 1 holds 600 bits, receives 100 and sends 300 in a second: it has sent them after 3 s. Rank 2
 * receives 300 until then and has sent its own after 6 s. */
SPEC("a flow behind a slow one is due its own rate only until its rank has sent what it had")
{
    static const double rates[] = { 100, 300, 300 };
    struct capacity_ring *ring = capacity_ring_new(&memory, 3, 600);
    double bits[3] = { 0 };

    advance(ring, rates, 3, bits);
    EXPECT(bits[0] == 300 && bits[1] == 900 && bits[2] == 900);
    advance(ring, rates, 3, bits);
    EXPECT(bits[0] == 600 && bits[1] == 1200 && bits[2] == 1800);
    advance(ring, rates, 4, bits);
    EXPECT(bits[0] == 1000 && bits[1] == 1600 && bits[2] == 2200);
    capacity_ring_delete(ring, &memory);
}

SPEC("equal flows are due their rate, also if a rank holds less than a step carries")
{
    static const double rates[] = { 300, 300, 300, 300 };
    struct capacity_ring *ring = capacity_ring_new(&memory, 4, 100);
    double bits[4] = { 0 };

    advance(ring, rates, 3, bits);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT(ring->due_bps[i] == 300);
    capacity_ring_delete(ring, &memory);
}

/* Flow 0 pauses for 4 s. Rank 1 holds nothing after 2 s, and what it is due to receive later is
 * known one step late. */
SPEC("what a flow is not due while it has nothing under way is missing at the next")
{
    static const double pause[] = { 0, 300, 300 };
    static const double rates[] = { 300, 300, 300 };
    struct capacity_ring *ring = capacity_ring_new(&memory, 3, 600);
    double bits[3] = { 0 };

    advance(ring, pause, 4, bits);
    EXPECT(bits[0] == 0 && bits[1] == 600 && bits[2] == 1200);
    advance(ring, rates, 4, bits);
    EXPECT(bits[0] == 1200 && bits[1] == 600 + 900);
    capacity_ring_delete(ring, &memory);
}

SPEC("a rank that has received more than was due can send that, too")
{
    static const double rates[] = { 100, 300, 300 };
    struct capacity_ring *ring = capacity_ring_new(&memory, 3, 600);
    double bits[3] = { 0 };

    advance(ring, rates, 6, bits);
    EXPECT(ring->due_bps[1] == 100);
    ring->placed_bits[0] = bits[0] + 150;
    advance(ring, rates, 1, bits);
    EXPECT(ring->due_bps[1] == 250);
    capacity_ring_delete(ring, &memory);
}

SPEC("only a simulation with nothing but a ring has one")
{
    struct sim_workload workloads[2] = {
        { .kind = SIM_ALL_GATHER, .rank_count = 4, .message_bytes = 1000 },
        { .kind = SIM_PERMUTATION, .rank_count = 4, .message_bytes = 1000 },
    };
    struct sim_config config = { .workloads = workloads, .workload_count = 1 };
    struct capacity_ring *ring;

    EXPECT_EQ(capacity_ring_find(&ring, &memory, &config), 0);
    EXPECT(ring->count == 4 && ring->chunk_bits == 2000);
    capacity_ring_delete(ring, &memory);
    config.workload_count = 2;
    EXPECT_EQ(capacity_ring_find(&ring, &memory, &config), 0);
    EXPECT(!ring);
    config.workload_count = 1;
    workloads[0].kind = SIM_SEND_RECV;
    EXPECT_EQ(capacity_ring_find(&ring, &memory, &config), 0);
    EXPECT(!ring);
}
