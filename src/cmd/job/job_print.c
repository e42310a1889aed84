/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the results of mrc job. */
#include <stdio.h>

#include "cmd/job/job_options.h"
#include "files/files.h"

/* Returns where the cost of a failure comes from. */
static const char *origin_of(const struct job_class *class, uint32_t protocol)
{
    if (class->restarts)
        return "assumed: restarts";
    if (!class->costs[protocol].is_measured)
        return "assumed";
    if (class->costs[protocol].hangs)
        return "measured: hangs";
    return class->costs[protocol].restarts ? "measured: QP error" : "measured";
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *figure_json(const struct job_figure *figure)
{
    return json_pack("{s:f,s:f}", "mean", figure->mean, "around", figure->around);
}

static json_t *class_json(
    const struct job *job, uint32_t protocol, uint32_t index, const struct job_class_result *result)
{
    const struct job_class *class = &job->classes[index];

    return json_pack("{s:o,s:o,s:o,s:f,s:f,s:s}", "events", figure_json(&result->events),
        "restarts", figure_json(&result->restarts), "gpu_hours", figure_json(&result->gpu_hours),
        "usd", result->gpu_hours.mean * job->gpu_hour_usd, "amplification",
        job_model_amplification(class, result), "cost", origin_of(class, protocol));
}

static json_t *result_json(
    const struct job *job, uint32_t protocol, const struct job_result *result)
{
    json_t *classes = json_object();

    for (uint32_t i = 0; i < job->class_count; i++)
        json_object_set_new(
            classes, job->classes[i].name, class_json(job, protocol, i, &result->classes[i]));
    return json_pack("{s:o,s:o,s:o,s:f,s:o}", "goodput", figure_json(&result->goodput), "gpu_hours",
        figure_json(&result->gpu_hours), "checkpoint_gpu_hours",
        figure_json(&result->checkpoint_gpu_hours), "usd",
        result->gpu_hours.mean * job->gpu_hour_usd, "failures", classes);
}

void job_print_json(
    const struct job *job, const struct job_result *results, const struct job_options *options)
{
    json_t *protocols = json_object();
    json_t *json;

    for (uint32_t i = 0; i < job->protocol_count; i++)
        json_object_set_new(protocols, job->protocols[i].name, result_json(job, i, &results[i]));
    json = json_pack("{s:i,s:s,s:s,s:I,s:I,s:o}", "openmrc_job", 1, "version", OPENMRC_VERSION,
        "name", job->name, "trials", (json_int_t)options->trials, "seed", (json_int_t)options->seed,
        "protocols", protocols);
    json_dumpf(json, stdout, JSON_FORM);
    putchar('\n');
    json_decref(json);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_protocol(
    const struct job *job, uint32_t protocol, const struct job_result *result)
{
    printf("\n%s: goodput %.2f%% +- %.2f; %.0f GPU hours lost, %.0f US dollars\n",
        job->protocols[protocol].name, result->goodput.mean * 100, result->goodput.around * 100,
        result->gpu_hours.mean, result->gpu_hours.mean * job->gpu_hour_usd);
    printf("  %-20s %10s %10s %22s %10s %14s  %s\n", "class", "failures", "restarts",
        "GPU hours lost", "dollars", "amplification", "cost of one");
    for (uint32_t i = 0; i < job->class_count; i++) {
        const struct job_class_result *of = &result->classes[i];

        printf("  %-20s %10.1f %10.1f %12.1f +- %6.1f %10.0f %14.1f  %s\n", job->classes[i].name,
            of->events.mean, of->restarts.mean, of->gpu_hours.mean, of->gpu_hours.around,
            of->gpu_hours.mean * job->gpu_hour_usd, job_model_amplification(&job->classes[i], of),
            origin_of(&job->classes[i], protocol));
    }
    printf("  %-20s %10s %10s %12.1f +- %6.1f %10.0f\n", "checkpoints", "", "",
        result->checkpoint_gpu_hours.mean, result->checkpoint_gpu_hours.around,
        result->checkpoint_gpu_hours.mean * job->gpu_hour_usd);
}

void job_print_table(const struct job *job, const struct job_result *results,
    const struct job_options *options, const json_t *events)
{
    const json_t *fabric = json_object_get(events, "fabric");

    printf("%s: %.0f GPUs for %.0f days, %u trials\n", job->name, job->gpus, job->days,
        options->trials);
    if (events)
        printf("measured: %s, version %s, with %lld NICs of 1/%.4g of 800 Gb/s\n",
            json_string_value(json_object_get(events, "experiment")),
            json_string_value(json_object_get(events, "version")),
            json_integer_value(json_object_get(fabric, "nics")),
            json_number_value(json_object_get(events, "rate_factor")));
    for (uint32_t i = 0; i < job->protocol_count; i++)
        print_protocol(job, i, &results[i]);
}
