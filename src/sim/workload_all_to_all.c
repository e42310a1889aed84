/* SPDX-License-Identifier: Apache-2.0 */
/* All-to-all: every rank has a part of its buffer for every other rank, and sends all parts at
 * once, beginning with that of the next rank.
 *
 * The tag is the iteration. No rank begins iteration k + 1 before it has all parts of k, so a rank
 * in iteration k can receive only parts of k and k + 1: two counters are enough. */
#include <assert.h>

#include "sim/workload_kind.h"

static uint32_t peers_out(const struct sim_workload *workload)
{
    return workload->rank_count - 1;
}

static uint32_t messages_each(const struct sim_workload *workload)
{
    return peers_out(workload) * workload->qps;
}

static void begin_collective(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    const struct sim_workload *workload = rank->workload;

    for (uint32_t flow = 0; flow < messages_each(workload); flow++) {
        uint32_t to = (rank->rank + 1 + flow / workload->qps) % workload->rank_count;
        uint64_t bytes = workload_part_bytes(workload->message_bytes, workload->rank_count, to);

        rank->posted++;
        world->send(world->context, flow,
            workload_part_bytes(bytes, workload->qps, flow % workload->qps), rank->iteration,
            now_ps);
    }
}

static void on_sent(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    (void)world;
    (void)flow;
    (void)now_ps;
    rank->sent++;
}

static void on_received(struct workload_rank *rank, const struct workload_world *world,
    uint32_t flow, uint32_t tag, uint64_t now_ps)
{
    (void)world;
    (void)flow;
    (void)now_ps;
    assert(tag - rank->iteration <= 1);
    rank->lanes[tag % 2].arrived++;
}

/* Arrivals are counted over all iterations of the same parity. */
static bool is_complete(const struct workload_rank *rank)
{
    uint32_t expected = (rank->iteration / 2 + 1) * messages_each(rank->workload);

    return rank->sent == messages_each(rank->workload) &&
           rank->lanes[rank->iteration % 2].arrived == expected;
}

static uint32_t flow_count(const struct sim_workload *workload)
{
    return workload->rank_count * messages_each(workload);
}

static struct workload_flow flow_at(const struct workload_layout *layout, uint32_t index)
{
    const struct sim_workload *workload = layout->workload;
    uint32_t from = index / messages_each(workload);
    uint32_t ahead = index % messages_each(workload) / workload->qps + 1;

    return (struct workload_flow){
        .from_rank = from, .to_rank = (from + ahead) % workload->rank_count, .tells = true
    };
}

static uint32_t outstanding_max(const struct sim_workload *workload)
{
    (void)workload;
    return 1;
}

static uint64_t part_count(const struct sim_workload *workload)
{
    return (uint64_t)workload->qps * workload->rank_count;
}

/* A rank keeps the part that is its own. */
static uint64_t collective_bytes(const struct sim_workload *workload)
{
    return (workload->rank_count - 1) * workload->message_bytes;
}

static uint32_t lane_count(const struct sim_workload *workload)
{
    enum { EVEN_AND_ODD = 2 };

    (void)workload;
    return EVEN_AND_ODD;
}

const struct workload_kind workload_all_to_all = {
    .traits = SIM_COLLECTIVE | SIM_DIVIDED,
    .peers_out = peers_out,
    .flow_count = flow_count,
    .flow_at = flow_at,
    .part_count = part_count,
    .outstanding_max = outstanding_max,
    .lane_count = lane_count,
    .begin = begin_collective,
    .on_sent = on_sent,
    .on_received = on_received,
    .is_complete = is_complete,
    .collective_bytes = collective_bytes,
};
