/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the bits that the ranks of a ring would hold if each flow had what it is due. A slow
 * transport excuses no flow: what the flow before is due counts, or what it has carried if that is
 * more. */
#include "capacity/capacity_ring.h"

#include <errno.h>
#include <string.h>

struct capacity_ring *capacity_ring_new(
    const struct allocator *memory, uint32_t count, double chunk_bits)
{
    struct capacity_ring *ring = allocator_take(memory, 1, sizeof(*ring));

    if (!ring)
        return NULL;
    ring->count = count;
    ring->chunk_bits = chunk_bits;
    ring->placed_bits = allocator_take(memory, count, sizeof(*ring->placed_bits));
    ring->due_bps = allocator_take(memory, count, sizeof(*ring->due_bps));
    ring->next_bps = allocator_take(memory, count, sizeof(*ring->next_bps));
    if (!ring->placed_bits || !ring->due_bps || !ring->next_bps) {
        capacity_ring_delete(ring, memory);
        return NULL;
    }
    return ring;
}

void capacity_ring_delete(struct capacity_ring *ring, const struct allocator *memory)
{
    if (!ring)
        return;
    allocator_free(memory, ring->placed_bits);
    allocator_free(memory, ring->due_bps);
    allocator_free(memory, ring->next_bps);
    allocator_free(memory, ring);
}

int capacity_ring_find(
    struct capacity_ring **ring, const struct allocator *memory, const struct sim_config *config)
{
    const struct sim_workload *workload = &config->workloads[0];

    *ring = NULL;
    if (config->workload_count != 1 ||
        (workload->kind != SIM_ALL_REDUCE && workload->kind != SIM_REDUCE_SCATTER &&
            workload->kind != SIM_ALL_GATHER))
        return 0;
    *ring = capacity_ring_new(
        memory, workload->rank_count, 8 * (double)workload->message_bytes / workload->rank_count);
    return *ring ? 0 : -ENOMEM;
}

static double placed_bits(const struct sim *sim, const struct capacity_pair *pair)
{
    double bits = 0;

    for (uint32_t i = 0; i < pair->flow_count; i++)
        bits += 8 * (double)sim_flow_placed_bytes(sim, pair->first_flow + i);
    return bits;
}

void capacity_ring_look(
    struct capacity_ring *ring, const struct sim *sim, const struct capacity_pair *pairs)
{
    for (uint32_t i = 0; i < ring->count; i++)
        ring->placed_bits[i] = placed_bits(sim, &pairs[i]);
}

static uint32_t before(const struct capacity_ring *ring, uint32_t flow)
{
    return flow ? flow - 1 : ring->count - 1;
}

/* Returns the bits of a rank that its flow was not due before. */
static double held_bits(const struct capacity_ring *ring, uint32_t flow, const double *due_bits)
{
    uint32_t feeder = before(ring, flow);
    double received = ring->placed_bits[feeder];

    if (received < due_bits[feeder])
        received = due_bits[feeder];
    return ring->chunk_bits + received - due_bits[flow];
}

void capacity_ring_advance(
    struct capacity_ring *ring, const double *rate_bps, const double *due_bits, double time_s)
{
    if (time_s <= 0)
        return;
    for (uint32_t i = 0; i < ring->count; i++) {
        double there_bps = held_bits(ring, i, due_bits) / time_s + ring->due_bps[before(ring, i)];

        if (there_bps < 0)
            there_bps = 0;
        ring->next_bps[i] = there_bps < rate_bps[i] ? there_bps : rate_bps[i];
    }
    memcpy(ring->due_bps, ring->next_bps, ring->count * sizeof(*ring->due_bps));
}
