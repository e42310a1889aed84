/* SPDX-License-Identifier: Apache-2.0 */
/* All-reduce over two binary trees. Each tree reduces one half of the buffer upward to its root and
 * sends the sum down again, chunk by chunk, so that both directions of all edges are busy.
 *
 * In a tree, position p has the children 2p + 1 and 2p + 2. In the first tree rank r has position
 * r, in the second ranks - 1 - r. The inner positions are the first half, so a rank that is inner
 * in one tree is a leaf in the other, and every rank sends about twice its buffer, as in a ring.
 *
 * The edges of a rank have slots: the edge up, then those down, of the first tree and then of the
 * second. An edge has a flow in each direction for each QP, which the QPs carry the chunks of in
 * turn. A slot is thus the number of a flow out and of a flow in, and has one lane for each QP. */
#include "sim/workload_kind.h"

enum {
    TREES = 2,
    CHUNKS_USUAL = 32,
    AHEAD_MAX = 16, /* chunks posted on a QP and not acknowledged, in excess of `outstanding` */
};

/* The edges of a rank in one tree. */
struct branch {
    uint32_t tree;
    uint32_t first_slot;
    uint32_t up_count; /* 0: the rank is the root */
    uint32_t down_count;
};

static uint32_t chunks_of(const struct sim_workload *workload)
{
    return workload->chunks ? workload->chunks : CHUNKS_USUAL;
}

/* Returns the position of a rank or the rank of a position. */
static uint32_t mirrored(const struct sim_workload *workload, uint32_t tree, uint32_t rank)
{
    return tree == 0 ? rank : workload->rank_count - 1 - rank;
}

static struct branch branch_of(const struct workload_rank *rank, uint32_t tree)
{
    const struct sim_workload *workload = rank->workload;
    struct branch branch = { .tree = tree };

    for (uint32_t i = 0; i <= tree; i++) {
        uint64_t at = mirrored(workload, i, rank->rank);

        branch.first_slot += branch.up_count + branch.down_count;
        branch.up_count = at > 0;
        branch.down_count =
            2 * at + 2 < workload->rank_count ? 2 : 2 * at + 1 < workload->rank_count;
    }
    return branch;
}

static uint32_t slots_end(struct branch branch)
{
    return branch.first_slot + branch.up_count + branch.down_count;
}

/* Returns the number of messages on a QP in one direction of an edge in one collective. */
static uint32_t lane_messages(const struct sim_workload *workload, uint32_t qp)
{
    return (uint32_t)workload_part_bytes(chunks_of(workload), workload->qps, qp);
}

/* A chunk goes up, and at the root down, when all children have sent theirs. It goes further down
 * when it has come from above. */
static bool has_come(
    const struct workload_rank *rank, struct branch branch, uint32_t slot, uint32_t qp)
{
    uint32_t qps = rank->workload->qps;
    uint32_t base = rank->iteration * lane_messages(rank->workload, qp);
    uint32_t next = rank->lanes[slot * qps + qp].posted - base;
    bool is_below = branch.up_count > 0 && slot > branch.first_slot;
    uint32_t first = is_below ? branch.first_slot : branch.first_slot + branch.up_count;
    uint32_t end = is_below ? branch.first_slot + 1 : slots_end(branch);

    for (uint32_t from = first; from < end; from++)
        if (rank->lanes[from * qps + qp].arrived - base <= next)
            return false;
    return true;
}

static bool may_post(
    const struct workload_rank *rank, struct branch branch, uint32_t slot, uint32_t qp)
{
    const struct sim_workload *workload = rank->workload;
    const struct workload_lane *lane = &rank->lanes[slot * workload->qps + qp];
    uint32_t messages = lane_messages(workload, qp);

    return lane->posted - rank->iteration * messages < messages &&
           lane->posted - lane->sent < workload->outstanding + AHEAD_MAX &&
           has_come(rank, branch, slot, qp);
}

static void post_chunk(struct workload_rank *rank, const struct workload_world *world,
    struct branch branch, uint32_t flow, uint64_t now_ps)
{
    const struct sim_workload *workload = rank->workload;
    uint32_t qp = flow % workload->qps;
    uint32_t base = rank->iteration * lane_messages(workload, qp);
    uint32_t chunk = (rank->lanes[flow].posted++ - base) * workload->qps + qp;
    uint64_t half_bytes = workload_part_bytes(workload->message_bytes, TREES, branch.tree);

