/* SPDX-License-Identifier: Apache-2.0 */
/* mrc compare: runs one experiment with all protocols and shows how they differ. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "carrier/carrier.h"
#include "cmd/completion.h"
#include "cmd/options.h"
#include "files/files.h"
#include "result/result.h"
#include "study/study.h"
#include "web/web.h"

#define SEEDS_MAX  1000
#define TRIALS_MAX 1000

static const char name[] = "compare";

/* ---- options --------------------------------------------------------------------------------- */

struct options {
    const char *file; /* NULL: the built-in experiment */
    struct study_contender_choice choice;
    enum study_normalisation normalisation;
    struct option_list sets;
    uint32_t seeds;  /* 0: the number in the file */
    uint32_t trials; /* 0: no search */
    uint32_t jobs;   /* 0: one per processor */
    uint32_t threads;
    const char *output_path; /* NULL: none */
    const char *csv_path;
    const char *report_path;
    bool is_json;
    bool is_quiet;
};

static enum cmd_status take_protocols(void *options, char *value)
{
    struct options *its = options;
    char reason[STUDY_CONTENDER_REASON_BYTES];

    if (study_contender_choose(&its->choice, value, reason))
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name, "--protocols: %s", reason);
}

static enum cmd_status take_fabric(void *options, char *value)
{
    struct options *its = options;
    char known[64];

    for (int i = 0; i < STUDY_NORMALISATION_COUNT; i++)
        if (strcmp(value, study_normalisation_words[i]) == 0) {
            its->normalisation = (enum study_normalisation)i;
            return CMD_DONE;
        }
    word_list(study_normalisation_words, known, sizeof(known));
    return cmd_complain(CMD_MISUSED, name, "--fabric: there is no '%s'; give %s", value, known);
}

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_CALL, 0, "protocols", "NAME,...", "compare these contenders, or all contenders of a protocol [all]",
        .read = take_protocols, .values = OPTION_VALUES_CONTENDERS },
    { OPTION_CALL, 0, "fabric", "WHICH", "same: one fabric for all [default]; native: the fabric that users of a protocol build;\nrails: likewise, with rails; budget: as native, at equal cost; budget-rails: both",
        .read = take_fabric, .values = OPTION_VALUES_NORMALISATIONS },
    { OPTION_NUMBER, 0, "best", "N", "try N settings of each contender first, and show it with the best of them as well",
        AT(trials), .least = 1, .most = TRIALS_MAX },
    { OPTION_NUMBER, 0, "seeds", "N", "N runs of each with consecutive seeds: mean and spread [as the file says]",
        AT(seeds), .least = 1, .most = SEEDS_MAX },
    { OPTION_LIST, 0, "set", "KEY=VALUE", "change a key of the experiment; may be repeated", AT(sets), .values = OPTION_VALUES_PARAMETERS },
    { OPTION_NUMBER, 0, "jobs", "N", "N runs at a time [the number of processors]", AT(jobs), .least = 1, .most = 1024 },
    { OPTION_NUMBER, 0, "threads", "N", "N threads for each run [1]", AT(threads), .least = 1, .most = SIM_SHARDS_MAX },
    { OPTION_FLAG, 'j', "json", NULL, "print the comparison as JSON instead of tables", AT(is_json) },
    { OPTION_TEXT, 'o', "output", "FILE", "write the comparison to FILE, as JSON (- is standard output)", AT(output_path) },
    { OPTION_TEXT, 0, "csv", "FILE", "write a line for each case and contender to FILE", AT(csv_path) },
    { OPTION_TEXT, 0, "report", "FILE", "write an HTML page to FILE", AT(report_path) },
    { OPTION_FLAG, 'q', "quiet", NULL, "print only errors, and no progress", AT(is_quiet) },
};
/* clang-format on */

static void list_contenders(FILE *to)
{
    fputs("Contenders:\n", to);
    for (uint32_t i = 0; i < study_contender_count; i++)
        fprintf(to, "  %-15s %s\n", study_contenders[i].name, study_contenders[i].title);
    fputc('\n', to);
}

static const struct option_table table = {
    .command = "compare",
    .intro = "usage: mrc compare [OPTIONS] [EXPERIMENT.yaml]\n"
             "\n"
             "Runs the experiment with MRC and with each protocol that it is compared with: the "
             "same fabric,\n"
             "work, faults and seeds. Shows goodput, completion times, losses, recovery from "
             "faults, and the\n"
             "state of NICs and switches. A sweep in the file makes several cases. Without a file, "
             "a ring\n"
             "and an incast are run, with one failure of each class.",
    .closing = "Exit status: 0; 1 if a run fails or is interrupted; 2 for a wrong command line or\n"
               "experiment.\n"
               "\n"
               "  mrc compare --report compare.html\n"
               "  mrc compare --protocols mrc,roce-8qp --seeds 5 experiments/permutation.yaml\n"
               "  mrc compare --fabric native --best 8 --seeds 3",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .list = list_contenders,
};

