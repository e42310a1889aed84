/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what the verbs print, and writes it into a page. */
#include "cmd/plan/plan_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/plan/plan_measuring.h"
#include "web/web.h"

static int write_page(FILE *to, void *plan)
{
    return web_plan_write(to, plan);
}

/* Where the page is does not matter to its reader. */
static json_t *line_json(char *const *line)
{
    static const char option[] = "--report";
    json_t *words = json_pack("[s,s]", "mrc", "plan");

    for (; *line; line++) {
        bool is_option = strcmp(*line, option) == 0;

        if (is_option && line[1])
            line++;
        else if (!is_option && strncmp(*line, "--report=", sizeof("--report=") - 1) != 0)
            json_array_append_new(words, json_string(*line));
    }
    return words;
}

/* A fabric of a file has no request that others could be sized from. */
static void add_others(
    json_t *plan, const struct plan_options *options, const struct size_judge *judge)
{
    struct size_candidate *list;
    uint32_t count;

    if (options->fabric)
        return;
    list = grow_take(SIZE_CANDIDATES_MAX, sizeof(*list));
    count = size_candidates_compare(&options->request, judge, list);
    json_object_set_new(plan, "fabrics", size_json_candidates(list, count, judge->job));
    json_object_set_new(plan, "growth", size_json_growth(&options->request, judge));
    free(list);
}

static void add_figures(json_t *plan, const struct plan_options *options,
    const struct size_judge *judge, const struct size_fabric *fabric)
{
    struct size_report *report = grow_take(1, sizeof(*report));
    struct size_bill bill;

    size_bill_make(fabric, judge->site, judge->prices, &bill);
    size_report_fabric(report, fabric, judge->site, &bill, options->more_gpus);
    json_object_set_new(plan, "fabric", size_json_fabric(fabric, judge->site, &bill));
    json_object_set_new(plan, "rows", size_json_rows(report));
    json_object_set_new(plan, "parts", size_json_parts(&bill));
    json_object_set_new(plan, "usd", size_json_range(bill.usd));
    json_object_set_new(plan, "watts", size_json_range(bill.watts));
    json_object_set_new(plan, "more_gpus", json_integer((json_int_t)options->more_gpus));
    free(report);
}

static enum cmd_status add_failures(json_t *plan, const char *command,
    const struct plan_options *options, const struct size_judge *judge,
    const struct size_fabric *fabric)
{
    struct size_failures *failures = grow_take(1, sizeof(*failures));
    enum cmd_status status = CMD_DONE;
    struct size_measure *measure = NULL;

    if (!size_failures_find(fabric, judge->job, failures))
        status = cmd_complain(CMD_MISUSED, command, "%s", failures->reason);
    else
        json_object_update_new(plan, size_json_failures(failures, judge->job));
    if (status == CMD_DONE && options->measures)
        measure = plan_measuring(command, options, fabric, judge->job, &status);
    if (measure) {
        json_object_set_new(plan, "measured", size_json_measured(measure, fabric, failures));
        plan_measuring_end(measure);
    }
    free(failures);
    return status;
}

enum cmd_status plan_page(const char *command, const struct plan_options *options,
    const struct size_judge *judge, char *const *line)
{
    const struct price *gpu_hour = &judge->prices->parts[PRICE_GPU_HOUR];
    struct size_fabric fabric;
    enum cmd_status status = plan_request_solve(command, options, &fabric);
    int err = whole_file_try(options->report);
    json_t *plan;

    if (status == CMD_DONE && err) /* before simulations, which take seconds */
        status = cmd_complain(CMD_FAILED, command, "%s: %s", options->report, strerror(-err));
    if (status != CMD_DONE)
        return status;
    plan = json_pack("{s:i,s:s,s:o,s:o}", "openmrc_plan", 1, "version", OPENMRC_VERSION, "command",
        line_json(line), "gpu_hour_usd", size_json_range(gpu_hour->usd));
    add_figures(plan, options, judge, &fabric);
    add_others(plan, options, judge);
    status = add_failures(plan, command, options, judge, &fabric);
    err = status == CMD_DONE ? whole_file_write(options->report, write_page, plan) : 0;
    if (err)
        status = cmd_complain(CMD_FAILED, command, "%s: %s", options->report, strerror(-err));
    json_decref(plan);
    return status;
}
