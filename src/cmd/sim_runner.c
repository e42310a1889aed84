/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a simulation in steps short enough to react to the keyboard; the steps change nothing in the
 * result. */
#include "cmd/sim_runner.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include <sys/mman.h>
#include <sys/resource.h>

#include "cmd/cmd.h"
#include "cmd/sim_capacity.h"
#include "cmd/sim_capture.h"
#include "cmd/sim_list.h"
#include "cmd/sim_live.h"
#include "cmd/sim_progress.h"
#include "cmd/sim_summary.h"
#include "cmd/sim_trace.h"

#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define STEP_S_MAX      0.1 /* wall time between two looks at the keyboard */

static volatile sig_atomic_t is_interrupted;

void sim_runner_interrupt(void)
{
    is_interrupted = 1;
}

bool sim_runner_was_interrupted(void)
{
    return is_interrupted;
}

struct memory {
    void *mapped;
    size_t mapped_bytes;
    struct arena arena;
};

static double wall_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Untouched pages cost nothing; large ones save the walk through page tables. */
static int memory_open(struct memory *memory, const struct sim_config *config)
{
    uintptr_t aligned;

    arena_init(&memory->arena, NULL, 0);
    sim_init(&memory->arena, config);
    memory->mapped_bytes = memory->arena.used_bytes + HUGE_PAGE_BYTES;
    memory->mapped = mmap(NULL, memory->mapped_bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory->mapped == MAP_FAILED)
        return -errno;
    aligned = ((uintptr_t)memory->mapped + HUGE_PAGE_BYTES - 1) & ~(HUGE_PAGE_BYTES - 1);
    madvise((void *)aligned, memory->arena.used_bytes, MADV_HUGEPAGE); /* may be refused */
    arena_init(&memory->arena, (void *)aligned, memory->arena.used_bytes);
    return 0;
}

/* ---- running --------------------------------------------------------------------------------- */

/* The simulation's callbacks have one context: all listeners. */
struct running {
    struct measure_record record;
    struct sim_capacity capacity;
    struct sim_capture capture;
    struct sim_trace trace;
    struct sim_live live;
    bool is_live;
    struct sim_observer to_record;
    struct sim *sim;
    uint64_t step_ps;
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

    sim_capture_frame(&running->capture, frame);
}

static void on_trace(void *context, uint32_t nic, const struct trace_event *event)
{
    struct running *running = context;

    sim_trace_event(&running->trace, nic, event);
}

static bool cannot_write(const struct running *running)
{
    return running->capture.error || running->trace.error;
}

