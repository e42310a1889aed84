/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a simulation in steps short enough to react to an interrupt. The steps do not change the
 * result. */
#include "study/study_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "result/result.h"
#include "study/study_capture.h"
#include "study/study_clock.h"
#include "study/study_group.h"
#include "study/study_json.h"
#include "study/study_memory.h"
#include "study/study_threads.h"
#include "study/study_trace.h"

#define STEP_S_MAX 0.1 /* wall time between two checks for an interrupt */

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
        double began_s = study_clock_s();
        double took_s;

        status = sim_run(running->sim, until_ps < stop_ps ? until_ps : stop_ps);
        study_capture_flush(&running->capture, sim_now_ps(running->sim));
        study_trace_flush(&running->trace);
        took_s = study_clock_s() - began_s;
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

/* ---- files and memory ------------------------------------------------------------------------ */

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
    char problem[512] = "";
    size_t length = 0;
    va_list arguments;

    if (manner->group && manner->group->member > 0)
        length = (size_t)snprintf(problem, sizeof(problem), "rank %u: ", manner->group->member);
    va_start(arguments, format);
    vsnprintf(problem + length, sizeof(problem) - length, format, arguments);
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
    running->set_up_s = study_clock_s();
    result_capacity_open(&running->capacity, &grow_memory, running->sim, &experiment->measure);
    measure_attach(&running->record, running->sim, &running->capacity.measured);
    if (watch->on_begin)
        watch->on_begin(watch->context, plan);
    status = run_sim(running, experiment);
    if (watch->on_end)
        watch->on_end(watch->context);
    json = study_json(&(struct study_outcome){ .plan = plan,
        .manner = running->manner,
        .record = &running->record,
        .capacity = &running->capacity,
        .status = status,
        .took_s = study_clock_s() - running->began_s,
        .setup_s = running->set_up_s - running->began_s,
        .times = study_threads_times(&running->threads) });
    result_capacity_close(&running->capacity);
    sim_dismiss(running->sim);
    return json;
}

/* Returns false after an error message if the system cannot hold this run. Ranks on one machine
 * share its memory. */
static bool has_memory(const struct study_manner *manner, const struct study_memory_need *need)
{
    uint64_t available_bytes =
        study_memory_available() / (manner->neighbours > 1 ? manner->neighbours : 1);
    struct units_text likely = units_text(UNITS_SIZE, (double)need->likely_bytes);
    struct units_text available = units_text(UNITS_SIZE, (double)available_bytes);

    if (need->likely_bytes <= available_bytes)
        return true;
    study_complain(manner,
        "this run needs about %s of memory, and %s are available; simulate fewer NICs or flows",
        likely.at, available.at);
    return false;
}

/* Returns false after an error message. */
static bool open_memory(
    const struct study_manner *manner, const struct sim_config *config, struct study_memory *memory)
{
    struct study_memory_need need = study_memory_needed(config);
    int err;

    if (!has_memory(manner, &need))
        return false;
    err = study_memory_open(memory, &need);
    if (err)
        study_complain(manner, "%llu MiB of memory: %s",
            (unsigned long long)need.mapped_bytes >> 20, strerror(-err));
    return err == 0;
}

/* Runs the simulation in memory of its own. */
static json_t *run_in_memory(struct running *running, struct study_run *plan)
{
    struct study_memory memory;
    json_t *json;

    if (!open_memory(running->manner, &plan->experiment.sim, &memory))
        return NULL;
    if (running->manner->group)
        study_group_say(running->manner->group, STUDY_GROUP_NEXT);
    json = run_in(running, plan, &memory.arena);
    study_memory_close(&memory);
    return json;
}

/* Returns false after an error message. */
static bool open_threads(
    struct study_threads *threads, struct sim_config *config, const struct study_manner *manner)
{
    int err = study_threads_open(threads, config, manner);

    if (err)
        study_complain(manner, "%u threads: %s", config->shard_count, strerror(-err));
    return err == 0;
}

static json_t *run_on_threads(struct running *running, struct study_run *plan)
{
    json_t *json;

    if (!open_threads(&running->threads, &plan->experiment.sim, running->manner))
        return NULL;
    json = run_in_memory(running, plan);
    study_threads_close(&running->threads);
    return json;
}

static void configure_sim(struct sim_config *config, const struct study_manner *manner)
{
    config->engine = manner->uses_heap ? SIM_HEAP : SIM_WINDOWS;
    config->wire = manner->wire;
    config->checks = manner->checks;
}

bool study_run_follow(struct study_run *plan, const struct study_manner *manner)
{
    struct sim_config *config = &plan->experiment.sim;
    struct study_threads threads;
    struct study_memory memory;
    bool has_room;

    configure_sim(config, manner);
    if (!open_threads(&threads, config, manner))
        return false;
    has_room = !config->group || open_memory(manner, config, &memory);
    if (config->group && has_room) {
        sim_serve(sim_init(&memory.arena, config));
        study_memory_close(&memory);
    }
    study_threads_close(&threads);
    return has_room;
}

json_t *study_run(struct study_run *plan, const struct study_manner *manner)
{
    struct experiment *experiment = &plan->experiment;
    struct running running = { .manner = manner,
        .began_s = study_clock_s(),
        .step_ps = experiment->measure.sample_ps / 8 + 1000 };
    json_t *json;

    configure_sim(&experiment->sim, manner);
    if (!open_files(&running, experiment)) {
        close_files(&running);
        return NULL;
    }
    measure_init(&running.record, &experiment->measure, &grow_memory, &running.to_record);
    observe_sim(&running, &experiment->sim);
    json = run_on_threads(&running, plan);
    if (!close_files(&running)) {
        json_decref(json);
        json = NULL;
    }
    measure_fini(&running.record);
    return json;
}
