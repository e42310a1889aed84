/* SPDX-License-Identifier: Apache-2.0 */
/* The life cycle of a rank: start, iterations, end. */
#include "sim/workload.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

#include "base/prng.h"
#include "sim/workload_kind.h"

#define WORKLOAD_JITTER_ENTITY UINT64_C(0x6a6974746572)

/* The seed depends on the name of the workload, so that adding a workload does not change the
 * others. */
static uint64_t own_seed(const struct sim_workload *workload, uint64_t seed)
{
    for (uint32_t i = 0; i < SIM_NAME_BYTES && workload->name[i] != '\0'; i++)
        seed = prng_stream(seed, (uint8_t)workload->name[i]).state;
    return seed;
}

static const struct workload_kind *const kinds[SIM_WORKLOAD_COUNT] = {
#define WORKLOAD(ID, name, weight, meaning) [SIM_##ID] = &workload_##name,
#include "sim/workloads.def"
};

const char *const sim_workload_words[SIM_WORKLOAD_COUNT + 1] = {
#define WORKLOAD(ID, name, weight, meaning) [SIM_##ID] = #name,
#include "sim/workloads.def"
    [SIM_WORKLOAD_COUNT] = NULL,
};

const uint8_t sim_workload_weights[SIM_WORKLOAD_COUNT] = {
#define WORKLOAD(ID, name, weight, meaning) [SIM_##ID] = (weight),
#include "sim/workloads.def"
};

const struct workload_kind *workload_kind_of(const struct sim_workload *workload)
{
    assert(workload->kind < SIM_WORKLOAD_COUNT);
    return kinds[workload->kind];
}

const struct workload_kind *workload_pattern_of(const struct sim_workload *workload)
{
    assert(sim_workload_pattern(workload) < SIM_WORKLOAD_COUNT);
    return kinds[sim_workload_pattern(workload)];
}

bool sim_workload_is(enum sim_workload_kind kind, enum sim_workload_trait trait)
{
    return kind < SIM_WORKLOAD_COUNT && (kinds[kind]->traits & trait) != 0;
}

uint32_t sim_workload_peers(const struct sim_workload *workload)
{
    const struct workload_kind *pattern = workload_pattern_of(workload);

    return pattern->peers_out ? pattern->peers_out(workload) : 1;
}

/* ---- layout ---------------------------------------------------------------------------------- */

static uint32_t scratch_count(const struct sim_workload *workload, const struct topology *topology)
{
    uint32_t leaf_loads = 2 * topology_leaf_count(topology);

    return workload->rank_count > leaf_loads ? workload->rank_count : leaf_loads;
}

void workload_layout_init(struct workload_layout *layout, struct arena *arena,
    const struct sim_workload *workload, const struct workload_place *place)
{
    const struct workload_kind *kind = workload_kind_of(workload);
    bool is_drawn = workload->placement == SIM_RANDOM;
    uint32_t nic_count = workload->job ? workload->job->nic_count : place->topology->nic_count;
    uint64_t seed = own_seed(workload, place->seed);

    *layout = (struct workload_layout){ .workload = workload };
    layout->nic_of_rank = arena_take(
        arena, is_drawn ? nic_count : workload->rank_count, sizeof(uint32_t), alignof(uint32_t));
    layout->to_rank = arena_take(arena, kind->choose_targets ? workload->rank_count : 0,
        sizeof(uint32_t), alignof(uint32_t));
    layout->scratch = arena_take(
        arena, scratch_count(workload, place->topology), sizeof(uint32_t), alignof(uint32_t));
    if (kind->take_scripts)
        kind->take_scripts(layout, arena);
    if (layout->nic_of_rank == NULL)
        return;
    workload_place(layout, nic_count, seed);
    for (uint32_t rank = 0; place->nics && rank < workload->rank_count; rank++)
        layout->nic_of_rank[rank] = place->nics[layout->nic_of_rank[rank]];
    if (kind->choose_targets)
        kind->choose_targets(layout, place->topology, seed);
}

uint32_t workload_flow_count(const struct sim_workload *workload)
{
    return workload_pattern_of(workload)->flow_count(workload);
}

