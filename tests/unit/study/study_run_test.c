/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments from their files to their results: sweeps, seeds, phases, series, interruption. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/result.h"
#include "spec.h"

static volatile sig_atomic_t is_interrupted;
static char complaint[512];

static void take_complaint(const char *problem)
{
    snprintf(complaint, sizeof(complaint), "%s", problem);
}

static struct study_manner manner(void)
{
    is_interrupted = 0;
    complaint[0] = '\0';
    return (struct study_manner){
        .jobs = 1, .is_interrupted = &is_interrupted, .complain = take_complaint
    };
}

#define SMALL                                                                                      \
    "fabric: { planes: 1, t0s: 2, t1s: 2, hosts_per_t0: 1 }\n"                                     \
    "duration: 100us\nsample: 10us\n"                                                              \
    "workloads: [ { name: w, kind: stream, nics: [0, 1], message_bytes: 64KiB, outstanding: 8 } "  \
    "]\n"

/* Reads the experiment from a file that is gone afterwards. */
static bool read_plan(
    struct study_plan *plan, const char *text, const struct study_changes *changes)
{
    char path[] = "/tmp/study_run_test.XXXXXX";
    int file = mkstemp(path);
    bool is_read;

    EXPECT(write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    is_read = study_plan_read(plan, path, changes);
    unlink(path);
    return is_read;
}

static const json_t *at(const json_t *json, const char *first, const char *second)
{
    return json_object_get(json_object_get(json, first), second);
}

/* ---- plans ----------------------------------------------------------------------------------- */

SPEC("a sweep has a run for each entry, with its settings")
{
    struct study_plan plan;

    EXPECT(read_plan(&plan, SMALL "sweep:\n  - { parameters.mpr: 2 }\n  - { parameters.mpr: 4 }\n",
        &(struct study_changes){ 0 }));
    EXPECT_EQ(plan.run_count, 2);
    EXPECT_EQ(plan.runs[0]->experiment.sim.parameters.mpr, 2);
    EXPECT_EQ(plan.runs[1]->experiment.sim.parameters.mpr, 4);
    EXPECT_EQ(json_integer_value(json_object_get(plan.runs[1]->settings, "parameters.mpr")), 4);
    study_plan_fini(&plan);
}

SPEC("repetitions have seeds one after the other, from the one that the caller gives")
{
    struct study_plan plan;

    EXPECT(read_plan(
        &plan, SMALL, &(struct study_changes){ .has_seed = true, .seed = 7, .repeat = 3 }));
    EXPECT_EQ(plan.run_count, 3);
    EXPECT_EQ(plan.runs[0]->experiment.sim.seed, 7);
    EXPECT_EQ(plan.runs[2]->experiment.sim.seed, 9);
    EXPECT_STR_EQ(plan.runs[2]->label, "seed 9");
    study_plan_fini(&plan);
}

SPEC("an error in the last run of a sweep is found before the first begins")
{
    struct study_plan plan;

    EXPECT(!read_plan(&plan, SMALL "sweep:\n  - { parameters.mpr: 2 }\n  - { parameters.mrp: 4 }\n",
        &(struct study_changes){ 0 }));
    EXPECT(strstr(plan.yaml.problem, "mrp"));
    study_plan_fini(&plan);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static json_t *run_text(const char *text, const struct study_manner *how)
{
    struct study_plan plan;
    json_t *run = NULL;

    EXPECT(read_plan(&plan, text, &(struct study_changes){ 0 }));
    if (plan.run_count == 1)
        run = study_run(plan.runs[0], how);
    study_plan_fini(&plan);
    return run;
}

SPEC("a series has a point for each sample, with the bytes that arrived in it")
{
    struct study_manner how = manner();
    json_t *run = run_text(SMALL, &how);
    const json_t *times = at(run, "series", "time_us");
    const json_t *goodput = json_object_get(at(run, "series", "goodput_bps"), "w");

    EXPECT_STR_EQ(json_string_value(json_object_get(run, "status")), "out_of_time");
    EXPECT_EQ(json_array_size(times), 10);
    EXPECT_EQ(json_array_size(goodput), 10);
    EXPECT_GE((int)json_number_value(json_array_get(times, 0)), 10);
    EXPECT_GT(json_integer_value(json_array_get(goodput, 9)), 90000000000);
    json_decref(run);
}

SPEC("a phase counts only what happens in it")
{
    struct study_manner how = manner();
    json_t *run = run_text(SMALL "faults: [ { kind: down, where: h0.p0, at: 50us } ]\n"
                                 "phases: [ { name: before, from: 20us, until: 50us },"
                                 " { name: after, from: 60us } ]\n",
        &how);
    const json_t *phases = at(run, "summary", "phases");
    const json_t *before = json_object_get(at(phases, "before", "workloads"), "w");
    const json_t *after = json_object_get(at(phases, "after", "workloads"), "w");

    EXPECT_GT(json_integer_value(json_object_get(before, "bytes")), 0);
    EXPECT_EQ(json_integer_value(json_object_get(after, "bytes")), 0);
    EXPECT_EQ(json_integer_value(at(phases, "before", "lost")), 0);
    json_decref(run);
}

SPEC("an experiment has the same hash with either engine, and another with other work")
{
    struct study_manner how = manner();
    json_t *windows = run_text(SMALL, &how);
    json_t *heap;
    json_t *other;

    how.uses_heap = true;
    heap = run_text(SMALL, &how);
    other = run_text(SMALL "parameters: { pmtu: 2048 }\n", &how);
    EXPECT_STR_EQ(json_string_value(json_object_get(heap, "hash")),
        json_string_value(json_object_get(windows, "hash")));
    EXPECT(strcmp(json_string_value(json_object_get(other, "hash")),
               json_string_value(json_object_get(windows, "hash"))) != 0);
    json_decref(windows);
    json_decref(heap);
    json_decref(other);
}

static uint32_t samples_seen;

static void interrupt_at_third(void *context, const struct measure_record *record)
{
    (void)context;
    (void)record;
    if (++samples_seen == 3)
        is_interrupted = 1;
}

SPEC("an interrupted run has the figures so far")
{
    struct study_manner how = manner();
    json_t *run;

    samples_seen = 0;
    how.watch.on_sample = interrupt_at_third;
    run = run_text(SMALL, &how);
    EXPECT_STR_EQ(json_string_value(json_object_get(run, "status")), "partial");
    EXPECT_LT(json_array_size(at(run, "series", "time_us")), 10);
    EXPECT_GE(json_array_size(at(run, "series", "time_us")), 3);
    json_decref(run);
}

SPEC("a trace that cannot be written ends the run with a complaint")
{
    struct study_manner how = manner();

    how.trace_path = "/nonexistent/trace";
    EXPECT(!run_text(SMALL, &how));
    EXPECT_STR_EQ(complaint, "/nonexistent/trace: No such file or directory");
}

SPEC("runs in processes of their own are returned in order")
{
    struct study_manner how = manner();
    struct study_plan plan;
    json_t *runs;

    how.jobs = 2;
    EXPECT(read_plan(&plan, SMALL, &(struct study_changes){ .repeat = 3 }));
    runs = study_jobs_gather(plan.runs, plan.run_count, &how);
    EXPECT_EQ(json_array_size(runs), 3);
    for (size_t i = 0; i < json_array_size(runs); i++)
        EXPECT_EQ((uint64_t)json_integer_value(json_object_get(json_array_get(runs, i), "seed")),
            plan.runs[i]->experiment.sim.seed);
    json_decref(runs);
    study_plan_fini(&plan);
}
