/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of ranks and their flows, axis by axis. */
#include "base/problem.h"
#include "sim/parallel.h"

static uint32_t at_least_one(uint32_t count)
{
    return count > 0 ? count : 1;
}

struct parallel_shape parallel_shape_of(const struct sim_workload *workload)
{
    struct parallel_shape shape = { .tensor = at_least_one(workload->tensor),
        .stages = at_least_one(workload->pipeline),
        .expert = at_least_one(workload->expert),
        .in_node = 1,
        .micro_batches = at_least_one(workload->micro_batches) };

    shape.data = workload->rank_count / (shape.tensor * shape.stages);
    if (workload->local_bps > 0)
        shape.in_node = at_least_one(workload->group / shape.tensor);
    shape.nodes = shape.expert > shape.in_node ? shape.expert / shape.in_node : 1;
    return shape;
}

uint32_t parallel_stage(const struct sim_workload *workload, uint32_t rank)
{
    struct parallel_shape shape = parallel_shape_of(workload);

    return rank / (shape.tensor * shape.data);
}

/* ---- parts ----------------------------------------------------------------------------------- */

struct sim_workload parallel_part(
    const struct sim_workload *workload, enum parallel_axis axis, uint32_t exchange)
{
    struct parallel_shape shape = parallel_shape_of(workload);
    struct sim_workload part = *workload;

    part.kind = axis == PARALLEL_EXPERT ? SIM_ALL_TO_ALL : workload->collective;
    part.rank_count = axis == PARALLEL_EXPERT ? shape.nodes : shape.data;
    part.group = axis == PARALLEL_EXPERT ? 0 : workload->group / shape.tensor;
    if (axis == PARALLEL_EXPERT)
        part.message_bytes = exchange % 2 ? workload->combine_bytes : workload->dispatch_bytes;
    return part;
}

uint32_t parallel_place(const struct sim_workload *workload, enum parallel_axis axis, uint32_t rank)
{
    struct parallel_shape shape = parallel_shape_of(workload);
    uint32_t data = rank / shape.tensor % shape.data;

    return axis == PARALLEL_EXPERT ? data % shape.expert / shape.in_node : data;
}

uint32_t parallel_group_count(const struct sim_workload *workload, enum parallel_axis axis)
{
    struct parallel_shape shape = parallel_shape_of(workload);

    switch (axis) {
    case PARALLEL_EXPERT:
        return shape.nodes > 1 ? workload->rank_count / shape.nodes : 0;
    case PARALLEL_DATA:
        return shape.data > 1 ? workload->rank_count / shape.data : 0;
    default:
        return workload->rank_count / shape.stages * (shape.stages - 1);
    }
}

/* Returns the rank with this place in a group of data places or experts. */
static uint32_t rank_in_group(
    const struct sim_workload *workload, enum parallel_axis axis, uint32_t group, uint32_t place)
{
    struct parallel_shape shape = parallel_shape_of(workload);
    uint32_t tensor = group % shape.tensor;
    uint32_t blocks = shape.data / shape.expert;
    uint32_t rest = group / shape.tensor;
    uint32_t in_node;

    if (axis == PARALLEL_DATA)
        return tensor + shape.tensor * (place + shape.data * rest);
    in_node = rest % shape.in_node;
    rest /= shape.in_node;
    return tensor +
           shape.tensor * (in_node + shape.in_node * place + shape.expert * (rest % blocks) +
                              shape.data * (rest / blocks));
}

bool parallel_has_flows(
    const struct sim_workload *workload, enum parallel_axis axis, uint32_t rank, bool is_out)
{
    struct parallel_shape shape = parallel_shape_of(workload);
    uint32_t stage = parallel_stage(workload, rank);

    if (axis == PARALLEL_EXPERT || axis == PARALLEL_DATA)
        return parallel_group_count(workload, axis) > 0;
    return (axis == PARALLEL_FORWARD) == is_out ? stage + 1 < shape.stages : stage > 0;
}

static uint32_t axis_lanes(const struct sim_workload *workload, enum parallel_axis axis)
{
    struct sim_workload part;

    if (axis == PARALLEL_FORWARD || axis == PARALLEL_BACKWARD)
        return workload->qps;
    if (parallel_group_count(workload, axis) == 0)
        return 0;
    part = parallel_part(workload, axis, 0);
    return workload_lane_count(&part);
}

uint32_t parallel_first_lane(const struct sim_workload *workload, enum parallel_axis axis)
{
    uint32_t lane = 0;

    for (enum parallel_axis before = 0; before < axis; before++)
        lane += axis_lanes(workload, before);
    return lane;
}

/* ---- flows ----------------------------------------------------------------------------------- */

/* Returns the number of flows of a group. */
static uint32_t group_flows(const struct sim_workload *workload, enum parallel_axis axis)
{
    struct sim_workload part;

    if (axis == PARALLEL_FORWARD || axis == PARALLEL_BACKWARD)
        return workload->qps;
    part = parallel_part(workload, axis, 0);
    return workload_flow_count(&part);
}

uint32_t parallel_flow_count(const struct sim_workload *workload)
{
    uint32_t count = 0;

    for (enum parallel_axis axis = 0; axis < PARALLEL_AXIS_COUNT; axis++)
        if (parallel_group_count(workload, axis) > 0)
            count += parallel_group_count(workload, axis) * group_flows(workload, axis);
    return count;
}