/* The next time at which something must be written down. */
static uint64_t next_stop(
    const struct running *running, const struct experiment *experiment, uint64_t now_ps)
{
    const struct measure_plan *plan = &experiment->measure;
    uint64_t stop_ps = (now_ps / plan->sample_ps + 1) * plan->sample_ps;
    uint64_t look_ps = sim_capacity_stop_ps(&running->capacity);

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

/* Runs to `stop_ps`, or shorter when the run ends or somebody wants it to. */
static enum sim_status run_to(
    struct running *running, uint64_t stop_ps, struct sim_progress *progress)
{
    enum sim_status status = SIM_RUNNING;

    while (status == SIM_RUNNING && sim_now_ps(running->sim) < stop_ps && !is_interrupted &&
           !cannot_write(running)) {
        uint64_t until_ps = sim_now_ps(running->sim) + running->step_ps;
        double began_s = wall_s();
        double took_s;

        status = sim_run(running->sim, until_ps < stop_ps ? until_ps : stop_ps);
        sim_capture_flush(&running->capture, sim_now_ps(running->sim));
        sim_trace_flush(&running->trace);
        took_s = wall_s() - began_s;
        if (took_s > STEP_S_MAX && running->step_ps > 2000)
            running->step_ps /= 2;
        else if (took_s < STEP_S_MAX / 4 && until_ps < stop_ps)
            running->step_ps *= 2;
        sim_progress_show(progress, running->sim, wall_s());
    }
    return status;
}

static void sample(struct running *running)
{
    measure_sample(&running->record);
    if (running->is_live)
        sim_live_show(&running->live, &running->record);
}

static enum sim_status run(
    struct running *running, const struct experiment *experiment, struct sim_progress *progress)
{
    uint64_t sample_ps = experiment->measure.sample_ps;
    enum sim_status status = SIM_RUNNING;

    measure_phases(&running->record);
    while (status == SIM_RUNNING && !is_interrupted && !cannot_write(running)) {
        uint64_t before_ps = sim_now_ps(running->sim);
        uint64_t now_ps;

        status = run_to(running, next_stop(running, experiment, before_ps), progress);
        now_ps = sim_now_ps(running->sim); /* a little later: the simulator ends its window */
        sim_capacity_look(&running->capacity, &running->record);
        measure_phases(&running->record);
        if (now_ps / sample_ps > before_ps / sample_ps || status != SIM_RUNNING || is_interrupted)
            sample(running);
    }
    return status;
}

/* ---- telling --------------------------------------------------------------------------------- */

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

static json_t *perf(
    const struct measure_record *record, const struct sim_options *options, double took_s)
{
    uint64_t hops = record->last.totals.packet_hops;
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return json_pack("{s:I,s:f,s:f,s:I,s:{s:s,s:b,s:b}}", "packet_hops", (json_int_t)hops, "wall_s",
        took_s, "packet_hops_per_s", took_s > 0 ? (double)hops / took_s : 0.0, "peak_rss_bytes",
        (json_int_t)usage.ru_maxrss * 1024, "options", "engine", options->heap ? "heap" : "windows",
        "wire", options->wire, "checks", options->checks);
}

static json_t *summary_json(struct running *running, uint32_t victim)
{
    json_t *json = sim_summary(&running->record, victim);
    json_t *phases = json_object_get(json, "phases");

    json_object_set_new(json, "capacity", sim_capacity_json(&running->capacity));
    for (uint32_t i = 0; i < running->record.plan->phase_count; i++) {
        json_t *phase = json_object_get(phases, running->record.plan->phases[i].name);

        if (phase)
            json_object_set_new(phase, "limits", sim_capacity_phase_json(&running->capacity, i));
    }
    return json;
}

static json_t *to_json(struct sim_plan_run *plan, struct running *running, enum sim_status status,
    const struct sim_options *options, double took_s)
{
    struct measure_record *record = &running->record;
    json_t *measured =
        json_pack("{s:o,s:o,s:o}", "summary", summary_json(running, plan->experiment.victim),
            "series", sim_series(record), "events", sim_events_json(record));
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
    json_object_set_new(json, "perf", perf(record, options, took_s));
    json_decref(measured);
    return json;
}

static void observe(struct running *running, struct sim_config *config)
{
    config->observer = (struct sim_observer){
        .on_event = on_event,
        .on_completion = on_completion,
        .on_frame = running->capture.pcap_file ? on_frame : NULL,
        .on_trace = running->trace.file ? on_trace : NULL,
        .context = running,
    };
}

static bool complain(const char *path, int err)
{
    if (err)
        cmd_complain(CMD_FAILED, "sim", "%s: %s", path, strerror(-err));
    return err != 0;
}

static bool open_files(
    struct running *running, const struct experiment *experiment, const struct sim_options *options)
{
    if (complain(options->pcap_path,
            sim_capture_open(&running->capture, experiment, options->pcap_path)))
        return false;
    return !complain(options->trace_path, sim_trace_open(&running->trace, options->trace_path));
}

static bool close_files(struct running *running, const struct sim_options *options)
{
    bool is_lost = complain(options->pcap_path, sim_capture_close(&running->capture));

    return !complain(options->trace_path, sim_trace_close(&running->trace)) && !is_lost;
}

json_t *sim_runner_run(
    struct sim_plan_run *plan, const struct sim_options *options, bool shows_progress)
{
    struct experiment *experiment = &plan->experiment;
    struct running running = { .step_ps = experiment->measure.sample_ps / 8 + 1000 };
    struct sim_progress progress;
    struct memory memory;
    enum sim_status status;
    double began_s = wall_s();
    json_t *json = NULL;
    int err;

    experiment->sim.engine = options->heap ? SIM_HEAP : SIM_WINDOWS;
    experiment->sim.wire = options->wire;
    experiment->sim.checks = options->checks;
    if (!open_files(&running, experiment, options)) {
        close_files(&running, options);
        return NULL;
    }
    measure_init(&running.record, &experiment->measure, &sim_list_memory, &running.to_record);
    observe(&running, &experiment->sim);
    err = memory_open(&memory, &experiment->sim);
    if (err) {
        cmd_complain(
            CMD_FAILED, "sim", "%zu MiB of memory: %s", memory.mapped_bytes >> 20, strerror(-err));
        goto close_files;
    }
    running.sim = sim_init(&memory.arena, &experiment->sim);
    sim_capacity_open(&running.capacity, running.sim, &experiment->measure);
    measure_attach(&running.record, running.sim, &running.capacity.measured);
    running.is_live = options->is_live && options->jobs == 1;
    if (running.is_live)
        sim_live_init(&running.live, experiment, stderr);
    sim_progress_init(&progress, plan->label, experiment->sim.duration_ps,
        shows_progress && !options->is_live, began_s);
    status = run(&running, experiment, &progress);
    sim_progress_clear(&progress);
    if (running.is_live)
        sim_live_finish(&running.live);
    json = to_json(plan, &running, status, options, wall_s() - began_s);
    sim_capacity_close(&running.capacity);
    munmap(memory.mapped, memory.mapped_bytes);

close_files:
    if (!close_files(&running, options)) {
        json_decref(json);
        json = NULL;
    }
    measure_fini(&running.record);
    return json;
}
