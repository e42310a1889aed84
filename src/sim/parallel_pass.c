/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the passes of micro-batches, and their times. */
#include "sim/parallel.h"

/* The first stage begins with a forward pass for each stage after it, then both alternate. */
struct parallel_pass parallel_pass_of(const struct workload_rank *rank)
{
    struct parallel_shape shape = parallel_shape_of(rank->workload);
    uint32_t after = shape.stages - 1 - parallel_stage(rank->workload, rank->rank);
    uint32_t first = after < shape.micro_batches ? after : shape.micro_batches;
    uint32_t both = shape.micro_batches - first;
    uint32_t number = rank->pass - first;

    if (rank->pass < first)
        return (struct parallel_pass){ .micro_batch = rank->pass };
    if (number < 2 * both)
        return (struct parallel_pass){ .is_backward = number % 2 == 1,
            .micro_batch = number % 2 ? number / 2 : first + number / 2 };
    return (struct parallel_pass){ .is_backward = true, .micro_batch = number - both };
}

uint32_t parallel_pass_count(const struct sim_workload *workload)
{
    return 2 * parallel_shape_of(workload).micro_batches;
}

uint32_t parallel_segment_count(const struct sim_workload *workload)
{
    return workload->exchanges > 0 ? 2 * workload->exchanges : 1;
}

uint64_t parallel_forward_ps(const struct sim_workload *workload)
{
    return workload->compute_ps / (3 * (uint64_t)parallel_shape_of(workload).micro_batches);
}

/* Inside a node, ranks exchange a share of the data with each other. */
static uint64_t local_ps(const struct sim_workload *workload, uint64_t bytes, uint32_t ranks)
{
    return workload->local_bps > 0 && ranks > 1
               ? workload_time_ps(8 * (bytes / ranks) * (ranks - 1), workload->local_bps)
               : 0;
}

/* Returns the time of a segment without the network. */
uint64_t parallel_segment_ps(const struct workload_rank *rank)
{
    const struct sim_workload *workload = rank->workload;
    struct parallel_shape shape = parallel_shape_of(workload);
    uint32_t segments = parallel_segment_count(workload);
    uint64_t once_ps = parallel_forward_ps(workload) * (parallel_pass_of(rank).is_backward ? 2 : 1);
    uint64_t tokens = rank->segment % 2 ? workload->combine_bytes : workload->dispatch_bytes;
    uint32_t in_node = shape.expert < shape.in_node ? shape.expert : shape.in_node;

    return (once_ps + local_ps(workload, workload->tensor_bytes, shape.tensor)) / segments +
           (workload->exchanges > 0 ? local_ps(workload, tokens, in_node) : 0);
}
