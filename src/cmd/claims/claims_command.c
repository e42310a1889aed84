/* SPDX-License-Identifier: Apache-2.0 */
/* mrc claims: measures claims about MRC and says which of them hold. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "carrier/carrier.h"
#include "cmd/options.h"
#include "files/files.h"
#include "study/study.h"

#define POINTS 20 /* of the series of a run, which no claim reads */

static const char name[] = "claims";

/* ---- options --------------------------------------------------------------------------------- */

struct options {
    const char *folder;
    const char *tests; /* NULL: tests are not run */
    uint32_t jobs;     /* 0: one per processor */
    bool is_list;
    bool is_json;
    bool is_quiet;
};

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_TEXT, 'o', "output", "FOLDER", "keep the runs in FOLDER, and continue with what is missing there", AT(folder) },
    { OPTION_TEXT, 0, "tests", "FOLDER", "run the tests that prove claims; their programs are in FOLDER", AT(tests) },
    { OPTION_NUMBER, 0, "jobs", "N", "N runs at a time [the number of processors]", AT(jobs), .least = 1, .most = 1024 },
    { OPTION_FLAG, 'l', "list", NULL, "list the claims and run nothing", AT(is_list) },
    { OPTION_FLAG, 'j', "json", NULL, "print the verdicts as JSON", AT(is_json) },
    { OPTION_FLAG, 'q', "quiet", NULL, "print only errors, and no progress", AT(is_quiet) },
};
/* clang-format on */

