/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up ranks on NICs, and flows between ranks. */
#include <assert.h>
#include <stdalign.h>

#include "sim/account.h"
#include "sim/job_place.h"
#include "sim/plane_check.h"
#include "sim/protocol.h"
#include "sim/setup.h"
#include "sim/work.h"

#define REQUEST_BYTES_MAX (UINT64_C(1) << 31)

static uint32_t depth_of(const struct sim_workload *workload)
{
    uint32_t depth = workload_outstanding_max(workload);

    return depth > 0 ? depth : 1;
}

uint32_t setup_queue_depth(const struct sim_workload *workload)
{
    uint64_t bytes = workload_largest_bytes(workload);
    uint64_t requests = (bytes + REQUEST_BYTES_MAX - 1) / REQUEST_BYTES_MAX;

    return depth_of(workload) * (uint32_t)(requests > 0 ? requests : 1);
}

static void take_memory(struct sim *sim, struct arena *arena)
{
    uint32_t workload_count = sim->config.workload_count;
    const uint32_t *job_nics = job_place_all(arena, &sim->config);
    size_t lane_count = 0;

    sim->layouts = arena_take(arena, workload_count, sizeof(*sim->layouts), 8);
    sim->ranks_left = arena_take(arena, workload_count, sizeof(*sim->ranks_left), 4);
    sim->finished_ps = arena_take(arena, workload_count, sizeof(*sim->finished_ps), 8);
    for (uint32_t i = 0; i < workload_count; i++) {
        const struct sim_workload *workload = &sim->config.workloads[i];
        struct workload_place place = { .topology = sim->topology, .seed = sim->config.seed };
        struct workload_layout measured;

        if (workload->job && job_nics)
            place.nics = job_place_of(job_nics, &sim->config, workload->job);
        workload_layout_init(arena->memory ? &sim->layouts[i] : &measured, arena, workload, &place);
        sim->rank_count += sim->config.workloads[i].rank_count;
        lane_count += (size_t)workload_lane_count(&sim->config.workloads[i]) *
                      sim->config.workloads[i].rank_count;
        sim->flow_count += workload_flow_count(&sim->config.workloads[i]);
    }
    sim->ranks = arena_take(arena, sim->rank_count, sizeof(*sim->ranks), 64);
    sim->lanes = arena_take(arena, lane_count, sizeof(*sim->lanes), alignof(struct workload_lane));
    sim->flows = arena_take(arena, sim->flow_count, sizeof(*sim->flows), 64);
    sim->flow_ends = arena_take(arena, sim->flow_count, sizeof(*sim->flow_ends), 64);
    sim->flow_out = arena_take(arena, sim->flow_count, sizeof(uint32_t), 64);
    sim->flow_in = arena_take(arena, sim->flow_count, sizeof(uint32_t), 64);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static void init_ranks(struct sim *sim)
{
    struct engine_rank *rank = sim->ranks;
    struct workload_lane *lanes = sim->lanes;

    for (uint32_t i = 0; i < sim->nic_count; i++) {
        sim->nics[i].first_rank = ENGINE_NONE;
        sim->nics[i].work_ps = SIM_NEVER_PS;
        sim->nics[i].closing_ps = SIM_NEVER_PS;
        sim->nics[i].first_ended = ENGINE_NONE;
    }
    for (uint32_t w = 0; w < sim->config.workload_count; w++) {
        const struct sim_workload *workload = &sim->config.workloads[w];

        sim->ranks_left[w] = workload->rank_count;
        for (uint32_t r = 0; r < workload->rank_count; r++, rank++) {
            struct engine_nic *nic = &sim->nics[sim->layouts[w].nic_of_rank[r]];

            workload_rank_init(&rank->state, &sim->layouts[w], r, lanes);
            lanes += workload_lane_count(workload);
            rank->workload = w;
            rank->nic = sim->layouts[w].nic_of_rank[r];
            rank->wake_ps = workload_start_ps(workload, r, sim->config.seed);
            rank->next_on_nic = nic->first_rank;
            nic->first_rank = (uint32_t)(rank - sim->ranks);
            if (rank->wake_ps < nic->work_ps)
                nic->work_ps = rank->wake_ps;
        }
    }
    sim->workloads_left = sim->config.workload_count;
}

/* ---- flows ----------------------------------------------------------------------------------- */

static void init_flow(struct sim *sim, struct engine_flow *flow, uint32_t workload,
    uint32_t first_rank, uint32_t index)
{
    struct workload_flow plan = workload_flow_at(&sim->layouts[workload], index);

    flow->workload = workload;
    flow->from = first_rank + plan.from_rank;
    flow->to = first_rank + plan.to_rank;
    flow->tells = plan.tells;
    flow->depth = depth_of(&sim->config.workloads[workload]);
    flow->number_out = sim->ranks[flow->from].first_out++;
    flow->number_in = sim->ranks[flow->to].first_in++;
    flow->qpn_out = ENGINE_FIRST_QPN + sim->nics[sim->ranks[flow->from].nic].qp_count++;
    flow->qpn_in = ENGINE_FIRST_QPN + sim->nics[sim->ranks[flow->to].nic].qp_count++;
}

/* first_out and first_in have counted flows so far; from here on they are positions in the
 * lists. */
static void number_flows(struct sim *sim)
{
    uint32_t out = 0;
    uint32_t in = 0;

    for (uint32_t i = 0; i < sim->rank_count; i++) {
        uint32_t count_out = sim->ranks[i].first_out;
        uint32_t count_in = sim->ranks[i].first_in;

        sim->ranks[i].first_out = out;
        sim->ranks[i].first_in = in;
        out += count_out;
        in += count_in;
    }
}

static void list_flow(struct sim *sim, uint32_t index)
{
    const struct engine_flow *flow = &sim->flows[index];
    const struct engine_rank *from = &sim->ranks[flow->from];
    const struct engine_rank *to = &sim->ranks[flow->to];

    sim->flow_out[from->first_out + flow->number_out] = index;
    sim->flow_in[to->first_in + flow->number_in] = index;
}

static void init_flows(struct sim *sim)
{
    struct engine_flow *flow = sim->flows;
    uint32_t first_rank = 0;

    for (uint32_t w = 0; w < sim->config.workload_count; w++) {
        const struct sim_workload *workload = &sim->config.workloads[w];

        for (uint32_t i = 0; i < workload_flow_count(workload); i++)
            init_flow(sim, flow++, w, first_rank, i);
        first_rank += workload->rank_count;
    }
    number_flows(sim);
    for (uint32_t i = 0; i < sim->flow_count; i++)
        list_flow(sim, i);
}

/* Returns how many ranges of a flow's bytes may have been placed after a gap. */
static uint32_t range_count(const struct sim *sim, const struct sim_workload *workload)
{
    return sim->protocol->ranges ? sim->protocol->ranges(sim, depth_of(workload))
                                 : sim->window_psns;
}

/* Takes memory for the messages of flows. */
static void take_messages(struct sim *sim, struct arena *arena)
{
    uint32_t index = 0;

    for (uint32_t w = 0; w < sim->config.workload_count; w++) {
        const struct sim_workload *workload = &sim->config.workloads[w];

        for (uint32_t i = 0; i < workload_flow_count(workload); i++, index++) {
            struct engine_message *messages =
                arena_take(arena, depth_of(workload), sizeof(*messages), 8);
            struct account *account =
                sim->config.checks ? account_init(arena, range_count(sim, workload)) : NULL;
            struct plane_check *planes = sim->config.checks ? plane_check_init(arena) : NULL;

            if (!arena->memory)
                continue;
            sim->flows[index].messages = messages;
            sim->flow_ends[index].account = account;
            sim->flows[index].planes = planes;
        }
    }
}

void setup_work(struct sim *sim, struct arena *arena)
{
    take_memory(sim, arena);
    take_messages(sim, arena);
    if (!arena->memory)
        return;
    init_ranks(sim);
    init_flows(sim);
}
