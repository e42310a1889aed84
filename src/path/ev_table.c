/* SPDX-License-Identifier: Apache-2.0 */
/* Manages the active and backup EVs of each plane, and applies changes of EV states
 * (docs/protocol.md §14.1, §14.3). */
#include "path/ev_table.h"

#include <assert.h>
#include <string.h>

#include "path/ev_recovery.h"
#include "path/path_profile.h"

#define TICKS_PER_RTT 8 /* at most; at least half of this */

size_t path_set_bytes(const struct path_profile *profile)
{
    return sizeof(struct path_set) +
           profile->entry_count * (sizeof(struct ev_table_ev) + sizeof(uint16_t)) +
           profile->plane_count * (sizeof(struct ev_table_plane) + sizeof(uint8_t));
}

/* ---- rotations -------------------------------------------------------------------------------*/

static void swap_evs(uint16_t *order, uint32_t a, uint32_t b)
{
    uint16_t swapped = order[a];

    order[a] = order[b];
    order[b] = swapped;
}

/* Adds the EV at `at` to the rotation. `at`: a place behind the rotation, counted from the first
 * entry of the plane. */
static void bring_in(struct path_set *set, uint32_t plane_index, uint32_t at)
{
    struct ev_table_plane *plane = &set->planes[plane_index];
    struct ev_table_ev *ev = &ev_table_evs(set)[ev_table_order(set)[plane->first + at]];

    swap_evs(ev_table_order(set) + plane->first, at, plane->rotation_count++);
    ev->is_active = 1;
    set->usable_count++;
    set->usable_planes |= (uint16_t)(1u << plane_index);
    if (ev->state == EV_GOOD)
        plane->good_count++;
}

/* Removes an EV from the rotation. The EVs already used in the current rotation stay in front, so
 * that each of the others still gets one turn. */
static void take_out(struct path_set *set, uint32_t plane_index, uint32_t ev_index)
{
    struct ev_table_plane *plane = &set->planes[plane_index];
    struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];
    uint16_t *order = ev_table_order(set) + plane->first;
    uint32_t at = 0;

    while (order[at] != ev_index)
        at++;
    if (at < plane->position) {
        swap_evs(order, at, --plane->position);
        at = plane->position;
    }
    swap_evs(order, at, --plane->rotation_count);
    if (plane->rotation_count == 0)
        set->usable_planes &= (uint16_t) ~(1u << plane_index);
    ev->is_active = 0;
    set->usable_count--;
    if (ev->state == EV_GOOD)
        plane->good_count--;
}

/* Returns the rank of a backup; lower is better. GOOD comes before SKIP, and lossy EVs come
 * last. */
static uint32_t backup_rank(const struct ev_table_ev *ev)
{
    return (ev->state == EV_SKIP ? 1u : 0) + (ev->damping ? 2u : 0);
}

/* Returns the place of the best backup of the plane, counted from its first entry; PATH_NONE: there
 * is none. */
static uint32_t find_backup(const struct path_set *set, uint32_t plane_index)
{
    const struct ev_table_plane *plane = &set->planes[plane_index];
    uint32_t count = ev_table_plane_end(set, plane_index) - plane->first;
    uint32_t best = PATH_NONE;
    uint32_t best_rank = UINT32_MAX;

    for (uint32_t at = plane->rotation_count; at < count && best_rank > 0; at++) {
        const struct ev_table_ev *ev = &ev_table_evs(set)[ev_table_order(set)[plane->first + at]];

        if (ev_state_is_usable(ev->state) && backup_rank(ev) < best_rank) {
            best = at;
            best_rank = backup_rank(ev);
        }
    }
    return best;
}

static void refill_rotation(struct path_set *set, uint32_t plane_index)
{
    while (set->planes[plane_index].rotation_count < set->profile->active_per_plane) {
        uint32_t at = find_backup(set, plane_index);

        if (at == PATH_NONE)
            return;
        bring_in(set, plane_index, at);
    }
}

/* ---- initialisation -------------------------------------------------------------------------- */

void path_timing_changed(struct path_set *set, const struct path_timing *timing)
{
    set->timing = *timing;
    set->tick_shift = 0;
    while (timing->base_rtt_ns >> set->tick_shift >= TICKS_PER_RTT)
        set->tick_shift++;
}

