/* SPDX-License-Identifier: Apache-2.0 */
/* Asserts all invariants of a path_set. */
#include <assert.h>

#include "base/bits.h"
#include "path/ev_table.h"

/* `order` lists each EV of the plane once. The active EVs are at its front: as many usable ones as
 * the quota allows. */
static void check_plane(const struct path_set *set, uint32_t plane_index)
{
    const struct ev_table_plane *plane = &set->planes[plane_index];
    uint32_t end = ev_table_plane_end(set, plane_index);
    uint64_t seen[BITS_WORDS(PATH_EV_COUNT_MAX)] = { 0 };
    uint32_t usable_count = 0;
    uint32_t good_count = 0;

    for (uint32_t at = plane->first; at < end; at++) {
        uint32_t ev_index = ev_table_order(set)[at];
        const struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];

        assert(ev_index >= plane->first);
        assert(ev_index < end);
        assert(!bits_test(seen, ev_index));
        bits_set(seen, ev_index);
        assert(set->profile->entries[ev_index].plane == plane_index);
        assert(ev->is_active == (at < plane->first + (uint32_t)plane->rotation_count));
        assert(!ev->is_active || ev_state_is_usable(ev->state));
        assert(ev->state != EV_GOOD || !ev_table_is_thin(set, ev_index));
        usable_count += ev_state_is_usable(ev->state) ? 1 : 0;
        good_count += ev->is_active && ev->state == EV_GOOD ? 1 : 0;
    }
    assert(good_count == plane->good_count);
    assert(plane->rotation_count == usable_count ||
           plane->rotation_count == set->profile->active_per_plane);
    assert(plane->rotation_count <= usable_count);
    assert(plane->rotation_count <= set->profile->active_per_plane);
    assert(plane->position == 0 || plane->position < plane->rotation_count);
    assert((set->usable_planes >> plane_index & 1) == (plane->rotation_count > 0));
}

static void check_counts(const struct path_set *set)
{
    uint32_t usable_count = 0;
    uint32_t bad_count = 0;
    uint32_t suspect_count = 0;

    for (uint32_t i = 0; i < set->ev_count; i++) {
        const struct ev_table_ev *ev = &ev_table_evs(set)[i];

        usable_count += ev->is_active;
        bad_count += ev->state == EV_ASSUMED_BAD ? 1 : 0;
        suspect_count += ev->state == EV_SUSPECT ? 1 : 0;
    }
    assert(usable_count == set->usable_count);
    assert(bad_count == set->bad_count);
    assert(suspect_count == set->suspect_count);
}

/* As many bad EVs as possible are probed, each with one record. */
static void check_probes(const struct path_set *set)
{
    uint64_t seen[BITS_WORDS(PATH_EV_COUNT_MAX)] = { 0 };
    uint32_t probed_count = 0;
    uint32_t out_count = 0;

    for (uint32_t i = 0; i < set->probe_count; i++) {
        uint32_t ev_index = set->probes[i].ev_index;

        assert(ev_index < set->ev_count);
        assert(!bits_test(seen, ev_index));
        bits_set(seen, ev_index);
        assert(!ev_state_is_usable(ev_table_evs(set)[ev_index].state));
        assert(ev_table_evs(set)[ev_index].is_probed);
    }
    for (uint32_t i = 0; i < set->ev_count; i++) {
        const struct ev_table_ev *ev = &ev_table_evs(set)[i];

        out_count += ev->state == EV_ASSUMED_BAD || ev->state == EV_SUSPECT;
        probed_count += ev->is_probed;
    }
    assert(probed_count == set->probe_count);
    assert(set->probe_count == out_count || set->probe_count == EV_TABLE_PROBE_COUNT_MAX);
    assert((set->probe_deadline_ns == UINT64_MAX) == (set->probe_count == 0));
}

void path_check(const struct path_set *set)
{
    for (uint32_t plane = 0; plane < set->profile->plane_count; plane++)
        check_plane(set, plane);
    check_counts(set);
    check_probes(set);
}
