/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of jobs: those of their workloads together. */
#include "result/result_jobs.h"

#include "files/files.h"
#include "result/units_text.h"

struct figures {
    uint64_t bytes;
    uint64_t until_ps;
    uint32_t workload_count;
    bool is_done;
};

static void add_workload(
    const struct measure_record *record, uint32_t index, struct figures *figures)
{
    uint64_t from_ps;
    uint64_t until_ps;

    figures->workload_count++;
    figures->bytes += record->last.workload_bytes ? record->last.workload_bytes[index] : 0;
    figures->is_done = figures->is_done && record->workloads[index].done_ps != SIM_NEVER_PS;
    if (measure_span_of(record, index, &from_ps, &until_ps) && until_ps > figures->until_ps)
        figures->until_ps = until_ps;
}

static json_t *summarise_job(const struct measure_record *record, const struct sim_job *job)
{
    const struct sim_config *sim = record->plan->sim;
    struct figures figures = { .is_done = true };
    uint64_t time_ps;

    for (uint32_t i = 0; i < sim->workload_count; i++)
        if (sim->workloads[i].job == job)
            add_workload(record, i, &figures);
    time_ps = figures.until_ps > job->start_ps ? figures.until_ps - job->start_ps : 0;
    return json_pack("{s:I,s:I,s:o,s:I,s:I,s:o}", "nics", (json_int_t)job->nic_count, "workloads",
        (json_int_t)figures.workload_count, "start_us", json_millionths(job->start_ps), "bytes",
        (json_int_t)figures.bytes, "goodput_bps",
        (json_int_t)(time_ps ? measure_bps(figures.bytes, time_ps) : 0), "completion_us",
        figures.is_done ? json_millionths(time_ps) : json_null());
}

json_t *result_jobs(const struct measure_record *record)
{
    const struct sim_config *sim = record->plan->sim;
    json_t *json = json_object();

    for (uint32_t i = 0; i < sim->job_count; i++)
        json_object_set_new(json, sim->jobs[i].name, summarise_job(record, &sim->jobs[i]));
    return json;
}

/* ---- table ----------------------------------------------------------------------------------- */

static double number_of(const json_t *json, const char *key)
{
    return json_number_value(json_object_get(json, key));
}

void result_jobs_print(FILE *to, const json_t *jobs)
{
    const char *name;
    json_t *job;

    if (!jobs)
        return;
    fprintf(to, "  %-20s %9s %8s %11s %11s\n", "job", "goodput", "NICs", "start us", "took us");
    json_object_foreach((json_t *)jobs, name, job)
    {
        const json_t *took = json_object_get(job, "completion_us");
        struct units_text rate = units_text(UNITS_RATE, number_of(job, "goodput_bps"));

        fprintf(to, "  %-20s %9s %8.0f %11.2f", name, rate.at, number_of(job, "nics"),
            number_of(job, "start_us"));
        if (json_is_number(took))
            fprintf(to, " %11.2f\n", json_number_value(took));
        else
            fprintf(to, " %11s\n", "-");
    }
}