/* Each QP draws its own order, so that QPs to one destination do not all use the same few paths. */
static void shuffle_plane(struct path_set *set, uint32_t plane)
{
    uint32_t first = set->planes[plane].first;
    uint32_t count = ev_table_plane_end(set, plane) - first;

    for (uint32_t i = 0; i + 1 < count; i++)
        swap_evs(ev_table_order(set) + first, i, i + prng_below(&set->prng, count - i));
}

static void init_planes(struct path_set *set)
{
    for (uint32_t plane = 0; plane < set->profile->plane_count; plane++)
        set->planes[plane].first = (uint16_t)path_profile_plane_first(set->profile, plane);
    for (uint32_t plane = 0; plane < set->profile->plane_count; plane++) {
        if (!set->profile->is_ordered)
            shuffle_plane(set, plane);
        if (ev_table_is_weighted(set)) /* QPs start with different EVs */
            ev_table_rotations(set)[plane] = (uint8_t)prng_below(&set->prng, 256);
        refill_rotation(set, plane);
    }
}

static void init_ev(struct path_set *set, uint32_t ev_index)
{
    const struct path_entry *entry = &set->profile->entries[ev_index];
    struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];

    ev_table_order(set)[ev_index] = (uint16_t)ev_index;
    ev->state = entry->denied ? EV_DENIED : ev_table_is_thin(set, ev_index) ? EV_SKIP : EV_GOOD;
    ev->weight = ev_table_is_thin(set, ev_index) ? entry->turns : 0;
    ev->run = UINT8_MAX;
}

struct path_set *path_set_init(struct arena *arena, const struct path_profile *profile,
    const struct path_config *config, void *listener, struct prng prng)
{
    struct path_set *set = arena_take(arena, 1, path_set_bytes(profile), _Alignof(struct path_set));

    assert(profile->entry_count <= PATH_EV_COUNT_MAX);
    assert(profile->plane_count <= PATH_PLANE_COUNT_MAX);
    assert(profile->active_per_plane >= 1);
    assert(config->probe_successes >= 1);
    if (!set)
        return NULL;
    set->prng = prng;
    set->profile = profile;
    set->config = config;
    set->listener = listener;
    set->ev_count = (uint16_t)profile->entry_count;
    set->order_at = (uint16_t)(sizeof(*set) + profile->plane_count * sizeof(set->planes[0]));
    set->evs_at = (uint16_t)(set->order_at + profile->entry_count * sizeof(uint16_t));
    set->probe_deadline_ns = UINT64_MAX;
    for (uint32_t i = 0; i < profile->entry_count; i++)
        init_ev(set, i);
    init_planes(set);
    return set;
}

void path_set_move(struct path_set *to, const struct path_set *from, void *listener)
{
    memcpy(to, from, path_set_bytes(from->profile));
    to->listener = listener;
}

/* ---- changes of state ------------------------------------------------------------------------*/

static bool is_out(enum path_ev_state state)
{
    return state == EV_SUSPECT || state == EV_ASSUMED_BAD;
}

/* Counts an EV that goes out of use, or returns. */
static void count_out(struct path_set *set, enum path_ev_state state, int32_t by)
{
    if (state == EV_SUSPECT)
        set->suspect_count = (uint16_t)(set->suspect_count + by);
    if (state == EV_ASSUMED_BAD)
        set->bad_count = (uint16_t)(set->bad_count + by);
}

/* Updates rotations and counts for the new state of the EV. */
static void change_state(struct path_set *set, uint32_t ev_index, enum path_ev_state to)
{
    struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];
    uint32_t plane_index = path_plane_of(set, ev_index);
    struct ev_table_plane *plane = &set->planes[plane_index];
    bool was_usable = ev_state_is_usable(ev->state);

    if (ev->is_active && !ev_state_is_usable(to))
        take_out(set, plane_index, ev_index);
    if (ev->is_active && ev->state == EV_GOOD)
        plane->good_count--;
    ev->state = (uint32_t)to & 7u;
    if (ev->is_active && ev->state == EV_GOOD)
        plane->good_count++;
    if (was_usable != ev_state_is_usable(to))
        refill_rotation(set, plane_index);
    if (plane->position == plane->rotation_count) /* no EV was added, so the rotation ends */
        plane->position = 0;
}

