/* SPDX-License-Identifier: Apache-2.0 */
/* mrc sweep: makes the runs of many experiments and keeps each in a file. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "cmd/cmd_ranks.h"
#include "cmd/options.h"
#include "result/result.h"

#define SEEDS_MAX  STUDY_RUNS_MAX
#define POINTS_MAX 100000

static const char name[] = "sweep";

/* ---- options --------------------------------------------------------------------------------- */

struct options {
    const char *folder;
    struct option_list sets;
    struct option_list sweeps;
    uint64_t seeds[SEEDS_MAX];
    uint32_t seed_count;
    uint32_t jobs; /* 0: one per processor */
    uint32_t points;
    bool redoes;
    bool is_quiet;
};

static enum cmd_status take_seeds(void *options, char *value)
{
    struct options *its = options;

    if (study_seeds_read(value, its->seeds, &its->seed_count, SEEDS_MAX))
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name,
        "--seeds takes up to %d numbers, such as 1-10 or 3,5,8, not '%s'", SEEDS_MAX, value);
}

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_TEXT, 'o', "output", "FOLDER", "keep the runs in FOLDER, and continue a sweep that FOLDER has", AT(folder) },
    { OPTION_LIST, 0, "set", "KEY=VALUE", "change a key of all files; may be repeated", AT(sets), .values = OPTION_VALUES_PARAMETERS },
    { OPTION_LIST, 0, "sweep", "KEY=V,V,...", "runs with each of these values; several options are combined",
        AT(sweeps), .values = OPTION_VALUES_PARAMETERS },
    { OPTION_CALL, 0, "seeds", "N-N,N,...", "runs with each of these seeds, instead of those of the files",
        .read = take_seeds, .values = OPTION_VALUES_NONE },
    { OPTION_NUMBER, 'j', "jobs", "N", "N runs at a time [the number of processors]", AT(jobs), .least = 1, .most = 1024 },
    { OPTION_NUMBER, 0, "points", "N", "at most N values in each series of a run [100]", AT(points), .least = 1, .most = POINTS_MAX },
    { OPTION_FLAG, 0, "redo", NULL, "make runs again that FOLDER has from other inputs or another mrc", AT(redoes) },
    { OPTION_FLAG, 'q', "quiet", NULL, "print only errors", AT(is_quiet) },
};
/* clang-format on */

