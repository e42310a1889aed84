/* SPDX-License-Identifier: Apache-2.0 */
/* A path_set to try things on, and what it tells its listener. */
#pragma once

#include <assert.h>
#include <string.h>

#include "path/path.h"

#define US(count) ((uint64_t)(count)*1000)
#define MS(count) ((uint64_t)(count)*1000000)
#define S(count)  ((uint64_t)(count)*1000000000)

#define ALL_PLANES UINT32_MAX

enum { PATHS_BASE_RTT_NS = 10000 };

struct paths {
    struct path_profile profile;
    struct path_config config;
    struct path_timing timing;
    struct path_set *set;
    uint32_t change_count;
    struct path_change change; /* the last one */
    struct path_entry entries[PATH_EV_COUNT_MAX];
    _Alignas(16) uint8_t memory[16384];
};

static inline void paths_on_change(void *context, const struct path_change *change, uint64_t now_ns)
{
    struct paths *paths = context;

    (void)now_ns;
    paths->change_count++;
    paths->change = *change;
}

/* Profile, config and timing are the caller's to change before paths_open(). EV values are 1000 +
 * index. */
static inline void paths_shape(
    struct paths *paths, uint32_t plane_count, uint32_t active_per_plane, uint32_t backup_per_plane)
{
    uint32_t each = active_per_plane + backup_per_plane;

    memset(paths, 0, offsetof(struct paths, memory));
    assert(plane_count * each <= PATH_EV_COUNT_MAX);
    for (uint32_t i = 0; i < plane_count * each; i++)
        paths->entries[i] = (struct path_entry){ .ev = 1000 + i, .plane = (uint8_t)(i / each) };
    paths->profile = (struct path_profile){ .entries = paths->entries,
        .entry_count = plane_count * each,
        .plane_count = plane_count,
        .active_per_plane = active_per_plane,
        .min_active = 1,
        .is_ordered = true };
    paths->config = (struct path_config){ .policy = path_policies[PATH_POLICY_ROTATION],
        .on_change = paths_on_change,
        .loss_to_bad = PATH_LOSS_LITERAL,
        .ev_skip = PATH_SKIP_LITERAL,
        .probe_successes = 3,
        .probe_successes_max = 24 };
    paths->timing = (struct path_timing){ .base_rtt_ns = PATHS_BASE_RTT_NS,
        .probe_first_ns = MS(1),
        .probe_longest_ns = S(1),
        .lossy_longest_ns = S(1),
        .probe_timeout_ns = US(100) };
}

static inline void paths_open(struct paths *paths, uint64_t seed)
{
    struct arena arena;

    arena_init(&arena, paths->memory, sizeof(paths->memory));
    paths->set =
        path_set_init(&arena, &paths->profile, &paths->config, paths, prng_stream(seed, 0));
    path_timing_changed(paths->set, &paths->timing);
    path_check(paths->set);
}

static inline void paths_init(
    struct paths *paths, uint32_t plane_count, uint32_t active_per_plane, uint32_t backup_per_plane)
{
    paths_shape(paths, plane_count, active_per_plane, backup_per_plane);
    paths_open(paths, 1);
}

/* Answers probes of the EV until it is usable, at most `count_max` of them, and returns how many it
 * answered. Probes of other EVs go unanswered. */
static inline uint32_t paths_answer_probes(
    struct paths *paths, uint32_t ev_index, uint32_t count_max, uint64_t *now_ns)
{
    uint32_t count = 0;

    while (count < count_max && path_state_of(paths->set, ev_index) > EV_SKIP) {
        uint64_t deadline_ns = path_probe_deadline_ns(paths->set);
        uint32_t probed;

        *now_ns = deadline_ns > *now_ns ? deadline_ns : *now_ns;
        while (count < count_max &&
               (probed = path_probe_next(paths->set, ALL_PLANES, *now_ns)) != PATH_NONE)
            if (probed == ev_index) {
                path_on_probe_answered(paths->set, ev_index, false, false, *now_ns);
                count++;
            }
    }
    return count;
}
