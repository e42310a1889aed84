/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a simulation in steps short enough to react to an interrupt. The steps do not change the
 * result. */
#include "study/study_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <sys/resource.h>

#include "result/result.h"
#include "study/study_capture.h"
#include "study/study_memory.h"
#include "study/study_threads.h"
#include "study/study_trace.h"

#define STEP_S_MAX 0.1 /* wall time between two checks for an interrupt */

static double wall_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- running --------------------------------------------------------------------------------- */

/* The context of the simulation's callbacks: all listeners. */
struct running {
    struct measure_record record;
    struct result_capacity capacity;
    struct study_capture capture;
    struct study_trace trace;
    const struct study_manner *manner;
    struct sim_observer to_record;
    struct sim *sim;
    uint64_t step_ps;
    double began_s;
    double set_up_s; /* when the simulation was ready to run */
    struct study_threads threads;
};

static void on_event(void *context, const struct sim_event *event)
{
    struct running *running = context;

    running->to_record.on_event(running->to_record.context, event);
}

static void on_completion(void *context, const struct sim_completion *completion)
{
    struct running *running = context;

    running->to_record.on_completion(running->to_record.context, completion);
}

static void on_frame(void *context, const struct sim_frame *frame)
{
    struct running *running = context;
    const struct study_filter *filter = running->manner->filter;

    if (!filter || study_filter_passes_frame(filter, frame))
        study_capture_frame(&running->capture, frame);
}

static void on_trace(void *context, uint32_t nic, const struct trace_event *event)
{
    struct running *running = context;
    const struct study_filter *filter = running->manner->filter;

    if (!filter || study_filter_passes_event(filter, nic, event->subject, event->time_ns))
        study_trace_event(&running->trace, nic, event);
}

static bool is_interrupted(const struct running *running)
{
    return *running->manner->is_interrupted;
}

/* Returns true if the run is interrupted or cannot write its files. */
static bool must_end(const struct running *running)
{
    return is_interrupted(running) || running->capture.error || running->trace.error;
}

/* Returns the next time at which something must be recorded. */
static uint64_t next_stop(
    const struct running *running, const struct experiment *experiment, uint64_t now_ps)
{
    const struct measure_plan *plan = &experiment->measure;
    uint64_t stop_ps = (now_ps / plan->sample_ps + 1) * plan->sample_ps;
    uint64_t look_ps = result_capacity_stop_ps(&running->capacity);

    if (stop_ps > look_ps)
        stop_ps = look_ps;
    if (stop_ps > experiment->sim.duration_ps)
        stop_ps = experiment->sim.duration_ps;
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct measure_phase *phase = &plan->phases[i];

        if (phase->from_ps > now_ps && phase->from_ps < stop_ps)
            stop_ps = phase->from_ps;
        if (phase->until_ps > now_ps && phase->until_ps < stop_ps)
            stop_ps = phase->until_ps;
    }
    return stop_ps;
}

/* Runs to `stop_ps`, or until the run ends or is interrupted. */
static enum sim_status run_to(struct running *running, uint64_t stop_ps)
{
    const struct study_watch *watch = &running->manner->watch;
    enum sim_status status = SIM_RUNNING;

    while (status == SIM_RUNNING && sim_now_ps(running->sim) < stop_ps && !must_end(running)) {
        uint64_t until_ps = sim_now_ps(running->sim) + running->step_ps;
        double began_s = wall_s();
        double took_s;

        status = sim_run(running->sim, until_ps < stop_ps ? until_ps : stop_ps);
        study_capture_flush(&running->capture, sim_now_ps(running->sim));
        study_trace_flush(&running->trace);
        took_s = wall_s() - began_s;
        if (took_s > STEP_S_MAX && running->step_ps > 2000)
            running->step_ps /= 2;
        else if (took_s < STEP_S_MAX / 4 && until_ps < stop_ps)
            running->step_ps *= 2;
        if (watch->on_step)
            watch->on_step(watch->context, running->sim);
    }
    return status;
}