static const struct option_table table = {
    .command = "sweep",
    .intro = "usage: mrc sweep [OPTIONS] -o FOLDER EXPERIMENT.yaml...\n"
             "\n"
             "Makes all runs of the experiments, several at a time, and keeps each run in a file.\n"
             "A sweep that was interrupted continues with the runs that are missing.",
    .closing =
        "Exit status: 0; 1 if a criterion or a run fails or the sweep is interrupted; 2 for a\n"
        "wrong command line or experiment.\n"
        "\n"
        "  mrc sweep -o out --sweep parameters.mpr=2,4,8 --seeds 1-10 experiments/incast.yaml",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* ---- running --------------------------------------------------------------------------------- */

static void complain_problem(const char *problem)
{
    cmd_complain(CMD_FAILED, name, "%s", problem);
}

static void show_progress(void *context, const struct study_sweep *sweep)
{
    const struct options *options = context;

    if (options->is_quiet || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K%u of %u runs", sweep->kept_count + sweep->made_count, sweep->count);
    if (sweep->failed_count)
        fprintf(stderr, ", %u failed", sweep->failed_count);
    fflush(stderr);
}

static enum cmd_status tell_result(
    struct study_sweep *sweep, const struct options *options, bool is_whole)
{
    struct study_sweep_verdict verdict = study_sweep_judge(sweep);
    bool is_written = study_sweep_write(sweep, verdict.result);
    bool is_good = is_written && is_whole && verdict.all_hold && result_check_clean(verdict.result);

    if (!is_written)
        complain_problem(sweep->reason);
    if (!options->is_quiet) {
        printf("%s: %u of %u runs, %u of them kept from before\n", sweep->folder,
            sweep->kept_count + sweep->made_count, sweep->count, sweep->kept_count);
        result_sets_print(stdout, verdict.result);
    }
    json_decref(verdict.result);
    return is_good ? CMD_DONE : CMD_FAILED;
}

static struct study_manner manner_of(const struct options *options, const struct study_ranks *ranks)
{
    return (struct study_manner){ .jobs = options->jobs ? options->jobs : carrier_processors(),
        .points = options->points,
        .group = ranks->group,
        .neighbours = ranks->mpi ? carrier_mpi_neighbours(ranks->mpi) : 0,
        .is_interrupted = cmd_catch_interrupts((int)SA_RESETHAND),
        .complain = complain_problem };
}

static bool ranks_agree(const struct study_plan *plans, uint32_t plan_count,
    const struct options *options, const struct study_ranks *ranks)
{
    char text[STUDY_GROUP_TEXT_BYTES] = "";
    char hash[JSON_HASH_BYTES];
    json_t *hashes = json_array();

    for (uint32_t i = 0; i < plan_count; i++) {
        study_plan_hash(&plans[i], hash);
        json_array_append_new(hashes, json_string(hash));
    }
    json_hash(hashes, hash);
    json_decref(hashes);
    snprintf(text, sizeof(text), "%s %u", hash, options->points);
    return cmd_ranks_agree(name, ranks, text);
}

static enum cmd_status make_runs(
    struct study_sweep *sweep, struct options *options, const struct study_ranks *ranks)
{
    struct study_manner manner = manner_of(options, ranks);
    const volatile sig_atomic_t *is_interrupted = manner.is_interrupted;
    struct study_sweep_watch watch = { show_progress, options };
    bool is_stored;

    if (!ranks_agree(sweep->plans, sweep->plan_count, options, ranks))
        return CMD_FAILED;
    is_stored = study_sweep_run(sweep, &manner, &watch);

    if (!options->is_quiet && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (!is_stored)
        return cmd_complain(CMD_FAILED, name, "%s", sweep->reason);
    if (*is_interrupted)
        cmd_complain(CMD_FAILED, name,
            "interrupted; the same command continues with the %u runs that are missing",
            sweep->count - sweep->kept_count - sweep->made_count);
    return tell_result(sweep, options, sweep->kept_count + sweep->made_count == sweep->count);
}

static enum cmd_status run_plans(struct study_plan *plans, uint32_t plan_count,
    struct options *options, const struct study_ranks *ranks)
{
    struct study_sweep sweep;
    enum cmd_status status;

    if (!study_sweep_open(&sweep, options->folder, plans, plan_count, options->points))
        status =
            cmd_complain(sweep.has_same_names ? CMD_MISUSED : CMD_FAILED, name, "%s", sweep.reason);
    else if (sweep.stale_count && !options->redoes)
        status = cmd_complain(CMD_MISUSED, name,
            "%u of %u runs in %s differ from this sweep (%s); make them again with --redo, or name "
            "another folder",
            sweep.stale_count, sweep.count, options->folder, sweep.reason);
    else
        status = make_runs(&sweep, options, ranks);
    study_sweep_close(&sweep);
    return status;
}

/* Reads experiments until one is wrong, and counts them. */
static bool read_plans(
    struct study_plan *plans, uint32_t *count, const struct options *options, char **files)
{
    struct study_changes changes = { .sets = options->sets.at,
        .set_count = options->sets.count,
        .sweeps = options->sweeps.at,
        .sweep_count = options->sweeps.count,
        .seeds = options->seeds,
        .seed_count = options->seed_count };
    bool is_right = true;

    for (*count = 0; is_right && files[*count]; (*count)++)
        is_right = study_plan_read(&plans[*count], files[*count], &changes);
    return is_right;
}

static void free_plans(struct study_plan *plans, uint32_t count)
{
    while (count > 0)
        study_plan_fini(&plans[--count]);
    free(plans);
}

static enum cmd_status read_and_run(
    struct options *options, char **files, uint32_t file_count, const struct study_ranks *ranks)
{
    struct study_plan *plans = grow_take(file_count, sizeof(*plans));
    enum cmd_status status;
    uint32_t count;

    if (read_plans(plans, &count, options, files))
        status = run_plans(plans, count, options, ranks);
    else
        status = cmd_complain(CMD_MISUSED, name, "%s", plans[count - 1].yaml.problem);
    free_plans(plans, count);
    return status;
}

static bool read_options(
    struct options *options, int argument_count, char **arguments, enum cmd_status *status)
{
    options->points = 100;
    if (!options_read(&table, options, argument_count, arguments, status))
        return false;
    if (optind == argument_count)
        *status =
            cmd_complain(CMD_MISUSED, name, "name an EXPERIMENT.yaml; see 'mrc sweep --help'");
    else if (!options->folder)
        *status = cmd_complain(CMD_MISUSED, name, "name a folder for the runs: -o FOLDER");
    return *status == CMD_DONE;
}

static enum cmd_status lead_ranks(
    int argument_count, char **arguments, const struct study_ranks *ranks)
{
    struct options *options = grow_take(1, sizeof(*options));
    enum cmd_status status;

    if (read_options(options, argument_count, arguments, &status))
        status =
            read_and_run(options, arguments + optind, (uint32_t)(argument_count - optind), ranks);
    free(options);
    return status;
}

/* ---- other ranks ----------------------------------------------------------------------------- */

static void follow_plans(struct study_plan *plans, uint32_t plan_count,
    const struct options *options, const struct study_ranks *ranks)
{
    struct study_manner manner = manner_of(options, ranks);
    struct study_run **runs;
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan_count; i++)
        count += plans[i].run_count;
    runs = grow_take(count, sizeof(struct study_run *));
    count = 0;
    for (uint32_t i = 0; i < plan_count; i++)
        for (uint32_t k = 0; k < plans[i].run_count; k++)
            runs[count++] = plans[i].runs[k];
    study_rounds_follow(runs, count, &manner);
    free(runs);
}

static void follow_ranks(int argument_count, char **arguments, const struct study_ranks *ranks)
{
    struct options *options = grow_take(1, sizeof(*options));
    struct study_plan *plans;
    enum cmd_status status;
    uint32_t count;

    if (!read_options(options, argument_count, arguments, &status))
        cmd_ranks_give_up(name, ranks, "");
    plans = grow_take((size_t)(argument_count - optind), sizeof(*plans));
    if (!read_plans(plans, &count, options, arguments + optind))
        cmd_ranks_give_up(name, ranks, plans[count - 1].yaml.problem);
    if (ranks_agree(plans, count, options, ranks))
        follow_plans(plans, count, options, ranks);
    free_plans(plans, count);
    free(options);
}

static enum cmd_status run_sweep(int argument_count, char **arguments)
{
    static const struct cmd_ranks on_ranks = { name, lead_ranks, follow_ranks };

    return cmd_ranks_run(&on_ranks, argument_count, arguments);
}

const struct cmd sweep_command = {
    .name = "sweep",
    .summary = "make the runs of many experiments and compare them",
    .run = run_sweep,
    .options = &table,
};
