/* SPDX-License-Identifier: Apache-2.0 */
/* mrc sim: reads an experiment, runs it and prints the result. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/sim/sim_options.h"
#include "result/result.h"
#include "study/study.h"

static const char name[] = "sim";

static void complain_problem(const char *problem)
{
    cmd_complain(CMD_FAILED, name, "%s", problem);
}

/* ---- running --------------------------------------------------------------------------------- */

static json_t *run_all(struct study_plan *plan, const struct sim_options *options,
    const struct study_filter *filter, const volatile sig_atomic_t *is_interrupted)
{
    struct study_view view = { .is_live = options->is_live && options->jobs == 1,
        .shows_progress = !options->is_quiet && !options->is_live &&
                          (options->jobs == 1 || plan->run_count == 1) };
    struct study_manner manner = { .uses_heap = options->heap,
        .wire = options->wire,
        .checks = options->checks,
        .threads = options->threads,
        .pcap_path = options->pcap_path,
        .trace_path = options->trace_path,
        .filter = filter,
        .snap_bytes = options->snap_bytes,
        .jobs = options->jobs,
        .is_interrupted = is_interrupted,
        .complain = complain_problem,
        .watch = study_view_watch(&view) };

    return study_jobs_gather(plan->runs, plan->run_count, &manner);
}

static enum cmd_status tell_result(json_t *result, const struct sim_options *options)
{
    int err = options->output_path ? result_document_write(result, options->output_path) : 0;

    if (err)
        return cmd_complain(CMD_FAILED, name, "%s: %s", options->output_path, strerror(-err));
    err = options->csv_path ? result_csv_write(result, options->csv_path) : 0;
    if (err)
        return cmd_complain(CMD_FAILED, name, "%s: %s", options->csv_path, strerror(-err));
    if (options->is_json) {
        json_dumpf(result, stdout, JSON_FORM);
        putchar('\n');
    } else if (!options->is_quiet) {
        result_table_print(stdout, result, options->is_verbose);
    }
    return CMD_DONE;
}

/* Called before the run, which may take hours. */
static bool can_write(const char *path)
{
    int err = path && strcmp(path, "-") != 0 ? whole_file_try(path) : 0;

    if (err)
        cmd_complain(CMD_FAILED, name, "%s: %s", path, strerror(-err));
    return err == 0;
}

static enum cmd_status read_conditions(
    struct study_filter *filter, const struct sim_options *options)
{
    char reason[STUDY_FILTER_REASON_BYTES];

    if ((options->conditions.count || options->snap_bytes) && !options->pcap_path &&
        !options->trace_path)
        return cmd_complain(CMD_MISUSED, name, "--only and --snap require --pcap or --trace");
    for (uint32_t i = 0; i < options->conditions.count; i++)
        if (!study_filter_add(filter, options->conditions.at[i], reason))
            return cmd_complain(CMD_MISUSED, name, "--only: %s", reason);
    return CMD_DONE;
}

static enum cmd_status run_filtered(
    struct study_plan *plan, const struct sim_options *options, const struct study_filter *filter)
{
    const volatile sig_atomic_t *is_interrupted;
    enum cmd_status status;
    json_t *result;
    json_t *runs;
    bool is_good;

    if (!can_write(options->output_path) || !can_write(options->csv_path))
        return CMD_FAILED;
    /* A second Ctrl-C ends the program as usual. */
    is_interrupted = cmd_catch_interrupts((int)SA_RESETHAND);
    runs = run_all(plan, options, filter, is_interrupted);
    if (!runs)
        return CMD_FAILED;
    is_good = result_criteria_judge(&plan->runs[0]->experiment, runs) && !*is_interrupted;
    result = result_document(&plan->runs[0]->experiment, plan->top, runs);
    is_good = is_good && result_check_clean(result);
    status = tell_result(result, options);
    json_decref(result);
    return status == CMD_DONE && !is_good ? CMD_FAILED : status;
}

static enum cmd_status run_plan(struct study_plan *plan, const struct sim_options *options)
{
    struct study_filter filter;
    enum cmd_status status;

    if (options->threads > 1 && (options->heap || options->pcap_path || options->trace_path))
        return cmd_complain(CMD_MISUSED, name,
            "--pcap, --trace and --heap use one thread; omit --threads %u", options->threads);
    if (plan->run_count > 1 && (options->pcap_path || options->trace_path))
        return cmd_complain(CMD_MISUSED, name,
            "--pcap and --trace require a single run; there are %u", plan->run_count);
    study_filter_init(&filter, &plan->runs[0]->experiment.fabric);
    status = read_conditions(&filter, options);
    if (status == CMD_DONE)
        status = run_filtered(plan, options, &filter);
    study_filter_fini(&filter);
    return status;
}

static bool read_plan(struct study_plan *plan, const struct sim_options *options)
{
    struct study_changes changes = { .sets = options->sets.at,
        .set_count = options->sets.count,
        .sweeps = options->sweeps.at,
        .sweep_count = options->sweeps.count,
        .has_seed = options->has_seed,
        .seed = options->seed,
        .repeat = options->repeat };

    return study_plan_read(plan, options->file, &changes);
}

static enum cmd_status run_sim(int argument_count, char **arguments)
{
    struct sim_options options;
    struct study_plan plan;
    enum cmd_status status;

    if (!sim_options_read(&options, argument_count, arguments, &status))
        return status;
    if (options.wants_parameters) {
        result_parameters_print(stdout);
        return CMD_DONE;
    }
    if (options.wants_hardware) {
        result_presets_print();
        return CMD_DONE;
    }
    if (read_plan(&plan, &options))
        status = run_plan(&plan, &options);
    else
        status = cmd_complain(CMD_MISUSED, name, "%s", plan.yaml.problem);
    study_plan_fini(&plan);
    return status;
}

const struct cmd sim_command = {
    .name = "sim",
    .summary = "run an experiment on a simulated cluster",
    .run = run_sim,
    .options = &sim_option_table,
};