    world->send(world->context, flow, workload_part_bytes(half_bytes, chunks_of(workload), chunk),
        0, now_ps);
}

/* A chunk that came may be passed on over several edges, on the same QP. */
static void post_ready(struct workload_rank *rank, const struct workload_world *world,
    struct branch branch, uint32_t qp, uint64_t now_ps)
{
    for (uint32_t slot = branch.first_slot; slot < slots_end(branch); slot++)
        while (may_post(rank, branch, slot, qp))
            post_chunk(rank, world, branch, slot * rank->workload->qps + qp, now_ps);
}

static struct branch branch_with(const struct workload_rank *rank, uint32_t flow)
{
    struct branch first = branch_of(rank, 0);

    return flow / rank->workload->qps < slots_end(first) ? first : branch_of(rank, 1);
}

static void begin_collective(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    for (uint32_t tree = 0; tree < TREES; tree++)
        for (uint32_t qp = 0; qp < rank->workload->qps; qp++)
            post_ready(rank, world, branch_of(rank, tree), qp, now_ps);
}

static void on_sent(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    rank->lanes[flow].sent++;
    post_ready(rank, world, branch_with(rank, flow), flow % rank->workload->qps, now_ps);
}

static void on_received(struct workload_rank *rank, const struct workload_world *world,
    uint32_t flow, uint32_t tag, uint64_t now_ps)
{
    (void)tag;
    rank->lanes[flow].arrived++;
    if (rank->is_communicating)
        post_ready(rank, world, branch_with(rank, flow), flow % rank->workload->qps, now_ps);
}

static bool is_complete(const struct workload_rank *rank)
{
    uint32_t qps = rank->workload->qps;
    uint32_t end = slots_end(branch_of(rank, TREES - 1)) * qps;

    for (uint32_t flow = 0; flow < end; flow++) {
        uint32_t messages = lane_messages(rank->workload, flow % qps);
        uint32_t base = rank->iteration * messages;

        if (rank->lanes[flow].sent - base < messages || rank->lanes[flow].arrived - base < messages)
            return false;
    }
    return true;
}

static uint32_t flow_count(const struct sim_workload *workload)
{
    return TREES * (workload->rank_count - 1) * 2 * workload->qps;
}

/* Edges are numbered by tree and by the position of the lower end. */
static struct workload_flow flow_at(const struct workload_layout *layout, uint32_t index)
{
    const struct sim_workload *workload = layout->workload;
    uint32_t edge = index / workload->qps / 2;
    uint32_t tree = edge / (workload->rank_count - 1);
    uint32_t lower = edge % (workload->rank_count - 1) + 1;
    uint32_t child = mirrored(workload, tree, lower);
    uint32_t parent = mirrored(workload, tree, (lower - 1) / 2);
    bool goes_up = index / workload->qps % 2 == 0;

    return (struct workload_flow){
        .from_rank = goes_up ? child : parent, .to_rank = goes_up ? parent : child, .tells = true
    };
}

/* Returns the most edges of a rank: inner in one tree, a leaf in the other. */
static uint32_t peers_out(const struct sim_workload *workload)
{
    return workload->rank_count > 4 ? 4 : workload->rank_count > 2 ? 3 : 2;
}

static uint32_t lane_count(const struct sim_workload *workload)
{
    return peers_out(workload) * workload->qps;
}

static uint32_t outstanding_max(const struct sim_workload *workload)
{
    uint32_t all = lane_messages(workload, 0);
    uint32_t most = workload->outstanding + AHEAD_MAX;

    return all < most ? all : most;
}

static uint64_t part_count(const struct sim_workload *workload)
{
    return (uint64_t)TREES * chunks_of(workload);
}

/* Every edge carries half of the buffer in each direction. */
static uint64_t collective_bytes(const struct sim_workload *workload)
{
    return UINT64_C(2) * (workload->rank_count - 1) * workload->message_bytes;
}

const struct workload_kind workload_tree_all_reduce = {
    .traits = SIM_COLLECTIVE,
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