static const struct option_table table = {
    .command = "claims",
    .intro = "usage: mrc claims [OPTIONS] -o FOLDER CLAIM.yaml...\n"
             "       mrc claims --list CLAIM.yaml...\n"
             "\n"
             "Runs the experiments that decide the claims, each once, and prints for each claim\n"
             "whether it is confirmed, refuted, or depends, and the numbers. Runs are kept in\n"
             "FOLDER, and made again only by another mrc or from other inputs.",
    .closing = "Exit status: 0, whatever the verdicts; 1 if a claim remains undecided; 2 for a\n"
               "wrong command line, claim or experiment.\n"
               "\n"
               "  mrc claims -o build/claims --tests build/tests experiments/claims/*.yaml",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static bool read_options(
    struct options *options, int argument_count, char **arguments, enum cmd_status *status)
{
    *options = (struct options){ 0 };
    if (!options_read(&table, options, argument_count, arguments, status))
        return false;
    if (optind == argument_count)
        *status = cmd_complain(CMD_MISUSED, name, "name a CLAIM.yaml; see 'mrc claims --help'");
    else if (!options->folder && !options->is_list)
        *status = cmd_complain(CMD_MISUSED, name, "name a folder for the runs: -o FOLDER");
    return *status == CMD_DONE;
}

/* ---- printing -------------------------------------------------------------------------------- */

static const char *text_of(const json_t *json, const char *key)
{
    return json_string_value(json_object_get(json, key));
}

static void print_value(const json_t *its)
{
    const json_t *value = json_object_get(its, "value");
    double least = json_number_value(json_object_get(its, "least"));
    double most = json_number_value(json_object_get(its, "most"));

    if (!json_is_number(value))
        return;
    printf(": %.4g", json_number_value(value));
    if (least != most)
        printf(" (%.4g to %.4g)", least, most);
}

static void print_case(const json_t *its)
{
    const json_t *pass = json_object_get(its, "pass");
    const char *problem = text_of(its, "problem");

    printf("     %-14s %s",
        json_is_null(pass)   ? "undecided"
        : json_is_true(pass) ? "holds"
                             : "does not hold",
        text_of(its, "what"));
    print_value(its);
    if (problem)
        printf(": %s", problem);
    putchar('\n');
}

static void print_claim(const json_t *claim, bool is_list)
{
    const char *reason = text_of(claim, "reason");
    const json_t *cases = json_object_get(claim, "cases");
    size_t index;
    const json_t *its;

    printf("%-4s %s%s%s\n", text_of(claim, "claim"), is_list ? "" : text_of(claim, "verdict"),
        is_list ? "" : ": ", text_of(claim, "says"));
    if (is_list)
        return;
    if (reason)
        printf("     %s\n", reason);
    json_array_foreach(cases, index, its)
    {
        print_case(its);
    }
}

static void print_claims(json_t *verdicts, const struct options *options)
{
    size_t index;
    const json_t *claim;

    if (options->is_json) {
        json_t *json = json_pack(
            "{s:i,s:s,s:O}", "openmrc_claims", 1, "version", OPENMRC_VERSION, "claims", verdicts);

        json_dumpf(json, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
        putchar('\n');
        json_decref(json);
        return;
    }
    json_array_foreach(verdicts, index, claim)
    {
        if (!options->is_quiet)
            print_claim(claim, options->is_list);
    }
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

static void show_progress(void *context, const struct study_sweep *sweep)
{
    if (!shows_progress(context))
        return;
    fprintf(stderr, "\r\033[K%u of %u runs", sweep->kept_count + sweep->made_count, sweep->count);
    fflush(stderr);
}

static enum cmd_status tell_verdicts(const struct study_claims *claims,
    const struct study_sweep *sweep, const struct options *options)
{
    json_t *verdicts = study_claims_judge(claims, sweep, options->is_list ? NULL : options->tests);
    bool is_decided = options->is_list || study_claims_decided(verdicts);

    print_claims(verdicts, options);
    json_decref(verdicts);
    return is_decided ? CMD_DONE : CMD_FAILED;
}

static enum cmd_status run_claims_in(
    struct study_claims *claims, struct study_sweep *sweep, struct options *options)
{
    struct study_manner manner = { .jobs = options->jobs ? options->jobs : carrier_processors(),
        .points = POINTS,
        .is_interrupted = cmd_catch_interrupts((int)SA_RESETHAND),
        .complain = complain_problem };
    struct study_sweep_watch watch = { show_progress, options };
    bool is_stored = study_sweep_run(sweep, &manner, &watch);

    if (shows_progress(options))
        fputs("\r\033[K", stderr);
    if (!is_stored)
        return cmd_complain(CMD_FAILED, name, "%s", sweep->reason);
    if (*manner.is_interrupted)
        return cmd_complain(CMD_FAILED, name,
            "interrupted; the same command continues with the %u runs that are missing",
            sweep->count - sweep->kept_count - sweep->made_count);
    return tell_verdicts(claims, sweep, options);
}

static enum cmd_status measure_claims(struct study_claims *claims, struct options *options)
{
    struct study_sweep sweep;
    enum cmd_status status;

    if (study_sweep_open(&sweep, options->folder, claims->plans, claims->plan_count, POINTS))
        status = run_claims_in(claims, &sweep, options);
    else
        status =
            cmd_complain(sweep.has_same_names ? CMD_MISUSED : CMD_FAILED, name, "%s", sweep.reason);
    study_sweep_close(&sweep);
    return status;
}

static enum cmd_status run_claims(int argument_count, char **arguments)
{
    struct study_claims claims;
    struct options options;
    enum cmd_status status;

    if (!read_options(&options, argument_count, arguments, &status))
        return status;
    if (!study_claims_read(&claims, arguments + optind, (uint32_t)(argument_count - optind)))
        status = cmd_complain(CMD_MISUSED, name, "%s", claims.yaml.problem);
    else if (options.is_list)
        status = tell_verdicts(&claims, NULL, &options);
    else
        status = measure_claims(&claims, &options);
    study_claims_fini(&claims);
    return status;
}

const struct cmd claims_command = {
    .name = "claims",
    .summary = "measure claims about MRC and say which of them hold",
    .run = run_claims,
    .options = &table,
};
