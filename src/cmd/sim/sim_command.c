/* SPDX-License-Identifier: Apache-2.0 */
/* mrc sim: reads an experiment, runs it and prints the result. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd_ranks.h"
#include "cmd/sim/sim_checkpoint.h"
#include "cmd/sim/sim_options.h"
#include "result/result.h"

static const char name[] = "sim";

static void complain_problem(const char *problem)
{
    cmd_complain(CMD_FAILED, name, "%s", problem);
}

/* ---- running --------------------------------------------------------------------------------- */

static struct study_manner manner_of(
    const struct sim_options *options, const struct study_ranks *ranks)
{
    return (struct study_manner){ .uses_heap = options->heap,
        .wire = options->wire,
        .checks = options->checks,
        .threads = options->threads,
        .group = ranks->group,
        .neighbours = ranks->mpi ? carrier_mpi_neighbours(ranks->mpi) : 0,
        .pcap_path = options->pcap_path,
        .trace_path = options->trace_path,
        .snap_bytes = options->snap_bytes,
        .jobs = options->jobs,
        .complain = complain_problem };
}

static json_t *run_all(struct study_plan *plan, const struct sim_options *options,
    const struct study_manner *how, const volatile sig_atomic_t *is_interrupted)
{
    struct study_view view = { .is_live = options->is_live && options->jobs == 1,
        .shows_progress = !options->is_quiet && !options->is_live &&
                          (options->jobs == 1 || plan->run_count == 1) };
    struct study_manner manner = *how;

    manner.is_interrupted = is_interrupted;
    manner.watch = study_view_watch(&view);
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
    if (filter->has_link && !options->pcap_path)
        return cmd_complain(CMD_MISUSED, name,
            "--only: 'at' selects frames, and events are on no link; give --pcap, or nic instead");
    return CMD_DONE;
}

static bool ranks_agree(const struct study_plan *plan, const struct sim_options *options,
    const struct study_ranks *ranks)
{
    char text[STUDY_GROUP_TEXT_BYTES] = "";
    char hash[JSON_HASH_BYTES];

    study_plan_hash(plan, hash);
    snprintf(
        text, sizeof(text), "%s %u %d %d", hash, options->threads, options->wire, options->checks);
    return cmd_ranks_agree(name, ranks, text);
}

/* Returns CMD_DONE if outputs are files, no two of them the same. `output_path` is NULL if the
 * result goes to standard output. */
static enum cmd_status check_outputs(const struct sim_options *options)
{
    const struct {
        const char *option;
        const char *path;
    } outputs[] = {
        { "--output", options->output_path },
        { "--csv", options->csv_path },
        { "--pcap", options->pcap_path },
        { "--trace", options->trace_path },
        { "--checkpoint", options->checkpoint_path },
    };

    if (options->is_quiet && options->is_live)
        return cmd_complain(CMD_MISUSED, name, "-q prints no progress, and --live does; omit one");
    for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
        if (outputs[i].path && strcmp(outputs[i].path, "-") == 0)
            return cmd_complain(CMD_MISUSED, name,
                "%s: '-' is not a file; only --output writes to standard output",
                outputs[i].option);
        for (size_t j = 0; j < i; j++)
            if (outputs[i].path && outputs[j].path && strcmp(outputs[i].path, outputs[j].path) == 0)
                return cmd_complain(CMD_MISUSED, name, "%s and %s would both write %s",
                    outputs[j].option, outputs[i].option, outputs[i].path);
    }
    return CMD_DONE;
}

static enum cmd_status run_filtered(struct study_plan *plan, const struct sim_options *options,
    const struct study_manner *manner, const struct study_ranks *ranks)
{
    const volatile sig_atomic_t *is_interrupted;
    enum cmd_status status;
    json_t *result;
    json_t *runs;
    bool is_good;

    if (!can_write(options->output_path) || !can_write(options->csv_path))
        return CMD_FAILED;
    if (!ranks_agree(plan, options, ranks))
        return CMD_FAILED;
    /* A second Ctrl-C ends the program as usual. */
    is_interrupted = cmd_catch_interrupts((int)SA_RESETHAND);
    runs = run_all(plan, options, manner, is_interrupted);
    if (!runs)
        return CMD_FAILED;
    is_good = result_criteria_judge(&plan->runs[0]->experiment, runs) && !*is_interrupted;
    result = result_document(&plan->runs[0]->experiment, plan->top, runs);
    is_good = is_good && result_check_clean(result);
    status = tell_result(result, options);
    json_decref(result);
    return status == CMD_DONE && !is_good ? CMD_FAILED : status;
}

/* Returns true if a run has another protocol than MRC. */
static bool has_rival(const struct study_plan *plan)
{
    for (uint32_t i = 0; i < plan->run_count; i++)
        if (plan->runs[i]->experiment.sim.protocol != SIM_MRC)
            return true;
    return false;
}

