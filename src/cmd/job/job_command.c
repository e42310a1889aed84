/* SPDX-License-Identifier: Apache-2.0 */
/* mrc job: what failures cost a training job over months, with each protocol. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/job/job_options.h"
#include "files/files.h"

enum { TRIALS = 200 };

static const char name[] = "job";

/* The contenders that are measured unless others are named. */
static const char usual_contenders[] = "mrc,roce-8qp,uet,ib";

static enum cmd_status choose_contenders(void *options, char *value)
{
    struct job_options *its = options;
    char reason[STUDY_CONTENDER_REASON_BYTES];

    its->has_choice = true;
    if (study_contender_choose(&its->choice, value, reason))
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name, "--protocols: %s", reason);
}

#define AT(member) OPTION_AT(struct job_options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_NUMBER, 0, "trials", "N", "N jobs with each protocol [200]", AT(trials), .least = 2, .most = 1000000 },
    { OPTION_NUMBER, 0, "seed", "N", "the seed of the failures, or of the simulations [1]", AT(seed), .most = UINT64_MAX / 2 },
    { OPTION_FLAG, 'j', "json", NULL, "print the result as JSON instead of the table", AT(is_json) },
    { OPTION_FLAG, 0, "default", NULL, "print the built-in job, to change it", AT(wants_default) },
    { OPTION_TEXT, 0, "events", "FILE", "use the costs in FILE, which --measure wrote, in place of assumed ones", AT(events_path) },
    { OPTION_TEXT, 0, "prices", "FILE", "the price of a GPU hour from FILE, as for mrc plan: the middle of its range", AT(prices_path) },
    { OPTION_HEADING, .help = "Measuring:" },
    { OPTION_FLAG, 0, "measure", NULL, "simulate one failure of each class with packets, and write its costs;\nwith a file: that experiment [built-in]", AT(measures) },
    { OPTION_CALL, 0, "protocols", "NAME,...", "measure these contenders [mrc,roce-8qp,uet,ib]",
        .read = choose_contenders, .values = OPTION_VALUES_CONTENDERS },
    { OPTION_NUMBER, 0, "seeds", "N", "measure each class with N seeds, from --seed on [repeat of the experiment]", AT(seeds), .least = 1, .most = 100 },
    { OPTION_LIST, 0, "set", "KEY=VALUE", "change a key of the experiment; may be repeated", AT(sets), .values = OPTION_VALUES_PARAMETERS },
    { OPTION_NUMBER, 0, "jobs", "N", "N runs at a time [the number of processors]", AT(jobs), .least = 1, .most = 1024 },
    { OPTION_TEXT, 'o', "output", "FILE", "write the measured costs to FILE [standard output]", AT(output_path) },
};
/* clang-format on */