uint32_t workload_flows_at_once(const struct sim_workload *workload)
{
    const struct workload_kind *kind = workload_kind_of(workload);

    return kind->flows_at_once ? kind->flows_at_once(workload) : workload_flow_count(workload);
}

struct workload_flow workload_flow_at(const struct workload_layout *layout, uint32_t index)
{
    return workload_pattern_of(layout->workload)->flow_at(layout, index);
}

uint32_t workload_outstanding_max(const struct sim_workload *workload)
{
    return workload_pattern_of(workload)->outstanding_max(workload);
}

uint64_t workload_largest_bytes(const struct sim_workload *workload)
{
    const struct workload_kind *pattern = workload_pattern_of(workload);
    uint64_t count = 1;

    if (pattern->largest_bytes)
        return pattern->largest_bytes(workload);
    if (pattern->largest_count)
        count = pattern->largest_count(workload);
    else if (pattern->part_count)
        count = pattern->part_count(workload);
    return (workload->message_bytes + count - 1) / count;
}

uint32_t workload_flow_messages(const struct sim_workload *workload)
{
    if (workload->schedule)
        return workload->schedule->pair_messages;
    return sim_workload_is(workload->kind, SIM_STEADY) ? workload->iterations : 0;
}

/* ---- a rank ---------------------------------------------------------------------------------- */

uint32_t workload_lane_count(const struct sim_workload *workload)
{
    const struct workload_kind *pattern = workload_pattern_of(workload);

    return pattern->lane_count ? pattern->lane_count(workload) : 0;
}

void workload_rank_init(struct workload_rank *state, const struct workload_layout *layout,
    uint32_t rank, struct workload_lane *lanes)
{
    *state = (struct workload_rank){ .workload = layout->workload, .rank = rank, .lanes = lanes };
    if (layout->scripts)
        state->script = &layout->scripts[rank];
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

bool workload_flow_is_over(
    const struct workload_rank *rank, uint32_t flow, uint32_t acknowledged_count)
{
    const struct workload_kind *kind = workload_kind_of(rank->workload);

    return rank->is_finished ||
           (kind->message_total && kind->message_total(rank, flow) == acknowledged_count);
}

void workload_begin_collective(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    rank->posted = 0;
    rank->sent = 0;
    rank->collective_ps = now_ps;
    rank->is_communicating = true;
    workload_pattern_of(rank->workload)->begin(rank, world, now_ps);
}

static void begin_iteration(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    const struct workload_kind *kind = workload_kind_of(rank->workload);

    rank->began_ps = now_ps;
    if (kind->begin_step)
        kind->begin_step(rank, world, now_ps);
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

/* Called after a message was sent or received, or a wait: the collective may be complete. */
static void look_for_the_end(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    const struct workload_kind *kind = workload_kind_of(rank->workload);

    if (!rank->is_communicating || !workload_pattern_of(rank->workload)->is_complete(rank))
        return;
    rank->is_communicating = false;
    world->completed(world->context, rank->workload->message_bytes, rank->collective_ps, now_ps);
    if (kind->on_collective)
        kind->on_collective(rank, world, now_ps);
    else
        workload_end_iteration(rank, world, now_ps);
}

void workload_on_start(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    const struct workload_kind *pattern = workload_pattern_of(rank->workload);

    assert(!rank->is_started);
    rank->is_started = true;
    if (pattern->is_complete != NULL)
        begin_iteration(rank, world, now_ps);
    else
        pattern->begin(rank, world, now_ps);
}

void workload_on_sent(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    assert(rank->is_started);
    workload_pattern_of(rank->workload)->on_sent(rank, world, flow, now_ps);
    look_for_the_end(rank, world, now_ps);
}

void workload_on_received(struct workload_rank *rank, const struct workload_world *world,
    uint32_t flow, uint32_t tag, uint64_t now_ps)
{
    workload_pattern_of(rank->workload)->on_received(rank, world, flow, tag, now_ps);
    look_for_the_end(rank, world, now_ps);
}

void workload_on_wake(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    const struct workload_kind *kind = workload_kind_of(rank->workload);

    if (kind->on_wake)
        kind->on_wake(rank, world, now_ps);
    look_for_the_end(rank, world, now_ps);
}
