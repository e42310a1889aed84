/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one case and computes its figures. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>

#include "capacity/capacity.h"
#include "study/hunt_watch.h"

struct running {
    struct study_trial trial;
    struct study_room room;
    struct sim_config config;
    struct capacity_track track;
    struct hunt_watch watch;
    struct sim *sim;
    void *memory;
    size_t memory_bytes;
};

static bool give_up(
    struct hunt_figures *figures, enum hunt_outcome outcome, const char *what, int err)
{
    figures->outcome = outcome;
    snprintf(figures->reason, sizeof(figures->reason), "%s%s%s", what, err ? ": " : "",
        err ? strerror(-err) : "");
    return false;
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool start_sim(struct running *running, struct hunt_figures *figures)
{
    struct arena arena;
    int err;

    arena_init(&arena, NULL, 0);
    sim_init(&arena, &running->config);
    running->memory_bytes = arena.used_bytes;
    running->memory = mmap(NULL, running->memory_bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (running->memory == MAP_FAILED)
        return give_up(figures, HUNT_STOPPED, "memory", -errno);
    arena_init(&arena, running->memory, running->memory_bytes);
    running->sim = sim_init(&arena, &running->config);
    err = capacity_track_init(&running->track, running->sim, &running->config);
    if (err) {
        munmap(running->memory, running->memory_bytes);
        return give_up(figures, HUNT_STOPPED, "capacity", err);
    }
    return true;
}

static void stop_sim(struct running *running)
{
    capacity_track_fini(&running->track);
    hunt_watch_fini(&running->watch);
    munmap(running->memory, running->memory_bytes);
}

/* ---- running --------------------------------------------------------------------------------- */

static bool run_sim(struct running *running, struct hunt_figures *figures)
{
    enum sim_status status = SIM_RUNNING;

    while (status == SIM_RUNNING) {
        uint64_t stop_ps = capacity_track_stop_ps(&running->track);
        uint64_t now_ps = sim_now_ps(running->sim);
        int err;

        if (now_ps < running->trial.settled_ps && stop_ps > running->trial.settled_ps)
            stop_ps = running->trial.settled_ps;
        status = sim_run(running->sim, stop_ps);
        err = capacity_track_look(&running->track);
        if (err)
            return give_up(figures, HUNT_STOPPED, "capacity", err);
        hunt_watch_look(&running->watch);
    }
    if (status == SIM_OUT_OF_TIME || status == SIM_FINISHED)
        return true;
    return give_up(figures, HUNT_STOPPED,
        status == SIM_VIOLATED ? sim_violation(running->sim)
                               : "the pools of the simulator are too small",
        0);
}

static void classify_trial(const struct running *running, struct hunt_class *class)
{
    const struct study_trial *trial = &running->trial;

    *class = (struct hunt_class){ .fault_count = (uint8_t)trial->fault_count,
        .kind = (uint8_t)trial->workloads[0].kind,
        .trims = trial->wiring.buffers.trims,
        .has_small_buffers = hunt_has_small_buffers(trial, &running->room.fabric.topology),
        .has_intact_plane = hunt_has_intact_plane(trial),
        .forbids_timeouts = hunt_forbids_timeouts(trial, &running->config),
        .link_bps = trial->wiring.host_link.rate_bps };
}

static void take_counts(const struct running *running, struct hunt_figures *figures)
{
    struct sim_totals totals;

    sim_totals(running->sim, &totals);
    figures->qp_errors = totals.transport[COUNTER_QP_ERRORS];
    figures->timeouts = totals.transport[COUNTER_TIMEOUT_FIRED];
    figures->packet_hops = totals.packet_hops;
    figures->hash = sim_hash(running->sim);
}

void hunt_run(const struct study_trial *trial, struct hunt_figures *figures)
{
    struct running *running = calloc(1, sizeof(*running));

    *figures = (struct hunt_figures){ .outcome = HUNT_RAN };
    if (!running) {
        give_up(figures, HUNT_STOPPED, "memory", -ENOMEM);
        return;
    }
    running->trial = *trial;
    if (!study_config(&running->trial, &running->room, &running->config, figures->reason)) {
        figures->outcome = HUNT_REFUSED;
        free(running);
        return;
    }
    classify_trial(running, &figures->class);
    hunt_watch_observe(&running->watch, &running->trial, &running->config.observer);
    if (start_sim(running, figures)) {
        if (hunt_watch_init(&running->watch, &running->track) && run_sim(running, figures)) {
            hunt_watch_figures(&running->watch, figures);
            take_counts(running, figures);
        }
        stop_sim(running);
    }
    free(running);
}