/* Returns CMD_DONE if ranks can make these runs. */
static enum cmd_status check_ranks(
    const struct study_plan *plan, const struct sim_options *options, const char *checkpoint_path)
{
    if (options->heap || options->pcap_path || options->trace_path)
        return cmd_complain(CMD_MISUSED, name,
            "--pcap, --trace and --heap use one thread of one process; start mrc without mpirun");
    if (options->jobs > 1)
        return cmd_complain(CMD_MISUSED, name,
            "MPI ranks make one run at a time; omit --jobs %u, or start mrc without mpirun",
            options->jobs);
    if (checkpoint_path)
        return cmd_complain(CMD_MISUSED, name,
            "%s: checkpoints are those of one process; start mrc without mpirun", checkpoint_path);
    if (has_rival(plan))
        return cmd_complain(CMD_MISUSED, name,
            "protocol: MPI ranks run MRC only; start mrc without mpirun and use --threads");
    return CMD_DONE;
}

static enum cmd_status run_plan(struct study_plan *plan, const struct sim_options *options,
    const struct study_ranks *ranks, const struct sim_checkpoint *checkpoint)
{
    struct study_manner manner = manner_of(options, ranks);
    struct study_filter filter;
    enum cmd_status status = CMD_DONE;

    manner.filter = &filter;
    manner.checkpoint = checkpoint->is_wanted ? &checkpoint->manner : NULL;
    if (ranks->group)
        status = check_ranks(plan, options, checkpoint->is_wanted ? checkpoint->manner.path : NULL);
    if (status == CMD_DONE)
        status = sim_checkpoint_check(checkpoint, options, plan, &manner);
    if (status != CMD_DONE)
        return status;
    if (options->threads > 1 && (options->heap || options->pcap_path || options->trace_path))
        return cmd_complain(CMD_MISUSED, name,
            "--pcap, --trace and --heap use one thread; omit --threads %u", options->threads);
    if (plan->run_count > 1 && (options->pcap_path || options->trace_path))
        return cmd_complain(CMD_MISUSED, name,
            "--pcap and --trace require a single run; there are %u", plan->run_count);
    if (has_rival(plan) && (options->wire || options->pcap_path || options->trace_path))
        return cmd_complain(CMD_MISUSED, name,
            "--wire, --pcap and --trace support only MRC; omit them, or give --protocol mrc");
    study_filter_init(&filter, &plan->runs[0]->experiment.fabric);
    status = read_conditions(&filter, options);
    if (status == CMD_DONE)
        status = check_outputs(options);
    if (status == CMD_DONE)
        status = run_filtered(plan, options, &manner, ranks);
    study_filter_fini(&filter);
    return status;
}

static bool read_plan(struct study_plan *plan, const struct sim_options *options)
{
    struct study_changes changes = { .sets = options->sets.at,
        .set_count = options->sets.count,
        .sweeps = options->sweeps.at,
        .sweep_count = options->sweeps.count,
        .protocol = options->protocol,
        .has_seed = options->has_seed,
        .seed = options->seed,
        .repeat = options->repeat };

    return study_plan_read(plan, options->file, &changes);
}

static enum cmd_status run_experiment(const struct sim_options *options,
    const struct study_ranks *ranks, const struct sim_checkpoint *checkpoint)
{
    struct study_plan plan;
    enum cmd_status status;

    if (read_plan(&plan, options))
        status = run_plan(&plan, options, ranks, checkpoint);
    else
        status = cmd_complain(CMD_MISUSED, name, "%s", plan.yaml.problem);
    study_plan_fini(&plan);
    return status;
}

static enum cmd_status lead_ranks(
    int argument_count, char **arguments, const struct study_ranks *ranks)
{
    struct sim_options options;
    struct sim_checkpoint checkpoint;
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
    status = sim_checkpoint_open(&checkpoint, &options);
    if (status == CMD_DONE)
        status = run_experiment(&options, ranks, &checkpoint);
    sim_checkpoint_close(&checkpoint);
    return status;
}

static void follow_ranks(int argument_count, char **arguments, const struct study_ranks *ranks)
{
    struct sim_options options;
    struct study_plan plan;
    enum cmd_status status;

    cmd_catch_interrupts(0); /* rank 0 ends the run */
    if (!sim_options_read(&options, argument_count, arguments, &status))
        cmd_ranks_give_up(name, ranks, "");
    if (!read_plan(&plan, &options))
        cmd_ranks_give_up(name, ranks, plan.yaml.problem);
    if (ranks_agree(&plan, &options, ranks)) {
        struct study_manner manner = manner_of(&options, ranks);

        if (!study_group_follow(plan.runs, plan.run_count, &manner))
            cmd_ranks_give_up(name, ranks, "");
    }
    study_plan_fini(&plan);
}

static enum cmd_status run_sim(int argument_count, char **arguments)
{
    static const struct cmd_ranks on_ranks = { name, lead_ranks, follow_ranks };

    return cmd_ranks_run(&on_ranks, argument_count, arguments);
}

const struct cmd sim_command = {
    .name = "sim",
    .summary = "run an experiment on a simulated cluster",
    .run = run_sim,
    .options = &sim_option_table,
};
