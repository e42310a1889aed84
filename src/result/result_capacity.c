/* SPDX-License-Identifier: Apache-2.0 */
/* Connects the capacity of a simulation with its record. */
#include "result/result_capacity.h"

#include <errno.h>
#include <string.h>

#include "files/files.h"
#include "result/result_limits.h"

enum { FLOWS_MAX = 1 << 20 }; /* with more, computing the capacity takes too long */

static const char *const gap_words[RESULT_CAPACITY_GAP_COUNT] = {
    [RESULT_CAPACITY_UNWANTED] = "the experiment does not want it",
    [RESULT_CAPACITY_FLOWS] = "there are too many flows",
    [RESULT_CAPACITY_MEMORY] = "there is not enough memory",
    [RESULT_CAPACITY_UNSOLVED] = "the linear program has no solution",
};

static void give_up(struct result_capacity *capacity, enum result_capacity_gap gap)
{
    capacity->gap = gap;
    capacity->measured.pair_count = 0;
}

void result_capacity_open(struct result_capacity *capacity, const struct allocator *memory,
    struct sim *sim, const struct measure_plan *plan)
{
    struct capacity_track *track = &capacity->track;
    int err;

    *capacity = (struct result_capacity){ .memory = *memory, .plan = plan };
    capacity->measured.window_ps = capacity_window_ps(plan->sim);
    capacity->phase_limits =
        allocator_take(memory, plan->phase_count, sizeof(*capacity->phase_limits));
    if (plan->skips_capacity) {
        give_up(capacity, RESULT_CAPACITY_UNWANTED);
        return;
    }
    if (sim_flow_count(sim) > FLOWS_MAX) {
        give_up(capacity, RESULT_CAPACITY_FLOWS);
        return;
    }
    err = capacity_track_init_in(track, memory, sim, plan->sim);
    if (err) {
        give_up(capacity, err == -ENOMEM ? RESULT_CAPACITY_MEMORY : RESULT_CAPACITY_UNSOLVED);
        return;
    }
    capacity->pairs = allocator_take(memory, track->pair_count, sizeof(*capacity->pairs));
    for (uint32_t i = 0; i < track->pair_count; i++)
        capacity->pairs[i] = (struct measure_pair){ .workload = track->pairs[i].workload,
            .first_flow = track->pairs[i].first_flow,
            .flow_count = track->pairs[i].flow_count };
    capacity->measured.pairs = capacity->pairs;
    capacity->measured.pair_count = track->pair_count;
    capacity->measured.bits = track->bits;
}

void result_capacity_close(struct result_capacity *capacity)
{
    capacity_track_fini(&capacity->track);
    allocator_free(&capacity->memory, capacity->pairs);
    allocator_free(&capacity->memory, capacity->phase_limits);
}

uint64_t result_capacity_stop_ps(const struct result_capacity *capacity)
{
    return capacity->gap ? SIM_NEVER_PS : capacity_track_stop_ps(&capacity->track);
}

/* The limits change with every set of flows. The last ones in a phase are reported for it. */
static void keep_limits(struct result_capacity *capacity, uint64_t before_ps)
{
    uint64_t now_ps = capacity->track.now_ps;

    for (uint32_t i = 0; i < capacity->plan->phase_count; i++) {
        const struct measure_phase *phase = &capacity->plan->phases[i];

        if (now_ps > phase->from_ps && before_ps < phase->until_ps &&
            capacity->track.limits.flow_count > 0)
            capacity->phase_limits[i] = capacity->track.limits;
    }
}

void result_capacity_look(struct result_capacity *capacity, struct measure_record *record)
{
    uint64_t before_ps = capacity->track.now_ps;

    if (capacity->gap)
        return;
    if (capacity_track_look(&capacity->track) != 0) {
        give_up(capacity, RESULT_CAPACITY_UNSOLVED);
        return;
    }
    keep_limits(capacity, before_ps);
    measure_look(record);
}

/* ---- results --------------------------------------------------------------------------------- */

static json_t *real(double value)
{
    return json_millionths((uint64_t)(value * 1e6));
}

json_t *result_capacity_json(const struct result_capacity *capacity)
{
    const struct capacity_track *track = &capacity->track;

    if (capacity->gap)
        return json_pack("{s:s,s:s}", "method", "none", "reason", gap_words[capacity->gap]);
    return json_pack("{s:s,s:o,s:o,s:I,s:I,s:I,s:I,s:o}", "method",
        capacity_method_word(track->method), "error", real(track->error), "window_us",
        json_millionths(capacity->measured.window_ps), "flows", (json_int_t)track->pair_count,
        "looks", (json_int_t)track->look_count, "solved", (json_int_t)track->solve_count, "reused",
        (json_int_t)track->stale_count, "limits", result_limits(capacity, &track->limits));
}

json_t *result_capacity_phase_json(const struct result_capacity *capacity, uint32_t phase)
{
    return result_limits(capacity, &capacity->phase_limits[phase]);
}
