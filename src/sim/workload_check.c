/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that workloads can run on a fabric. */
#include "sim/workload.h"

#include <assert.h>

#include "base/problem.h"
#include "sim/workload_kind.h"

enum {
    OUTSTANDING_MAX = 1024,
    FLOWS_MAX = 1 << 24, /* the number of different QP numbers */
};

#define MESSAGE_BYTES_MAX (UINT64_C(1) << 31)

/* Kinds check in addition what only they require. */
static bool kind_check(const struct sim_workload *workload, struct problem *problem)
{
    const struct workload_kind *kind = workload_kind_of(workload);

    return !kind->check || kind->check(workload, problem);
}

static bool ranks_check(
    const struct sim_workload *workload, uint32_t nic_count, struct problem *problem)
{
    if (workload->rank_count < 2)
        return problem_is(problem, "ranks", "% ranks: at least 2",
            (struct problem_numbers){ workload->rank_count, 0, 0 });
    if (workload->rank_count > nic_count)
        return problem_is(problem, "ranks",
            workload->job ? "% ranks, but the job has % NICs"
                          : "% ranks, but the fabric has % NICs",
            (struct problem_numbers){ workload->rank_count, nic_count, 0 });
    return true;
}

static bool list_check(
    const struct sim_workload *workload, uint32_t nic_count, struct problem *problem)
{
    for (uint32_t i = 0; i < workload->rank_count; i++) {
        if (workload->nics[i] >= nic_count)
            return problem_is(problem, "nics",
                workload->job ? "rank % on NIC %, but the job has %"
                              : "rank % on NIC %, but the fabric has %",
                (struct problem_numbers){ i, workload->nics[i], nic_count });
        for (uint32_t j = 0; j < i; j++)
            if (workload->nics[j] == workload->nics[i])
                return problem_is(problem, "nics", "ranks % and % are both on NIC %",
                    (struct problem_numbers){ j, i, workload->nics[i] });
    }
    return true;
}

static bool placement_check(
    const struct sim_workload *workload, uint32_t nic_count, struct problem *problem)
{
    switch (workload->placement) {
    case SIM_PACKED:
        if (workload->first_nic > nic_count - workload->rank_count)
            return problem_is(problem, "first_nic",
                workload->job ? "% ranks from NIC % on are too many: the job has % NICs"
                              : "% ranks from NIC % on are too many: the fabric has % NICs",
                (struct problem_numbers){ workload->rank_count, workload->first_nic, nic_count });
        return true;
    case SIM_RANDOM:
        return true;
    case SIM_LIST:
        return list_check(workload, nic_count, problem);
    case SIM_SPREAD:
        break;
    }
    return problem_is(problem, "placement", "no such placement", (struct problem_numbers){ 0 });
}

static uint64_t parts_of(const struct sim_workload *workload)
{
    const struct workload_kind *pattern = workload_pattern_of(workload);

    return pattern->part_count ? pattern->part_count(workload) : 1;
}

uint64_t sim_message_bytes(const struct sim_workload *workload)
{
    return workload->message_bytes / parts_of(workload);
}

static uint64_t collective_bytes(const struct sim_workload *workload)
{
    const struct workload_kind *pattern = workload_pattern_of(workload);

    return pattern->collective_bytes ? pattern->collective_bytes(workload) : 0;
}

uint64_t sim_collective_ps(const struct sim_workload *workload, uint64_t bps)
{
    const struct workload_kind *kind = workload_kind_of(workload);
    uint64_t bits = 8 * collective_bytes(workload);
    uint64_t collective_ps;

    if (bits == 0 || bps == 0)
        return 0;
    collective_ps = workload_time_ps(bits, bps);
    return kind->step_ps ? kind->step_ps(workload, collective_ps) : collective_ps;
}

uint64_t sim_compute_ps(const struct sim_workload *workload)
{
    const struct workload_kind *kind = workload_kind_of(workload);

    return kind->compute_ps ? kind->compute_ps(workload) : 0;
}

static bool messages_check(const struct sim_workload *workload, struct problem *problem)
{
    uint64_t peers = sim_workload_peers(workload);
    uint64_t pairs =
        workload->schedule ? workload->schedule->pair_count : peers * workload->rank_count;
    uint64_t parts;

    if (workload->qps < 1 || workload->qps > WORKLOAD_QPS_MAX)
        return problem_is(problem, "qps", "% QPs for a pair: must be between 1 and %",
            (struct problem_numbers){ workload->qps, WORKLOAD_QPS_MAX, 0 });
    if (workload->outstanding < 1 || workload->outstanding > OUTSTANDING_MAX)
        return problem_is(problem, "outstanding", "% messages at once: must be between 1 and %",
            (struct problem_numbers){ workload->outstanding, OUTSTANDING_MAX, 0 });
    if (pairs * workload->qps > FLOWS_MAX)
        return problem_is(problem, "ranks", "% ranks, each with % peers, need more than % QPs",
            (struct problem_numbers){ workload->rank_count, peers, FLOWS_MAX });
    parts = parts_of(workload);
    assert(parts > 0);
    if (workload->message_bytes < parts)
        return problem_is(problem, "message_bytes",
            "% bytes are too few for % messages of at least one byte",
            (struct problem_numbers){ workload->message_bytes, parts, 0 });
    if ((workload->message_bytes - 1) / parts >= MESSAGE_BYTES_MAX)
        return problem_is(problem, "message_bytes",
            "% bytes make a message of a QP longer than the limit of % bytes",
            (struct problem_numbers){ workload->message_bytes, MESSAGE_BYTES_MAX, 0 });
    return true;
}

static bool evs_check(
    const struct sim_workload *workload, const struct plan *fabric, struct problem *problem)
{
    if (workload->ev_count > PATH_EV_COUNT_MAX)
        return problem_is(problem, "evs", "% EVs: at most %",
            (struct problem_numbers){ workload->ev_count, PATH_EV_COUNT_MAX, 0 });
    for (uint32_t i = 0; i < workload->ev_count; i++) {
        if (!plan_ev_exists(fabric, workload->evs[i]))
            return problem_is(problem, "evs",
                "EV % is not a path of this fabric; planes are below %, uplinks below %",
                (struct problem_numbers){ workload->evs[i], fabric->topology.config.plane_count,
                    plan_plane_paths(fabric) });
    }
    return true;
}

bool workload_check(const struct sim_config *config, struct problem *problem)
{
    for (uint32_t i = 0; i < config->workload_count; i++) {
        const struct sim_workload *workload = &config->workloads[i];
        uint32_t nic_count =
            workload->job ? workload->job->nic_count : config->fabric->topology.nic_count;

        *problem = (struct problem){ .section = "workloads", .index = i };
        if (workload->kind >= SIM_WORKLOAD_COUNT)
            return problem_is(
                problem, "kind", "no such kind of workload", (struct problem_numbers){ 0 });
        if (!ranks_check(workload, nic_count, problem) || !kind_check(workload, problem) ||
            !placement_check(workload, nic_count, problem) || !messages_check(workload, problem) ||
            !evs_check(workload, config->fabric, problem))
            return false;
    }
    return true;
}