static const struct option_table table = {
    .command = "job",
    .intro = "usage: mrc job [OPTIONS] [JOB.json]\n"
             "       mrc job --measure [OPTIONS] [EXPERIMENT.yaml]\n"
             "\n"
             "Follows a training job over months, without packets: work, checkpoints, failures at "
             "random, and\n"
             "what each failure costs with each protocol. Prints goodput, lost GPU hours by class "
             "of failure\n"
             "and their price, with 95 % confidence intervals. Without a file, a built-in job is "
             "used.",
    .closing = "Exit status: 0; 1 if a simulation fails; 2 for a wrong command line, job or file.\n"
               "\n"
               "  mrc job --default >job.json\n"
               "  mrc job --trials 1000 job.json\n"
               "  mrc job --measure -o measured.json && mrc job --events measured.json",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* ---- running --------------------------------------------------------------------------------- */

/* Returns NULL after an error message. `path` NULL: the built-in job. */
static json_t *load_json(const char *path)
{
    json_error_t error;
    json_t *json = path ? json_load_file(path, 0, &error) : json_loads(job_file_default, 0, &error);

    if (!json && error.line < 0)
        cmd_complain(CMD_MISUSED, name, "%s", error.text);
    else if (!json)
        cmd_complain(CMD_MISUSED, name, "%s:%d:%d: not JSON: %s", path, error.line, error.column,
            error.text);
    return json;
}

static bool complain_json(const char *path, const char *reason)
{
    cmd_complain(CMD_MISUSED, name, "%s: %s", path ? path : "built-in", reason);
    return false;
}

static bool read_job(const char *path, struct job *job)
{
    char reason[JOB_FILE_REASON_BYTES];
    json_t *json = load_json(path);
    bool is_read = json && job_file_read(json, job, reason);

    if (json && !is_read)
        complain_json(path, reason);
    json_decref(json);
    return is_read;
}

/* Sets *events to the contents of the file; NULL: none is named. */
static bool read_events(const char *path, struct job *job, json_t **events)
{
    char reason[JOB_FILE_REASON_BYTES];

    *events = path ? load_json(path) : NULL;
    if (!*events)
        return !path;
    return job_events_apply(*events, job, reason) || complain_json(path, reason);
}

static bool read_prices(const char *path, struct job *job)
{
    struct prices prices;
    struct yaml yaml;
    bool is_read;

    if (!path)
        return true;
    yaml_init(&yaml);
    is_read = price_file_read(&yaml, path, &prices);
    if (is_read)
        job->gpu_hour_usd =
            (prices.parts[PRICE_GPU_HOUR].usd.least + prices.parts[PRICE_GPU_HOUR].usd.most) / 2;
    else
        cmd_complain(CMD_MISUSED, name, "%s", yaml.problem);
    yaml_fini(&yaml);
    return is_read;
}

static void run_protocols(
    const struct job *job, const struct job_options *options, const json_t *events)
{
    struct job_result *results = grow_take(job->protocol_count, sizeof(*results));

    for (uint32_t i = 0; i < job->protocol_count; i++)
        job_model_run(job, i, options->seed, options->trials, &results[i]);
    if (options->is_json)
        job_print_json(job, results, options);
    else
        job_print_table(job, results, options, events);
    free(results);
}

static enum cmd_status follow_job(const struct job_options *options, const char *path)
{
    struct job *job = grow_take(1, sizeof(*job));
    enum cmd_status status = CMD_MISUSED;
    json_t *events = NULL;

    if (read_job(path, job) && read_prices(options->prices_path, job) &&
        read_events(options->events_path, job, &events)) {
        run_protocols(job, options, events);
        status = CMD_DONE;
    }
    json_decref(events);
    free(job);
    return status;
}

/* Returns an option that was given and has no effect; NULL: none. */
static const char *idle_option(const struct job_options *options)
{
    const struct {
        const char *option;
        bool is_given;
        bool measures; /* it is for --measure */
    } given[] = {
        { "--protocols", options->has_choice, true },
        { "--seeds", options->seeds > 0, true },
        { "--set", options->sets.count > 0, true },
        { "--jobs", options->jobs > 0, true },
        { "--output", options->output_path, true },
        { "--events", options->events_path, false },
        { "--prices", options->prices_path, false },
    };

    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
        if (given[i].is_given && given[i].measures != options->measures)
            return given[i].option;
    return NULL;
}

static enum cmd_status run_job(int argument_count, char **arguments)
{
    struct job_options options = { .trials = TRIALS, .seed = 1 };
    char reason[STUDY_CONTENDER_REASON_BYTES];
    enum cmd_status status;

    study_contender_choose(&options.choice, usual_contenders, reason);
    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (optind + 1 < argument_count)
        return cmd_complain(
            CMD_MISUSED, name, "name one job; unexpected argument '%s'", arguments[optind + 1]);
    if (options.wants_default) {
        fputs(job_file_default, stdout);
        return CMD_DONE;
    }
    if (idle_option(&options))
        return cmd_complain(CMD_MISUSED, name, "%s has no effect %s --measure; remove it",
            idle_option(&options), options.measures ? "with" : "without");
    return options.measures ? job_measuring(&options, arguments[optind])
                            : follow_job(&options, arguments[optind]);
}

const struct cmd job_command = {
    .name = "job",
    .summary = "estimate what failures cost a training job over months",
    .run = run_job,
    .options = &table,
};
