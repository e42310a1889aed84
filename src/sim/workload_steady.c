/* SPDX-License-Identifier: Apache-2.0 */
/* Messages back to back, for workloads in which ranks do not wait for each other.
 *
 * The first messages use the QPs of a pair in turn. Afterwards the QP that has finished a message
 * gets the next one, so that a slow QP does not delay the rest. */
#include "sim/workload_kind.h"

void workload_finish(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    rank->is_finished = true;
    world->finished(world->context, now_ps);
}

void workload_post(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    if (rank->workload->iterations > 0 && rank->posted == rank->workload->iterations)
        return;
    rank->posted++;
    world->send(world->context, flow, rank->workload->message_bytes, 0, now_ps);
}

uint32_t workload_steady_outstanding(const struct sim_workload *workload)
{
    return workload->outstanding;
}

void workload_steady_begin(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    const struct workload_kind *kind = workload_kind_of(rank->workload);

    rank->began_ps = now_ps;
    if (kind->writes && !kind->writes(rank)) {
        workload_finish(rank, world, now_ps);
        return;
    }
    for (uint32_t round = 0; round < rank->workload->outstanding; round++)
        for (uint32_t flow = 0; flow < rank->workload->qps; flow++)
            workload_post(rank, world, flow, now_ps);
}

void workload_steady_on_sent(
    struct workload_rank *rank, const struct workload_world *world, uint32_t flow, uint64_t now_ps)
{
    rank->sent++;
    rank->iteration = rank->sent;
    if (rank->sent == rank->workload->iterations)
        workload_finish(rank, world, now_ps);
    else
        workload_post(rank, world, flow, now_ps);
}

/* Not called: these flows have no immediates. */
void workload_steady_on_received(struct workload_rank *rank, const struct workload_world *world,
    uint32_t flow, uint32_t tag, uint64_t now_ps)
{
    (void)rank;
    (void)world;
    (void)flow;
    (void)tag;
    (void)now_ps;
}
