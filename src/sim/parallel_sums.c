/* SPDX-License-Identifier: Apache-2.0 */
/* What all axes of a divided model need together. */
#include "sim/parallel.h"

uint32_t parallel_peers_out(const struct sim_workload *workload)
{
    uint32_t peers = parallel_group_count(workload, PARALLEL_FORWARD) > 0 ? 2 : 0;

    for (enum parallel_axis axis = PARALLEL_EXPERT; axis <= PARALLEL_DATA; axis++) {
        struct sim_workload part = parallel_part(workload, axis, 0);

        if (parallel_group_count(workload, axis) > 0)
            peers += sim_workload_peers(&part);
    }
    return peers;
}

uint32_t parallel_lane_count(const struct sim_workload *workload)
{
    return parallel_first_lane(workload, PARALLEL_AXIS_COUNT);
}

uint32_t parallel_outstanding_max(const struct sim_workload *workload)
{
    struct sim_workload part = parallel_part(workload, PARALLEL_DATA, 0);
    uint32_t most = parallel_shape_of(workload).micro_batches;
    uint32_t of_data = part.rank_count > 1 ? workload_outstanding_max(&part) : 1;

    return most > of_data ? most : of_data;
}

uint64_t parallel_part_count(const struct sim_workload *workload)
{
    struct sim_workload part = parallel_part(workload, PARALLEL_DATA, 0);
    const struct workload_kind *kind = workload_kind_of(&part);

    return part.rank_count > 1 && kind->part_count ? kind->part_count(&part) : 1;
}

uint64_t parallel_largest_bytes(const struct sim_workload *workload)
{
    uint64_t most = workload->activation_bytes / workload->qps + 1;

    for (uint32_t exchange = 0; exchange < 3; exchange++) {
        enum parallel_axis axis = exchange < 2 ? PARALLEL_EXPERT : PARALLEL_DATA;
        struct sim_workload part = parallel_part(workload, axis, exchange);
        uint64_t bytes =
            parallel_group_count(workload, axis) > 0 ? workload_largest_bytes(&part) : 0;

        most = most > bytes ? most : bytes;
    }
    return most;
}

/* Returns the bytes that all groups of an axis send in one exchange or reduction. */
static uint64_t axis_bytes(
    const struct sim_workload *workload, enum parallel_axis axis, uint32_t exchange)
{
    struct sim_workload part = parallel_part(workload, axis, exchange);
    uint64_t groups = parallel_group_count(workload, axis);

    if (groups == 0)
        return 0;
    return groups * (axis <= PARALLEL_BACKWARD ? workload->activation_bytes
                                               : workload_kind_of(&part)->collective_bytes(&part));
}

uint64_t parallel_step_bytes(const struct sim_workload *workload)
{
    uint64_t passes = parallel_pass_count(workload);

    return passes * axis_bytes(workload, PARALLEL_FORWARD, 0) +
           passes * workload->exchanges *
               (axis_bytes(workload, PARALLEL_EXPERT, 0) +
                   axis_bytes(workload, PARALLEL_EXPERT, 1)) +
           axis_bytes(workload, PARALLEL_DATA, 0);
}

/* The stages wait for the first and the last micro-batch. */
uint64_t parallel_compute_ps(const struct sim_workload *workload)
{
    struct parallel_shape shape = parallel_shape_of(workload);

    return 3 * parallel_forward_ps(workload) * (shape.micro_batches + shape.stages - 1);
}

uint64_t parallel_step_ps(const struct sim_workload *workload, uint64_t network_ps)
{
    return parallel_compute_ps(workload) + network_ps;
}