static struct workload_flow stage_flow(
    const struct sim_workload *workload, enum parallel_axis axis, uint32_t index)
{
    struct parallel_shape shape = parallel_shape_of(workload);
    uint32_t lower = index / workload->qps;
    uint32_t upper = lower + shape.tensor * shape.data;
    bool is_forward = axis == PARALLEL_FORWARD;

    return (struct workload_flow){ .from_rank = is_forward ? lower : upper,
        .to_rank = is_forward ? upper : lower,
        .tells = true };
}

static struct workload_flow group_flow(
    const struct sim_workload *workload, enum parallel_axis axis, uint32_t index)
{
    struct sim_workload part = parallel_part(workload, axis, 0);
    struct workload_layout layout = { .workload = &part };
    uint32_t each = workload_flow_count(&part);
    struct workload_flow flow = workload_flow_at(&layout, index % each);

    flow.from_rank = rank_in_group(workload, axis, index / each, flow.from_rank);
    flow.to_rank = rank_in_group(workload, axis, index / each, flow.to_rank);
    return flow;
}

struct workload_flow parallel_flow_at(const struct workload_layout *layout, uint32_t index)
{
    const struct sim_workload *workload = layout->workload;

    for (enum parallel_axis axis = 0; axis < PARALLEL_DATA; axis++) {
        uint32_t groups = parallel_group_count(workload, axis);
        uint32_t count = groups > 0 ? groups * group_flows(workload, axis) : 0;

        if (index < count)
            return axis <= PARALLEL_BACKWARD ? stage_flow(workload, axis, index)
                                             : group_flow(workload, axis, index);
        index -= count;
    }
    return group_flow(workload, PARALLEL_DATA, index);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool check_axes(const struct sim_workload *workload, struct problem *problem)
{
    struct parallel_shape shape = parallel_shape_of(workload);
    uint64_t model = (uint64_t)shape.tensor * shape.stages;

    if (model > workload->rank_count || workload->rank_count % model)
        return problem_is(problem, "ranks",
            "% ranks are not a multiple of tensor * pipeline = %; change one of them",
            (struct problem_numbers){ workload->rank_count, model, 0 });
    if (shape.data < 2 && shape.stages < 2)
        return problem_is(problem, "ranks",
            "% ranks are one tensor group, which does not use the network; give more ranks",
            (struct problem_numbers){ workload->rank_count, 0, 0 });
    if (workload->local_bps > 0 && workload->group % shape.tensor)
        return problem_is(problem, "group", "a node of % ranks is not made of tensor groups of %",
            (struct problem_numbers){ workload->group, shape.tensor, 0 });
    if (shape.tensor > 1 && workload->local_bps == 0)
        return problem_is(problem, "local_rate",
            "% ranks of a tensor group exchange data inside a node; give its rate",
            (struct problem_numbers){ shape.tensor, 0, 0 });
    if (shape.data % shape.expert || shape.data % shape.in_node ||
        (shape.expert > shape.in_node && shape.expert % shape.in_node))
        return problem_is(problem, "expert",
            "experts on % ranks do not fit % data places in nodes with % of them",
            (struct problem_numbers){ shape.expert, shape.data, shape.in_node });
    return true;
}

static bool check_bytes(const struct sim_workload *workload, struct problem *problem)
{
    struct parallel_shape shape = parallel_shape_of(workload);
    uint64_t parts = (uint64_t)shape.nodes * workload->qps;

    if (shape.stages > 1 && workload->activation_bytes < workload->qps)
        return problem_is(problem, "activation_bytes",
            "% bytes for % QPs; stages of a pipeline send at least a byte on each",
            (struct problem_numbers){ workload->activation_bytes, workload->qps, 0 });
    if (shape.expert > 1 && workload->exchanges == 0)
        return problem_is(problem, "exchanges",
            "experts are on % ranks, but a pass has no exchange with them",
            (struct problem_numbers){ shape.expert, 0, 0 });
    if (workload->exchanges > 0 &&
        (workload->dispatch_bytes < parts || workload->combine_bytes < parts))
        return problem_is(problem, "dispatch_bytes",
            "% and % bytes to and from experts; give at least %",
            (struct problem_numbers){ workload->dispatch_bytes, workload->combine_bytes, parts });
    return true;
}

static bool is_reduction(enum sim_workload_kind kind)
{
    return sim_workload_is(kind, SIM_COLLECTIVE) && kind != SIM_ALL_TO_ALL && kind != SIM_SEND_RECV;
}

bool parallel_check(const struct sim_workload *workload, struct problem *problem)
{
    struct sim_workload part;

    if (!is_reduction(workload->collective))
        return problem_is(problem, "collective",
            "gradients need a reduction, such as all_reduce or tree_all_reduce",
            (struct problem_numbers){ 0 });
    if (workload->overlap_permille > 1000)
        return problem_is(problem, "overlap",
            "an overlap of % permille; it must be between 0 and 1000",
            (struct problem_numbers){ workload->overlap_permille, 0, 0 });
    if (!check_axes(workload, problem) || !check_bytes(workload, problem))
        return false;
    part = parallel_part(workload, PARALLEL_DATA, 0);
    return part.rank_count < 2 || !workload_kind_of(&part)->check ||
           workload_kind_of(&part)->check(&part, problem);
}
