/* SPDX-License-Identifier: Apache-2.0 */
/* One line for each fabric. */
#include "cmd/plan/plan_side_by_side.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/plan/plan_rows.h"

static const struct {
    const char *name;
    const char *formula;
} columns[] = {
    { "tiers", "given, or the fewest whose ports suffice" },
    { "switches", "planes x the sum of all tiers, of all fabrics" },
    { "modules", "of NICs and switches, 8 lanes each" },
    { "longest", "switches on the longest path" },
    { "us", "least time of a full packet over the longest path" },
    { "M$", "the sum of count x price, from the price file" },
    { "kW", "the sum of count x watts, from the price file" },
    { "lost",
        "share of the rate of a NIC that one failure of the fabric takes: 1 / ports of a NIC" },
    { "GPU h/year", "hours that a job on all GPUs loses by failures of the network, "
                    "with each protocol; the mean of the least and the most rates" },
    { "GPUs for the cost", "GPUs of such a fabric for the mean cost of the first" },
};

static void print_hours(const struct size_candidate *candidate, const struct job *job)
{
    for (uint32_t i = 0; i < job->protocol_count; i++) {
        char hours[PLAN_NUMBER_BYTES];

        plan_rows_number(
            (double)(uint64_t)((candidate->gpu_hours[i].least + candidate->gpu_hours[i].most) / 2),
            hours);
        printf(" %14s", candidate->copies == 1 ? hours : "-");
    }
}

static void print_line(const struct size_candidate *candidate, const struct size_judge *judge)
{
    char switches[PLAN_NUMBER_BYTES];
    char modules[PLAN_NUMBER_BYTES];
    char for_budget[PLAN_NUMBER_BYTES];

    if (candidate->copies == 0) {
        printf("%-46s %s\n", candidate->name, candidate->reason);
        return;
    }
    plan_rows_number((double)candidate->switches, switches);
    plan_rows_number((double)candidate->modules, modules);
    plan_rows_number((double)candidate->gpus_for_budget, for_budget);
    printf("%-46s %5u %9s %11s %7u %6.2f %7.0f-%-7.0f %7.0f-%-7.0f %5.1f%%", candidate->name,
        candidate->fabric.tier_count, switches, modules, size_longest(&candidate->fabric),
        candidate->latency_s * 1e6, candidate->usd.least / 1e6, candidate->usd.most / 1e6,
        candidate->watts.least / 1e3, candidate->watts.most / 1e3, candidate->worst_share * 100);
    print_hours(candidate, judge->job);
    printf(" %12s", candidate->gpus_for_budget ? for_budget : "-");
    if (candidate->copies > 1)
        printf("  %llu separate fabrics", (unsigned long long)candidate->copies);
    putchar('\n');
}

static void print_table(const struct plan_options *options, const struct size_judge *judge,
    const struct size_candidate *list, uint32_t count)
{
    printf("%-46s %5s %9s %11s %7s %6s %15s %15s %6s", "", "tiers", "switches", "modules",
        "longest", "us", "M$", "kW", "lost");
    for (uint32_t i = 0; i < judge->job->protocol_count; i++) {
        char heading[JOB_NAME_BYTES + 8];

        snprintf(heading, sizeof(heading), "GPU h, %s", judge->job->protocols[i].name);
        printf(" %14s", heading);
    }
    printf(" %12s\n", "for its cost");
    for (uint32_t i = 0; i < count; i++)
        print_line(&list[i], judge);
    if (options->explains)
        for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
            printf("%s = %s\n", columns[i].name, columns[i].formula);
}

static uint32_t find_best(
    const struct plan_options *options, const struct size_judge *judge, struct size_candidate *list)
{
    struct size_request request = options->request;
    struct size_freedom freedom = { .planes = !options->has_planes && request.kind == SIZE_CLOS,
        .tiers = !options->has_tiers,
        .switches = !options->has_switch,
        .oversubscription = request.oversubscription };

    return size_candidates_search(&request, &freedom, (enum size_goal)options->goal, judge, list);
}

enum cmd_status plan_side_by_side(
    const char *command, const struct plan_options *options, const struct size_judge *judge)
{
    struct size_candidate *list = grow_take(SIZE_CANDIDATES_MAX, sizeof(*list));
    uint32_t count = options->compares ? size_candidates_compare(&options->request, judge, list)
                                       : find_best(options, judge, list);
    enum cmd_status status = CMD_DONE;

    if (count == 0 || (options->compares && list[0].copies == 0))
        status = cmd_complain(CMD_MISUSED, command, "%s",
            count ? list[0].reason : "no fabric of these options has enough places");
    else if (options->as_json)
        plan_rows_dump(
            json_pack("{s:o}", "fabrics", size_json_candidates(list, count, judge->job)));
    else
        print_table(options, judge, list, count);
    free(list);
    return status;
}
