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
#include "study/study_json.h"
#include "study/study_state.h"
#include "study/study_threads.h"
#include "study/study_trace.h"

#define STEP_S_MAX 0.1 /* wall time between two checks for an interrupt */

/* ---- running --------------------------------------------------------------------------------- */

/* The context of the simulation's callbacks: all listeners. */
struct running {
    struct study_state *state;
    struct study_capture capture;
    struct study_trace trace;
    const struct study_manner *manner;
    struct sim_observer to_record;
    double began_s; /* as if it had never been interrupted */
    double setup_s;
    struct carrier_times earlier; /* before it was continued */
    struct study_threads threads;
    struct study_memory memory;
    struct study_checkpoints checkpoints;
    bool is_ending;
    bool is_put_off; /* ended with a checkpoint */
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
    uint64_t look_ps = result_capacity_stop_ps(&running->state->capacity);

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

static struct carrier_times times_of(const struct running *running)
{
    struct carrier_times times = study_threads_times(&running->threads);

    times.windows_s += running->earlier.windows_s;
    times.busy_s += running->earlier.busy_s;
    return times;
}

static bool is_checkpoint_due(const struct running *running)
{
    return running->manner->checkpoint && study_checkpoints_are_due(&running->checkpoints);
}

static bool write_checkpoint(struct running *running, const char *otherwise)
{
    running->state->took_s = study_clock_s() - running->began_s;
    running->state->times = times_of(running);
    return study_checkpoints_write(&running->checkpoints, running->state->sim, otherwise);
}

/* Keeps an interrupted run for later. Returns false if its results so far are all that remains. */
static bool put_off(struct running *running)
{
    const struct study_checkpoint *checkpoint = running->manner->checkpoint;

    if (!checkpoint || !is_interrupted(running))
        return false;
    running->is_put_off = write_checkpoint(running, "this run cannot be continued");
    if (running->is_put_off)
        study_complain(running->manner,
            "interrupted at %.6f of %.6f ms; continue with 'mrc sim --resume %s'",
            (double)sim_now_ps(running->state->sim) / 1e9,
            (double)running->state->record.plan->sim->duration_ps / 1e9, checkpoint->path);
    return running->is_put_off;
}

/* Runs to `stop_ps`, or until the run ends or is interrupted. */
static enum sim_status run_to(struct running *running, uint64_t stop_ps)
{
    const struct study_watch *watch = &running->manner->watch;
    enum sim_status status = SIM_RUNNING;

    while (
        status == SIM_RUNNING && sim_now_ps(running->state->sim) < stop_ps && !must_end(running)) {
        uint64_t until_ps = sim_now_ps(running->state->sim) + running->state->step_ps;
        double began_s = study_clock_s();
        double took_s;

        status = sim_run(running->state->sim, until_ps < stop_ps ? until_ps : stop_ps);
        study_capture_flush(&running->capture, sim_now_ps(running->state->sim));
        study_trace_flush(&running->trace);
        took_s = study_clock_s() - began_s;
        if (took_s > STEP_S_MAX && running->state->step_ps > 2000)
            running->state->step_ps /= 2;
        else if (took_s < STEP_S_MAX / 4 && until_ps < stop_ps)
            running->state->step_ps *= 2;
        if (watch->on_step)
            watch->on_step(watch->context, running->state->sim);
        if (status == SIM_RUNNING && is_checkpoint_due(running))
            write_checkpoint(running, "the run goes on");
    }
    return status;
}

static void sample_run(struct running *running)
{
    const struct study_watch *watch = &running->manner->watch;

    measure_sample(&running->state->record);
    if (watch->on_sample)
        watch->on_sample(watch->context, &running->state->record);
}

/* Runs to the next time at which something must be recorded, and records it. A checkpoint may be
 * written on the way; the run that continues it goes to the same stop. */
static enum sim_status run_to_stop(struct running *running, const struct experiment *experiment)
{
    uint64_t sample_ps = experiment->measure.sample_ps;
    struct study_state *state = running->state;
    enum sim_status status;
    uint64_t now_ps;
    bool is_over;

    if (state->stop_ps <= state->before_ps)
        state->stop_ps = next_stop(running, experiment, state->before_ps);
    status = run_to(running, state->stop_ps);
    running->is_ending = status != SIM_RUNNING || must_end(running);
    if (status == SIM_RUNNING && running->is_ending && put_off(running))
        return status;
    now_ps = sim_now_ps(state->sim); /* may be later: the simulator completes its window */
    is_over = status != SIM_RUNNING || (running->is_ending && now_ps > state->record.last.time_ps);
    result_capacity_look(&state->capacity, &state->record);
    measure_phases(&state->record);
    if (now_ps / sample_ps > state->before_ps / sample_ps || is_over)
        sample_run(running);
    state->before_ps = now_ps;
    return status;
}

static enum sim_status run_sim(struct running *running, const struct experiment *experiment)
{
    enum sim_status status;

    if (running->state->stop_ps == 0)
        measure_phases(&running->state->record);
    do
        status = run_to_stop(running, experiment);
    while (!running->is_ending);
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

/* Runs the simulation to its end. */
static json_t *run_in(struct running *running, struct study_run *plan)
{
    const struct study_watch *watch = &running->manner->watch;
    enum sim_status status;
    json_t *json;

    if (watch->on_begin)
        watch->on_begin(watch->context, plan);
    status = run_sim(running, &plan->experiment);
    if (watch->on_end)
        watch->on_end(watch->context);
    if (running->is_put_off)
        return NULL;
    json = study_json(&(struct study_outcome){ .plan = plan,
        .manner = running->manner,
        .record = &running->state->record,
        .capacity = &running->state->capacity,
        .status = status,
        .took_s = study_clock_s() - running->began_s,
        .setup_s = running->setup_s,
        .times = times_of(running) });
    sim_dismiss(running->state->sim);
    return json;
}

uint64_t study_available_bytes(const struct study_manner *manner)
{
    return study_memory_available() / (manner->neighbours > 1 ? manner->neighbours : 1);
}

static json_t *run_in_memory(struct running *running, struct study_run *plan)
{
    const struct study_manner *manner = running->manner;
    json_t *json;

    running->state = study_state_open(&running->memory, plan, manner, &running->to_record);
    if (!running->state)
        return NULL;
    running->setup_s = study_clock_s() - running->began_s;
    running->began_s -= running->state->took_s;
    running->earlier = running->state->times;
    if (manner->checkpoint)
        study_checkpoints_init(
            &running->checkpoints, plan, manner, running->memory.image, &running->memory.pointers);
    json = run_in(running, plan);
    study_state_close(&running->memory, running->state);
    return json;
}

/* Returns false after an error message. */
static bool open_threads(
    struct study_threads *threads, struct sim_config *config, const struct study_manner *manner)
{
    int err = study_threads_open(threads, config, manner);

    if (err)
        study_complain(manner,
            "cannot start %u threads: %s; give fewer with --threads, or raise the limits "
            "(ulimit -u, ulimit -v)",
            config->shard_count, strerror(-err));
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
    has_room = !config->group || study_state_map(&memory, config, manner);
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
    struct running running = { .manner = manner, .began_s = study_clock_s() };
    json_t *json;

    configure_sim(&experiment->sim, manner);
    if (!open_files(&running, experiment)) {
        close_files(&running);
        return NULL;
    }
    observe_sim(&running, &experiment->sim);
    json = run_on_threads(&running, plan);
    if (!close_files(&running)) {
        json_decref(json);
        json = NULL;
    }
    return json;
}
