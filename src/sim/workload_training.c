/* SPDX-License-Identifier: Apache-2.0 */
/* A training job: steps of computing and a collective. The collective begins when only the part of
 * the computing is left that may overlap it. A step ends when both are complete; the collective
 * keeps the ranks in lock-step. */
#include "base/problem.h"
#include "sim/workload_kind.h"

static uint64_t overlap_ps(const struct sim_workload *workload)
{
    return workload->compute_ps / 1000 * workload->overlap_permille +
           workload->compute_ps % 1000 * workload->overlap_permille / 1000;
}

/* Computing and communication overlap in part; the longer of both counts there. */
static uint64_t step_ps(const struct sim_workload *workload, uint64_t collective_ps)
{
    uint64_t both_ps = overlap_ps(workload);

    return workload->compute_ps - both_ps + (collective_ps > both_ps ? collective_ps : both_ps);
}

static uint64_t compute_ps(const struct sim_workload *workload)
{
    return workload->compute_ps;
}

static void look_for_the_end(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    if (rank->is_computing || rank->is_communicating)
        return;
    world->stepped(world->context, rank->iteration, rank->began_ps, now_ps);
    workload_end_iteration(rank, world, now_ps);
}

/* Returns the end of the time in which the rank only computes. */
static uint64_t alone_until_ps(const struct workload_rank *rank)
{
    return rank->began_ps + rank->workload->compute_ps - overlap_ps(rank->workload);
}

static uint64_t computed_ps(const struct workload_rank *rank)
{
    return rank->began_ps + rank->workload->compute_ps;
}

static void begin_overlap(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    rank->may_overlap = true;
    rank->is_computing = computed_ps(rank) > now_ps;
    if (rank->is_computing)
        world->wake_at(world->context, computed_ps(rank));
    workload_begin_collective(rank, world, now_ps);
}

static void begin_step(
    struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    rank->may_overlap = false;
    rank->is_computing = true;
    if (alone_until_ps(rank) > now_ps)
        world->wake_at(world->context, alone_until_ps(rank));
    else
        begin_overlap(rank, world, now_ps);
}

static void on_wake(struct workload_rank *rank, const struct workload_world *world, uint64_t now_ps)
{
    if (!rank->is_computing)
        return;
    if (!rank->may_overlap && now_ps >= alone_until_ps(rank)) {
        begin_overlap(rank, world, now_ps);
    } else if (rank->may_overlap && now_ps >= computed_ps(rank)) {
        rank->is_computing = false;
        look_for_the_end(rank, world, now_ps);
    }
}

static bool check_workload(const struct sim_workload *workload, struct problem *problem)
{
    if (!sim_workload_is(workload->collective, SIM_COLLECTIVE))
        return problem_is(problem, "collective",
            "a training job needs a collective, such as all_reduce", (struct problem_numbers){ 0 });
    if (workload_pattern_of(workload)->on_wake && workload->local_bps > 0)
        return problem_is(problem, "local_rate",
            "the collective of a training job uses the network; omit local_rate",
            (struct problem_numbers){ 0 });
    if (workload_pattern_of(workload)->check &&
        !workload_pattern_of(workload)->check(workload, problem))
        return false;
    if (workload->overlap_permille > 1000)
        return problem_is(problem, "overlap",
            "an overlap of % permille; it must be between 0 and 1000",
            (struct problem_numbers){ workload->overlap_permille, 0, 0 });
    return true;
}

const struct workload_kind workload_training = {
    .check = check_workload,
    .begin_step = begin_step,
    .compute_ps = compute_ps,
    .step_ps = step_ps,
    .on_collective = look_for_the_end,
    .on_wake = on_wake,
};
