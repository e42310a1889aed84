/* SPDX-License-Identifier: Apache-2.0 */
/* The life cycle of a rank: start, iterations, end. */
#include "sim/workload.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

#include "base/prng.h"
#include "sim/workload_family.h"

#define WORKLOAD_JITTER_ENTITY UINT64_C(0x6a6974746572)

/* The seed depends on the name of the workload, so that adding a workload does not change the
 * others. */
static uint64_t own_seed(const struct sim_workload *workload, uint64_t seed)
{
    for (uint32_t i = 0; i < SIM_NAME_BYTES && workload->name[i] != '\0'; i++)
        seed = prng_stream(seed, (uint8_t)workload->name[i]).state;
    return seed;
}

const struct workload_family *workload_family_of(const struct sim_workload *workload)
{
    switch (workload_pattern(workload)) {
    case SIM_STREAM:
    case SIM_PERMUTATION:
    case SIM_INCAST:
        return &workload_pairs;
    case SIM_PING_PONG:
        return &workload_ping_pong;
    case SIM_ALL_REDUCE:
    case SIM_REDUCE_SCATTER:
    case SIM_ALL_GATHER:
    case SIM_SEND_RECV:
        return &workload_ring;
    case SIM_ALL_TO_ALL:
        return &workload_all_to_all;
    case SIM_TRAINING:
    case SIM_WORKLOAD_COUNT:
        break;
    }
    assert(workload_pattern(workload) < SIM_TRAINING);
    return NULL;
}

/* ---- layout ---------------------------------------------------------------------------------- */

static uint32_t scratch_count(const struct sim_workload *workload, const struct topology *topology)
{
    uint32_t leaf_loads = 2 * topology_leaf_count(topology);

    return workload->rank_count > leaf_loads ? workload->rank_count : leaf_loads;
}

void workload_layout_init(struct workload_layout *layout, struct arena *arena,
    const struct sim_workload *workload, const struct topology *topology, uint64_t seed)
{
    bool is_drawn = workload->placement == SIM_RANDOM;

    *layout = (struct workload_layout){ .workload = workload };
    layout->nic_of_rank = arena_take(arena, is_drawn ? topology->nic_count : workload->rank_count,
        sizeof(uint32_t), alignof(uint32_t));
    layout->to_rank =
        arena_take(arena, workload->kind == SIM_PERMUTATION ? workload->rank_count : 0,
            sizeof(uint32_t), alignof(uint32_t));
    layout->scratch =
        arena_take(arena, scratch_count(workload, topology), sizeof(uint32_t), alignof(uint32_t));
    if (layout->nic_of_rank == NULL)
        return;
    workload_place(layout, topology, own_seed(workload, seed));
    if (workload->kind == SIM_PERMUTATION)
        workload_permute(layout, topology, own_seed(workload, seed));
}

uint32_t workload_flow_count(const struct sim_workload *workload)
{
    return workload_family_of(workload)->flow_count(workload);
}

struct workload_flow workload_flow_at(const struct workload_layout *layout, uint32_t index)
{
    return workload_family_of(layout->workload)->flow_at(layout, index);
}

uint32_t workload_outstanding_max(const struct sim_workload *workload)
{
    return workload_family_of(workload)->outstanding_max(workload);
}

/* ---- a rank ---------------------------------------------------------------------------------- */

uint32_t workload_lane_count(const struct sim_workload *workload)
{
    enum { EVEN_AND_ODD = 2 };
    const struct workload_family *family = workload_family_of(workload);

    if (family == &workload_ring)
        return workload->qps;
    return family == &workload_all_to_all ? EVEN_AND_ODD : 0;
}

void workload_rank_init(struct workload_rank *state, const struct sim_workload *workload,
    uint32_t rank, struct workload_lane *lanes)
{
    *state = (struct workload_rank){ .workload = workload, .rank = rank, .lanes = lanes };
}

uint64_t workload_start_ps(const struct sim_workload *workload, uint32_t rank, uint64_t seed)
{
    struct prng of_workload = prng_stream(own_seed(workload, seed), WORKLOAD_JITTER_ENTITY);
    struct prng of_rank = prng_stream(of_workload.state, rank);
    uint64_t start_ps = workload->start_ps + workload->stagger_ps * rank;

    if (workload->jitter_ps > 0)
        start_ps += prng_next(&of_rank) % (workload->jitter_ps + 1);
    return start_ps;
}

void workload_begin_collective(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    rank->posted = 0;
    rank->sent = 0;
    rank->collective_ps = now_ps;
    rank->is_communicating = true;
    workload_family_of(rank->workload)->begin(rank, world, now_ps);
}

static void begin_iteration(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    rank->began_ps = now_ps;
    if (rank->workload->kind == SIM_TRAINING)
        workload_training_begin(rank, world, now_ps);
    else
        workload_begin_collective(rank, world, now_ps);
}

void workload_end_iteration(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    rank->iteration++;
    if (rank->iteration == rank->workload->iterations) {
        rank->is_finished = true;
        world->finished(world->context, now_ps);
    } else {
        begin_iteration(rank, world, now_ps);
    }
}

/* Called after a message was sent or received: the collective may be complete. */
static void look_for_the_end(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    const struct workload_family *family = workload_family_of(rank->workload);

    if (!rank->is_communicating || !family->is_complete(rank))
        return;
    rank->is_communicating = false;
    world->completed(world->context, rank->workload->message_bytes, rank->collective_ps, now_ps);
    if (rank->workload->kind == SIM_TRAINING)
        workload_training_on_collective(rank, world, now_ps);
    else
        workload_end_iteration(rank, world, now_ps);
}

void workload_on_start(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    const struct workload_family *family = workload_family_of(rank->workload);

    assert(!rank->is_started);
    rank->is_started = true;
    if (family->is_complete != NULL)
        begin_iteration(rank, world, now_ps);
    else
        family->begin(rank, world, now_ps);
}

void workload_on_sent(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    assert(rank->is_started);
    workload_family_of(rank->workload)->on_sent(rank, world, flow, now_ps);
    look_for_the_end(rank, world, now_ps);
}

void workload_on_received(struct workload_rank *rank, const struct workload_world *world,
    uint32_t flow, uint32_t tag, uint64_t now_ps)
{
    workload_family_of(rank->workload)->on_received(rank, world, flow, tag, now_ps);
    look_for_the_end(rank, world, now_ps);
}

void workload_on_wake(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    if (rank->workload->kind == SIM_TRAINING)
        workload_training_on_wake(rank, world, now_ps);
}