static bool read_options(
    struct options *options, int argument_count, char **arguments, enum cmd_status *status)
{
    *options = (struct options){ 0 };
    study_contender_choose_all(&options->choice);
    if (!options_read(&table, options, argument_count, arguments, status))
        return false;
    if (optind + 1 < argument_count)
        *status = cmd_complain(CMD_MISUSED, name, "name one experiment; unexpected argument '%s'",
            arguments[optind + 1]);
    else if (optind < argument_count)
        options->file = arguments[optind];
    if (options->output_path && strcmp(options->output_path, "-") == 0) {
        options->is_json = true;
        options->output_path = NULL;
    }
    return *status == CMD_DONE;
}

/* ---- results --------------------------------------------------------------------------------- */

static bool is_written(const char *path, int err)
{
    if (err)
        cmd_complain(CMD_FAILED, name, "%s: %s", path, strerror(-err));
    return err == 0;
}

/* Called before the runs, which may take long. */
static bool can_write(const char *path)
{
    return !path || is_written(path, whole_file_try(path));
}

static int write_page(FILE *to, void *comparison)
{
    return web_compare_write(to, comparison);
}

static bool write_files(json_t *comparison, const struct options *options)
{
    const char *output = options->output_path;
    const char *csv = options->csv_path;
    const char *report = options->report_path;

    return (!output || is_written(output, result_document_write(comparison, output))) &&
           (!csv || is_written(csv, comparison_write_csv(comparison, csv))) &&
           (!report || is_written(report, whole_file_write(report, write_page, comparison)));
}

static enum cmd_status tell_result(json_t *comparison, const struct options *options)
{
    if (!write_files(comparison, options))
        return CMD_FAILED;
    if (options->is_json) {
        json_dumpf(comparison, stdout, JSON_FORM);
        putchar('\n');
    } else if (!options->is_quiet) {
        comparison_print(stdout, comparison);
    }
    return CMD_DONE;
}

/* ---- running --------------------------------------------------------------------------------- */

static void complain_problem(const char *problem)
{
    cmd_complain(CMD_FAILED, name, "%s", problem);
}

static bool shows_progress(const struct options *options)
{
    return !options->is_quiet && isatty(STDERR_FILENO);
}

static void show_progress(void *context, const struct study_compare *compare)
{
    if (!shows_progress(context))
        return;
    fprintf(stderr, "\r\033[K%s%u of %u runs", compare->is_searching ? "search: " : "",
        compare->done_count, compare->run_count);
    fflush(stderr);
}

static enum cmd_status run_plans(struct study_compare *compare, struct options *options)
{
    struct study_manner manner = { .jobs = options->jobs ? options->jobs : carrier_processors(),
        .threads = options->threads ? options->threads : 1,
        .is_interrupted = cmd_catch_interrupts((int)SA_RESETHAND),
        .complain = complain_problem };
    enum cmd_status status;
    json_t *comparison;

    if (!can_write(options->output_path) || !can_write(options->csv_path) ||
        !can_write(options->report_path))
        return CMD_FAILED;
    comparison = study_compare_run(compare, &manner, show_progress, options);
    if (shows_progress(options))
        fputs("\r\033[K", stderr);
    if (!comparison)
        return *manner.is_interrupted
                   ? cmd_complain(CMD_FAILED, name, "interrupted after %u of %u runs%s",
                         compare->done_count, compare->run_count,
                         compare->is_searching ? " of the search" : "")
                   : CMD_FAILED;
    status = tell_result(comparison, options);
    json_decref(comparison);
    return status;
}

static enum cmd_status run_compare(int argument_count, char **arguments)
{
    struct study_compare *compare = grow_take(1, sizeof(*compare));
    struct options options;
    struct study_comparison comparison;
    struct study_changes changes;
    enum cmd_status status;

    if (carrier_mpi_expected() > 1)
        status = cmd_complain(
            CMD_MISUSED, name, "this command uses one process; start mrc without mpirun");
    else if (read_options(&options, argument_count, arguments, &status)) {
        changes = (struct study_changes){
            .sets = options.sets.at, .set_count = options.sets.count, .repeat = options.seeds
        };
        comparison = (struct study_comparison){ .choice = &options.choice,
            .path = options.file,
            .changes = &changes,
            .normalisation = options.normalisation,
            .trials = options.trials };
        if (study_compare_read(compare, &comparison))
            status = run_plans(compare, &options);
        else
            status = cmd_complain(CMD_MISUSED, name, "%s", compare->problem);
        study_compare_fini(compare);
    }
    free(compare);
    return status;
}

const struct cmd compare_command = {
    .name = "compare",
    .summary = "run an experiment with all protocols and compare them",
    .run = run_compare,
    .options = &table,
};
