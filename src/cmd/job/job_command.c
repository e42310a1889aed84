/* SPDX-License-Identifier: Apache-2.0 */
/* mrc job: what failures cost a training job over months, with each protocol. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"
#include "files/files.h"
#include "study/study.h"

enum { TRIALS = 200 };

static const char name[] = "job";

struct options {
    uint32_t trials;
    uint64_t seed;
    bool is_json;
    bool wants_default;
};

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_NUMBER, 0, "trials", "N", "N jobs with each protocol [200]", AT(trials), .least = 2, .most = 1000000 },
    { OPTION_NUMBER, 0, "seed", "N", "the seed of the failures [1]", AT(seed), .most = UINT64_MAX / 2 },
    { OPTION_FLAG, 'j', "json", NULL, "print the result as JSON instead of the table", AT(is_json) },
    { OPTION_FLAG, 0, "default", NULL, "print the built-in job, to change it", AT(wants_default) },
};
/* clang-format on */

static const struct option_table table = {
    .command = "job",
    .intro = "usage: mrc job [OPTIONS] [JOB.json]\n"
             "\n"
             "Follows a training job over months, without packets: work, checkpoints, failures at "
             "random, and\n"
             "what each failure costs with each protocol. Prints goodput, lost GPU hours by class "
             "of failure\n"
             "and their price, with 95 % confidence intervals. Without a file, a built-in job is "
             "used.",
    .closing = "Exit status: 0; 2 for a wrong command line or job.\n"
               "\n"
               "  mrc job --default >job.json\n"
               "  mrc job --trials 1000 job.json",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* ---- printing -------------------------------------------------------------------------------- */

static json_t *figure_json(const struct job_figure *figure)
{
    return json_pack("{s:f,s:f}", "mean", figure->mean, "around", figure->around);
}

static json_t *result_json(const struct job *job, const struct job_result *result)
{
    json_t *classes = json_object();

    for (uint32_t i = 0; i < job->class_count; i++)
        json_object_set_new(classes, job->classes[i].name,
            json_pack("{s:o,s:o,s:o}", "events", figure_json(&result->classes[i].events),
                "restarts", figure_json(&result->classes[i].restarts), "gpu_hours",
                figure_json(&result->classes[i].gpu_hours)));
    return json_pack("{s:o,s:o,s:o,s:f,s:o}", "goodput", figure_json(&result->goodput), "gpu_hours",
        figure_json(&result->gpu_hours), "checkpoint_gpu_hours",
        figure_json(&result->checkpoint_gpu_hours), "usd",
        result->gpu_hours.mean * job->gpu_hour_usd, "failures", classes);
}

static void print_json(
    const struct job *job, const struct job_result *results, const struct options *options)
{
    json_t *protocols = json_object();
    json_t *json;

    for (uint32_t i = 0; i < job->protocol_count; i++)
        json_object_set_new(protocols, job->protocols[i].name, result_json(job, &results[i]));
    json = json_pack("{s:i,s:s,s:s,s:I,s:I,s:o}", "openmrc_job", 1, "version", OPENMRC_VERSION,
        "name", job->name, "trials", (json_int_t)options->trials, "seed", (json_int_t)options->seed,
        "protocols", protocols);
    json_dumpf(json, stdout, JSON_FORM);
    putchar('\n');
    json_decref(json);
}

/* GPU hours that the job loses for each GPU hour that a failed component is away. */
static double amplification(const struct job_class *class, const struct job_class_result *result)
{
    double away_hours = result->events.mean * class->lasts_s / 3600;

    return away_hours > 0 ? result->gpu_hours.mean / away_hours : 0;
}

static void print_protocol(
    const struct job *job, const struct job_protocol *protocol, const struct job_result *result)
{
    printf("\n%s: goodput %.2f%% +- %.2f; %.0f GPU hours lost, %.0f US dollars\n", protocol->name,
        result->goodput.mean * 100, result->goodput.around * 100, result->gpu_hours.mean,
        result->gpu_hours.mean * job->gpu_hour_usd);
    printf("  %-20s %10s %10s %22s %14s\n", "class", "failures", "restarts", "GPU hours lost",
        "amplification");
    for (uint32_t i = 0; i < job->class_count; i++) {
        const struct job_class_result *of = &result->classes[i];

        printf("  %-20s %10.1f %10.1f %12.1f +- %6.1f %14.0f\n", job->classes[i].name,
            of->events.mean, of->restarts.mean, of->gpu_hours.mean, of->gpu_hours.around,
            amplification(&job->classes[i], of));
    }
    printf("  %-20s %10s %10s %12.1f +- %6.1f\n", "checkpoints", "", "",
        result->checkpoint_gpu_hours.mean, result->checkpoint_gpu_hours.around);
}

/* ---- running --------------------------------------------------------------------------------- */

static enum cmd_status read_job(const char *path, struct job *job)
{
    char reason[JOB_FILE_REASON_BYTES];
    const char *shown = path ? path : "built-in";
    json_error_t error;
    json_t *json = path ? json_load_file(path, 0, &error) : json_loads(job_file_default, 0, &error);
    bool is_read;

    if (!json && error.line < 0)
        return cmd_complain(CMD_MISUSED, name, "%s", error.text);
    if (!json)
        return cmd_complain(CMD_MISUSED, name, "%s:%d:%d: not JSON: %s", shown, error.line,
            error.column, error.text);
    is_read = job_file_read(json, job, reason);
    json_decref(json);
    return is_read ? CMD_DONE : cmd_complain(CMD_MISUSED, name, "%s: %s", shown, reason);
}

static void run_protocols(const struct job *job, const struct options *options)
{
    struct job_result *results = grow_take(job->protocol_count, sizeof(*results));

    for (uint32_t i = 0; i < job->protocol_count; i++)
        job_model_run(job, i, options->seed, options->trials, &results[i]);
    if (options->is_json) {
        print_json(job, results, options);
    } else {
        printf("%s: %.0f GPUs for %.0f days, %u trials\n", job->name, job->gpus, job->days,
            options->trials);
        for (uint32_t i = 0; i < job->protocol_count; i++)
            print_protocol(job, &job->protocols[i], &results[i]);
    }
    free(results);
}

static enum cmd_status run_job(int argument_count, char **arguments)
{
    struct options options = { .trials = TRIALS, .seed = 1 };
    enum cmd_status status;
    struct job *job;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (optind + 1 < argument_count)
        return cmd_complain(
            CMD_MISUSED, name, "name one job; unexpected argument '%s'", arguments[optind + 1]);
    if (options.wants_default) {
        fputs(job_file_default, stdout);
        return CMD_DONE;
    }
    job = grow_take(1, sizeof(*job));
    status = read_job(arguments[optind], job);
    if (status == CMD_DONE)
        run_protocols(job, &options);
    free(job);
    return status;
}

const struct cmd job_command = {
    .name = "job",
    .summary = "estimate what failures cost a training job over months",
    .run = run_job,
    .options = &table,
};