static void sample_run(struct running *running)
{
    const struct study_watch *watch = &running->manner->watch;

    measure_sample(&running->record);
    if (watch->on_sample)
        watch->on_sample(watch->context, &running->record);
}

static enum sim_status run_sim(struct running *running, const struct experiment *experiment)
{
    uint64_t sample_ps = experiment->measure.sample_ps;
    enum sim_status status = SIM_RUNNING;

    measure_phases(&running->record);
    while (status == SIM_RUNNING && !must_end(running)) {
        uint64_t before_ps = sim_now_ps(running->sim);
        uint64_t now_ps;

        status = run_to(running, next_stop(running, experiment, before_ps));
        now_ps = sim_now_ps(running->sim); /* may be later: the simulator completes its window */
        result_capacity_look(&running->capacity, &running->record);
        measure_phases(&running->record);
        if (now_ps / sample_ps > before_ps / sample_ps || status != SIM_RUNNING ||
            is_interrupted(running))
            sample_run(running);
    }
    return status;
}

/* ---- the result ----------------------------------------------------------------------------- */

static const char *status_word(enum sim_status status)
{
    switch (status) {
    case SIM_FINISHED:
        return "finished";
    case SIM_OUT_OF_TIME:
        return "out_of_time";
    case SIM_VIOLATED:
        return "violated";
    case SIM_OUT_OF_MEMORY:
        return "out_of_memory";
    default:
        return "partial";
    }
}

static json_t *perf(const struct running *running, double took_s)
{
    const struct study_manner *manner = running->manner;
    uint64_t hops = running->record.last.totals.packet_hops;
    struct carrier_times times = study_threads_times(&running->threads);
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return json_pack("{s:I,s:f,s:f,s:f,s:f,s:f,s:I,s:{s:s,s:b,s:b,s:I}}", "packet_hops",
        (json_int_t)hops, "wall_s", took_s, "setup_s", running->set_up_s - running->began_s,
        "windows_s", times.windows_s, "busy_s", times.busy_s, "packet_hops_per_s",
        took_s > 0 ? (double)hops / took_s : 0.0, "peak_rss_bytes",
        (json_int_t)usage.ru_maxrss * 1024, "options", "engine",
        manner->uses_heap ? "heap" : "windows", "wire", manner->wire, "checks", manner->checks,
        "threads", (json_int_t)sim_shard_count(running->sim));
}

static json_t *summary_json(struct running *running, uint32_t victim)
{
    json_t *json = result_summary(&running->record, victim);
    json_t *phases = json_object_get(json, "phases");

    json_object_set_new(json, "capacity", result_capacity_json(&running->capacity));
    for (uint32_t i = 0; i < running->record.plan->phase_count; i++) {
        json_t *phase = json_object_get(phases, running->record.plan->phases[i].name);

        if (phase)
            json_object_set_new(phase, "limits", result_capacity_phase_json(&running->capacity, i));
    }
    return json;
}

static json_t *to_json(
    struct study_run *plan, struct running *running, enum sim_status status, double took_s)
{
    struct measure_record *record = &running->record;
    json_t *measured =
        json_pack("{s:o,s:o,s:o}", "summary", summary_json(running, plan->experiment.victim),
            "series", result_series(record), "events", result_events(record));
    json_t *json = json_pack("{s:s,s:I,s:O,s:s}", "label", plan->label, "seed",
        (json_int_t)plan->experiment.sim.seed, "settings", plan->settings, "status",
        status_word(status));
    char hash[JSON_HASH_BYTES];

    json_hash(measured, hash);
    if (status == SIM_VIOLATED)
        json_object_set_new(json, "violation", json_string(sim_violation(record->sim)));
    json_object_set_new(json, "hash", json_string(hash));
    json_object_set_new(json, "simulated_us", json_millionths(sim_now_ps(record->sim)));
    json_object_update(json, measured);
    json_object_set_new(json, "events_left_out", json_integer((json_int_t)record->left_out));
    json_object_set_new(json, "criteria", json_array());
    json_object_set_new(json, "perf", perf(running, took_s));
    json_decref(measured);
    return json;
}