static void tell_listener(struct path_set *set, const struct path_change *change, uint64_t now_ns)
{
    if (set->config->on_change)
        set->config->on_change(set->listener, change, now_ns);
}

void ev_table_apply(
    struct path_set *set, uint32_t ev_index, enum path_signal signal, uint64_t now_ns)
{
    assert(ev_index < set->ev_count);

    struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];
    enum path_ev_state from = ev->state;
    enum path_ev_state to = ev_state_next(from, signal);

    if (to == EV_GOOD && ev_table_is_thin(set, ev_index)) {
        to = EV_SKIP;
        if (!ev->was_skip || signal == PATH_REPLACED)
            ev->weight = set->profile->entries[ev_index].turns;
    }
    if (from == to)
        return;
    if (to == EV_ASSUMED_BAD && set->config->policy->retires)
        to = EV_DENIED;
    count_out(set, from, -1);
    count_out(set, to, 1);
    change_state(set, ev_index, to);
    if (!is_out(from) && is_out(to)) {
        ev->was_skip = from == EV_SKIP;
        ev->more_against = 0;
    }
    if (is_out(from) && !is_out(to) && ev->is_probed)
        ev_recovery_end(set, ev_index, now_ns);
    if (!is_out(from) && is_out(to))
        ev_recovery_begin(set, ev_index, now_ns);
    if (!ev_state_is_usable(from) && ev_state_is_usable(to))
        ev_recovery_return(set, ev_index, signal, now_ns);
    tell_listener(set,
        &(struct path_change){ .ev_index = ev_index, .from = from, .to = to, .cause = signal },
        now_ns);
}

bool ev_table_is_last_of_plane(const struct path_set *set, uint32_t ev_index)
{
    uint32_t plane = path_plane_of(set, ev_index);

    return ev_table_evs(set)[ev_index].is_active && set->planes[plane].rotation_count == 1 &&
           find_backup(set, plane) == PATH_NONE;
}

bool ev_table_may_demote(const struct path_set *set, uint32_t ev_index)
{
    const struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];
    uint32_t min_active = set->profile->min_active ? set->profile->min_active : set->ev_count / 4u;
    uint32_t left = set->usable_count;

    if (ev->is_active && find_backup(set, path_plane_of(set, ev_index)) == PATH_NONE)
        left--;
    if (left == 0)
        return false;
    return left >= min_active || ev->in_a_row == 3;
}

/* ---- questions -------------------------------------------------------------------------------*/

uint32_t path_usable_planes(const struct path_set *set, uint32_t plane_mask)
{
    return set->usable_planes & plane_mask;
}

uint32_t path_ev_count(const struct path_set *set)
{
    return set->ev_count;
}

uint32_t path_plane_of(const struct path_set *set, uint32_t ev_index)
{
    assert(ev_index < set->ev_count);
    return set->profile->entries[ev_index].plane;
}

uint32_t path_ev_of(const struct path_set *set, uint32_t ev_index)
{
    assert(ev_index < set->ev_count);
    return set->profile->entries[ev_index].ev;
}

enum path_ev_state path_state_of(const struct path_set *set, uint32_t ev_index)
{
    assert(ev_index < set->ev_count);
    return ev_table_evs(set)[ev_index].state;
}

bool path_is_active(const struct path_set *set, uint32_t ev_index)
{
    assert(ev_index < set->ev_count);
    return ev_table_evs(set)[ev_index].is_active;
}

uint32_t path_usable_count(const struct path_set *set)
{
    return set->usable_count;
}

uint32_t path_bad_count(const struct path_set *set)
{
    return set->bad_count;
}

bool path_is_whole(const struct path_set *set)
{
    return set->bad_count == 0 && set->suspect_count == 0 && set->probe_count == 0 &&
           set->usable_count == path_profile_usable_count(set->profile);
}

uint32_t path_refusals(const struct path_set *set)
{
    return set->refusals;
}
