/* SPDX-License-Identifier: Apache-2.0 */
/* Rings: every rank sends to the next and receives from the previous one, step by step.
 *
 * The buffer is divided into one chunk per rank. In step s rank r sends chunk r - s (mod ranks),
 * which it received in the step before, except in the first. A reduce-scatter or an all-gather is
 * complete after ranks - 1 steps, an all-reduce after twice as many. A chunk is divided into
 * `outstanding` slices for each QP. A slice is forwarded as soon as it has been received and
 * reduced, so that the ring is busy while slices travel. Each QP is a separate pipeline. */
#include "sim/workload_kind.h"

/* Slices posted on a QP and not acknowledged, in excess of those of a step: enough to cover a round
 * trip with small slices, and a bound for the send queue. */
enum {
    AHEAD_MAX = 16,
};

static uint32_t steps_of(const struct sim_workload *workload)
{
    switch (sim_workload_pattern(workload)) {
    case SIM_ALL_REDUCE:
        return 2 * (workload->rank_count - 1);
    case SIM_SEND_RECV:
        return 1;
    default:
        return workload->rank_count - 1;
    }
}

static uint64_t chunk_bytes(const struct workload_rank *rank, uint32_t step)
{
    const struct sim_workload *workload = rank->workload;
    uint32_t ranks = workload->rank_count;
    uint32_t chunk = (rank->rank + ranks - step % ranks) % ranks;

    if (sim_workload_pattern(workload) == SIM_SEND_RECV)
        return workload->message_bytes;
    return workload_part_bytes(workload->message_bytes, ranks, chunk);
}

/* Returns the number of messages on one QP in one collective. */
static uint32_t lane_messages(const struct sim_workload *workload)
{
    return steps_of(workload) * workload->outstanding;
}

/* Returns the number of messages before this collective. Counts may wrap; only differences
 * matter. */
static uint32_t lane_base(const struct workload_rank *rank)
{
    return rank->iteration * lane_messages(rank->workload);
}

static bool may_post(const struct workload_rank *rank, const struct workload_lane *lane)
{
    uint32_t slices = rank->workload->outstanding;
    uint32_t base = lane_base(rank);
    uint32_t next = lane->posted - base;

    if (next == lane_messages(rank->workload) || lane->posted - lane->sent >= slices + AHEAD_MAX)
        return false;
    return next < slices || next - slices < lane->arrived - base;
}

static void post_ready(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    const struct sim_workload *workload = rank->workload;
    struct workload_lane *lane = &rank->lanes[flow];
    uint32_t slices = workload->outstanding;

    while (may_post(rank, lane)) {
        uint32_t number = lane->posted - lane_base(rank);
        uint64_t bytes = chunk_bytes(rank, number / slices);

        lane->posted++;
        world->send(world->context, flow,
            workload_part_bytes(bytes, workload->qps * slices, flow * slices + number % slices), 0,
            now_ps);
    }
}

static void begin_collective(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    for (uint32_t flow = 0; flow < rank->workload->qps; flow++)
        post_ready(rank, world, flow, now_ps);
}

static void on_sent(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    rank->lanes[flow].sent++;
    post_ready(rank, world, flow, now_ps);
}

static void on_received(struct workload_rank *rank, const struct workload_world *world,
    uint32_t flow, uint32_t tag, uint64_t now_ps)
{
    (void)tag;
    rank->lanes[flow].arrived++;
    if (rank->is_communicating)
        post_ready(rank, world, flow, now_ps);
}

static bool is_complete(const struct workload_rank *rank)
{
    uint32_t messages = lane_messages(rank->workload);
    uint32_t base = lane_base(rank);

    for (uint32_t flow = 0; flow < rank->workload->qps; flow++) {
        const struct workload_lane *lane = &rank->lanes[flow];

        if (lane->sent - base < messages || lane->arrived - base < messages)
            return false;
    }
    return true;
}

static uint32_t flow_count(const struct sim_workload *workload)
{
    return workload->rank_count * workload->qps;
}

static struct workload_flow flow_at(const struct workload_layout *layout, uint32_t index)
{
    uint32_t from = index / layout->workload->qps;

    return (struct workload_flow){
        .from_rank = from, .to_rank = (from + 1) % layout->workload->rank_count, .tells = true
    };
}

static uint32_t outstanding_max(const struct sim_workload *workload)
{
    uint32_t all = lane_messages(workload);
    uint32_t most = workload->outstanding + AHEAD_MAX;

    return all < most ? all : most;
}

/* Slices of each chunk on each QP. */
static uint64_t slice_count(const struct sim_workload *workload)
{
    return (uint64_t)workload->qps * workload->outstanding;
}

static uint64_t part_count(const struct sim_workload *workload)
{
    return slice_count(workload) * workload->rank_count;
}

/* In each step the ranks together send every chunk once. */
static uint64_t chunks_bytes(const struct sim_workload *workload)
{
    return steps_of(workload) * workload->message_bytes;
}

static uint64_t buffers_bytes(const struct sim_workload *workload)
{
    return workload->rank_count * workload->message_bytes;
}

static uint32_t lane_count(const struct sim_workload *workload)
{
    return workload->qps;
}

#define RING                                                                                       \
    .flow_count = flow_count, .flow_at = flow_at, .outstanding_max = outstanding_max,              \
    .lane_count = lane_count, .begin = begin_collective, .on_sent = on_sent,                       \
    .on_received = on_received, .is_complete = is_complete
#define RING_OF_CHUNKS                                                                             \
    RING, .traits = SIM_COLLECTIVE | SIM_DIVIDED, .part_count = part_count,                        \
          .collective_bytes = chunks_bytes

const struct workload_kind workload_all_reduce = { RING_OF_CHUNKS };
const struct workload_kind workload_reduce_scatter = { RING_OF_CHUNKS };
const struct workload_kind workload_all_gather = { RING_OF_CHUNKS };
const struct workload_kind workload_send_recv = {
    RING,
    .traits = SIM_COLLECTIVE,
    .part_count = slice_count,
    .collective_bytes = buffers_bytes,
};