static void observe_sim(struct running *running, struct sim_config *config)
{
    config->observer = (struct sim_observer){
        .on_event = on_event,
        .on_completion = on_completion,
        .on_frame = running->capture.pcap_file ? on_frame : NULL,
        .on_trace = running->trace.file ? on_trace : NULL,
        .context = running,
    };
}

void study_complain(const struct study_manner *manner, const char *format, ...)
{
    char problem[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(problem, sizeof(problem), format, arguments);
    va_end(arguments);
    manner->complain(problem);
}

static bool is_lost(const struct study_manner *manner, const char *path, int err)
{
    if (err)
        study_complain(manner, "%s: %s", path, strerror(-err));
    return err != 0;
}

static bool open_files(struct running *running, const struct experiment *experiment)
{
    const struct study_manner *manner = running->manner;

    if (is_lost(manner, manner->pcap_path,
            study_capture_open(&running->capture, experiment, manner->pcap_path)))
        return false;
    running->capture.snap_bytes = manner->snap_bytes;
    return !is_lost(
        manner, manner->trace_path, study_trace_open(&running->trace, manner->trace_path));
}

static bool close_files(struct running *running)
{
    const struct study_manner *manner = running->manner;
    bool has_lost = is_lost(manner, manner->pcap_path, study_capture_close(&running->capture));

    return !is_lost(manner, manner->trace_path, study_trace_close(&running->trace)) && !has_lost;
}

/* Runs the simulation in this memory to its end. */
static json_t *run_in(struct running *running, struct study_run *plan, struct arena *arena)
{
    const struct study_watch *watch = &running->manner->watch;
    struct experiment *experiment = &plan->experiment;
    enum sim_status status;
    json_t *json;

    running->sim = sim_init(arena, &experiment->sim);
    running->set_up_s = wall_s();
    result_capacity_open(&running->capacity, running->sim, &experiment->measure);
    measure_attach(&running->record, running->sim, &running->capacity.measured);
    if (watch->on_begin)
        watch->on_begin(watch->context, plan);
    status = run_sim(running, experiment);
    if (watch->on_end)
        watch->on_end(watch->context);
    json = to_json(plan, running, status, wall_s() - running->began_s);
    result_capacity_close(&running->capacity);
    return json;
}

/* Runs the simulation in memory of its own, on its threads. */
static json_t *run_with_memory(struct running *running, struct study_run *plan)
{
    struct sim_config *config = &plan->experiment.sim;
    struct study_memory memory;
    json_t *json = NULL;
    int err = study_threads_open(&running->threads, config, running->manner);

    if (err) {
        study_complain(running->manner, "%u threads: %s", config->shard_count, strerror(-err));
        return NULL;
    }
    err = study_memory_open(&memory, config);
    if (err) {
        study_complain(
            running->manner, "%zu MiB of memory: %s", memory.mapped_bytes >> 20, strerror(-err));
    } else {
        json = run_in(running, plan, &memory.arena);
        study_memory_close(&memory);
    }
    study_threads_close(&running->threads);
    return json;
}

json_t *study_run(struct study_run *plan, const struct study_manner *manner)
{
    struct experiment *experiment = &plan->experiment;
    struct running running = {
        .manner = manner, .began_s = wall_s(), .step_ps = experiment->measure.sample_ps / 8 + 1000
    };
    json_t *json;

    experiment->sim.engine = manner->uses_heap ? SIM_HEAP : SIM_WINDOWS;
    experiment->sim.wire = manner->wire;
    experiment->sim.checks = manner->checks;
    if (!open_files(&running, experiment)) {
        close_files(&running);
        return NULL;
    }
    measure_init(&running.record, &experiment->measure, &grow_memory, &running.to_record);
    observe_sim(&running, &experiment->sim);
    json = run_with_memory(&running, plan);
    if (!close_files(&running)) {
        json_decref(json);
        json = NULL;
    }
    measure_fini(&running.record);
    return json;
}
