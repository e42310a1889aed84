/* SPDX-License-Identifier: Apache-2.0 */
/* The axes of a model that is divided among ranks.
 *
 * Rank r has tensor place r % tensor, then a data place, then a stage of the pipeline, which
 * changes slowest. The ranks of a tensor group are in one node; their exchanges take the time of
 * `local_rate`. Stages are neighbours of a pipeline. Experts are spread over `expert` consecutive
 * data places. With `local_rate`, ranks exchange tokens with the ranks at their own place in other
 * nodes, and inside the node at that rate. Gradients are reduced over all data places. */
#pragma once

#include "sim/workload_kind.h"

/* Flows and lanes of a rank come in this order. */
enum parallel_axis {
    PARALLEL_FORWARD, /* activations to the next stage */
    PARALLEL_BACKWARD,
    PARALLEL_EXPERT,
    PARALLEL_DATA,
    PARALLEL_AXIS_COUNT,
};

struct parallel_shape {
    uint32_t tensor;
    uint32_t stages;
    uint32_t data;
    uint32_t expert;  /* data places */
    uint32_t nodes;   /* ranks that exchange tokens over the network; 1: none */
    uint32_t in_node; /* data places of a node, if it has a rate of its own; else 1 */
    uint32_t micro_batches;
};

struct parallel_shape parallel_shape_of(const struct sim_workload *);
bool parallel_check(const struct sim_workload *, struct problem *);

uint32_t parallel_stage(const struct sim_workload *, uint32_t rank);

/* Returns the all-to-all or the collective of one group, as a workload of its own. Exchanges are
 * counted from 0; odd ones combine what even ones dispatched. */
struct sim_workload parallel_part(
    const struct sim_workload *, enum parallel_axis, uint32_t exchange);
/* Returns the place of a rank in its group. */
uint32_t parallel_place(const struct sim_workload *, enum parallel_axis, uint32_t rank);
/* Returns the number of groups, or for stages the number of pairs. */
uint32_t parallel_group_count(const struct sim_workload *, enum parallel_axis);

/* Returns whether the rank has flows out (or in) on this axis. */
bool parallel_has_flows(
    const struct sim_workload *, enum parallel_axis, uint32_t rank, bool is_out);

uint32_t parallel_flow_count(const struct sim_workload *);
struct workload_flow parallel_flow_at(const struct workload_layout *, uint32_t index);

uint32_t parallel_first_lane(const struct sim_workload *, enum parallel_axis);

/* ---- parallel_pass.c: the passes of a rank in a step, in their order ---------------------------
 */

struct parallel_pass {
    bool is_backward;
    uint32_t micro_batch;
};

struct parallel_pass parallel_pass_of(const struct workload_rank *);
uint32_t parallel_pass_count(const struct sim_workload *);
uint32_t parallel_segment_count(const struct sim_workload *);
/* Returns the time in which a forward pass computes. */
uint64_t parallel_forward_ps(const struct sim_workload *);
/* Returns the time of a segment of the pass without the network. */
uint64_t parallel_segment_ps(const struct workload_rank *);

/* ---- parallel_sums.c: members of the kind ------------------------------------------------------
 */

uint32_t parallel_peers_out(const struct sim_workload *);
uint32_t parallel_lane_count(const struct sim_workload *);
uint32_t parallel_outstanding_max(const struct sim_workload *);
uint64_t parallel_part_count(const struct sim_workload *);
uint64_t parallel_largest_bytes(const struct sim_workload *);
uint64_t parallel_step_bytes(const struct sim_workload *);
uint64_t parallel_compute_ps(const struct sim_workload *);
uint64_t parallel_step_ps(const struct sim_workload *, uint64_t network_ps);
