/* SPDX-License-Identifier: Apache-2.0 */
/* Which EV the next packet takes (docs/protocol.md §14.2). Planes take turns here; which of a
 * plane's EVs it is, is the policy's to say: one row each in the table below. */
#include <string.h>

#include "base/bits.h"
#include "path/ev_table.h"

struct policy {
    /* An EV of a plane that has at least one in rotation. Another than `avoid_ev` if that is
     * possible; GOOD if it is. */
    uint32_t (*pick)(struct path_set *, uint32_t plane_index, uint32_t avoid_ev, uint64_t now_ns);
};

/* ---- MRC's own -------------------------------------------------------------------------------*/

/* The next EV of the rotation, drawn from those not used in it yet: Fisher and Yates' shuffle, one
 * swap at a time, so that nothing has to be shuffled when a rotation ends. */
static inline uint32_t advance(struct path_set *set, struct ev_table_plane *plane)
{
    uint16_t *here = set->order + plane->first + plane->position;
    uint32_t left = plane->rotation_count - plane->position;
    uint16_t *drawn = here + prng_below(&set->prng, left);
    uint16_t ev_index = *drawn;

    *drawn = *here;
    *here = ev_index;
    plane->position = left == 1 ? 0 : (uint16_t)(plane->position + 1);
    return ev_index;
}

/* One base RTT after the mark; never where skip_backoff asks for more than one rotation. */
static bool has_lapsed(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    if (set->has_backoff && ev_table_backoffs(set)[ev_index].marks > 1)
        return false;
    return ev_table_mark_age(set, &ev_table_evs(set)[ev_index], now_ns) >= set->lapse_ticks;
}

/* An EV in SKIP has its turn and is passed over. True if this was the last time. */
static bool sit_out(struct path_set *set, uint32_t ev_index)
{
    struct ev_table_backoff *backoff;

    if (!set->has_backoff)
        return true;
    backoff = &ev_table_backoffs(set)[ev_index];
    if (backoff->rotations_left <= 1)
        return true;
    backoff->rotations_left--;
    return false;
}

struct walk {
    uint32_t plane_index;
    uint32_t avoid_ev;
    uint32_t reset_ev; /* the one SKIP that this packet returns to GOOD, but does not take */
    uint64_t now_ns;
};

/* Back in the rotation it would take every packet of a round trip before the first mark is known:
 * it is tried with one, and sits out as long again meanwhile. */
static bool is_on_trial(struct path_set *set, uint32_t ev_index)
{
    return set->has_backoff && set->config->skip_trial &&
           ev_table_backoffs(set)[ev_index].marks > 1;
}

static bool meet_trial(struct path_set *set, uint32_t ev_index, const struct walk *walk)
{
    struct ev_table_backoff *backoff = &ev_table_backoffs(set)[ev_index];

    if (backoff->rotations_left > 0) {
        backoff->rotations_left--;
        return false;
    }
    if (ev_index == walk->avoid_ev)
        return false;
    backoff->rotations_left = ev_table_rotations(backoff->marks);
    return true;
}

/* An EV in SKIP has its turn. True if the packet takes it, because the mark has lapsed or to try
 * it. */
static bool meet_skip(struct path_set *set, uint32_t ev_index, struct walk *walk)
{
    if (is_on_trial(set, ev_index))
        return meet_trial(set, ev_index, walk);
    if (has_lapsed(set, ev_index, walk->now_ns)) {
        ev_table_apply(set, ev_index, PATH_SKIP_ELAPSED, walk->now_ns);
        return ev_index != walk->avoid_ev;
    }
    if (sit_out(set, ev_index) && walk->reset_ev == PATH_NONE) {
        ev_table_apply(set, ev_index, PATH_SKIP_ELAPSED, walk->now_ns);
        walk->reset_ev = ev_index;
    }
    return false;
}

/* A GOOD EV has its turn. False if the packet shall not take it: then it keeps its turn, unless it
 * was the last of the rotation. */
static bool meet_good(struct ev_table_plane *plane, uint32_t ev_index, const struct walk *walk)
{
    if (ev_index != walk->avoid_ev && ev_index != walk->reset_ev)
        return true;
    if (plane->position > 0)
        plane->position--;
    return false;
}

static bool is_good(const struct path_set *set, uint32_t ev_index)
{
    return ev_table_evs_const(set)[ev_index].state == EV_GOOD;
}

/* GOOD ones in the rotation that the packet shall not take. */
static uint32_t barred_count(const struct path_set *set, const struct walk *walk)
{
    const struct ev_table_ev *avoid;
    uint32_t count = walk->reset_ev == PATH_NONE ? 0 : 1;

    if (walk->avoid_ev == PATH_NONE || walk->avoid_ev == walk->reset_ev ||
        path_plane_of(set, walk->avoid_ev) != walk->plane_index)
        return count;
    avoid = &ev_table_evs_const(set)[walk->avoid_ev];
    return count + (avoid->is_active && avoid->state == EV_GOOD ? 1 : 0);
}

static uint32_t oldest_skip(const struct path_set *set, const struct walk *walk)
{
    const struct ev_table_plane *plane = &set->planes[walk->plane_index];
    uint32_t oldest = PATH_NONE;
    int32_t oldest_age = -1;

    for (uint32_t i = 0; i < plane->rotation_count; i++) {
        uint32_t ev_index = set->order[plane->first + i];
        const struct ev_table_ev *ev = &ev_table_evs_const(set)[ev_index];
        int32_t age = ev_table_mark_age(set, ev, walk->now_ns);

        if (ev->state == EV_SKIP && ev_index != walk->avoid_ev && age > oldest_age) {
            oldest = ev_index;
            oldest_age = age;
        }
    }
    return oldest;
}

/* No GOOD EV is left to take: the one marked longest ago, else the one this packet has reset, else
 * the one to be avoided. */
static uint32_t make_do(struct path_set *set, const struct walk *walk)
{
    uint32_t oldest = oldest_skip(set, walk);

    if (oldest != PATH_NONE) {
        if (has_lapsed(set, oldest, walk->now_ns))
            ev_table_apply(set, oldest, PATH_SKIP_ELAPSED, walk->now_ns);
        return oldest;
    }
    if (walk->reset_ev != PATH_NONE && walk->reset_ev != walk->avoid_ev)
        return walk->reset_ev;
    return set->order[set->planes[walk->plane_index].first];
}

/* From `ev_index` on, passes over every EV in SKIP that it meets before one to take. An EV is met
 * once in a rotation, so this is a constant amount of work per EV used, however many there are. Not
 * inlined: the usual pick does not pay for the registers that this needs. */
__attribute__((noinline)) static uint32_t walk_on(
    struct path_set *set, uint32_t ev_index, struct walk walk)
{
    struct ev_table_plane *plane = &set->planes[walk.plane_index];

    while (is_good(set, ev_index) ? !meet_good(plane, ev_index, &walk)
                                  : !meet_skip(set, ev_index, &walk)) {
        if (plane->good_count == barred_count(set, &walk))
            return make_do(set, &walk);
        ev_index = advance(set, plane);
    }
    return ev_index;
}

static uint32_t pick_in_rotation(
    struct path_set *set, uint32_t plane_index, uint32_t avoid_ev, uint64_t now_ns)
{
    uint32_t ev_index = advance(set, &set->planes[plane_index]);

    if (is_good(set, ev_index) && ev_index != avoid_ev)
        return ev_index;
    return walk_on(set, ev_index,
        (struct walk){
            .plane_index = plane_index,
            .avoid_ev = avoid_ev,
            .reset_ev = PATH_NONE,
            .now_ns = now_ns,
        });
}

static const struct policy policies[PATH_POLICY_COUNT] = {
    [PATH_POLICY_MRC] = { .pick = pick_in_rotation },
};

/* ---- planes in turn --------------------------------------------------------------------------*/

/* The first plane of the mask, which is not empty, from `turn` on. */
static uint32_t plane_in_turn(uint32_t plane_mask, uint8_t *turn)
{
    uint32_t later = plane_mask & ~UINT32_C(0) << *turn;
    uint32_t plane = bits_lowest(later ? later : plane_mask);

    *turn = (uint8_t)(plane + 1);
    return plane;
}

uint32_t path_pick(struct path_set *set, uint32_t plane_mask, uint64_t now_ns)
{
    uint32_t planes = set->usable_planes & plane_mask;

    if (!planes)
        return PATH_NONE;
    return policies[set->config->policy].pick(
        set, plane_in_turn(planes, &set->turn), PATH_NONE, now_ns);
}

/* Planes left to choose from when nothing shall go on `avoid_ev`. */
static uint32_t planes_without(const struct path_set *set, uint32_t planes, uint32_t avoid_ev)
{
    uint32_t plane;

    if (avoid_ev == PATH_NONE || !path_is_active(set, avoid_ev))
        return planes;
    plane = path_plane_of(set, avoid_ev);
    if (set->planes[plane].rotation_count > 1 || planes == UINT32_C(1) << plane)
        return planes;
    return planes & ~(UINT32_C(1) << plane);
}

uint32_t path_pick_other(
    struct path_set *set, uint32_t plane_mask, uint32_t plane, uint32_t avoid_ev, uint64_t now_ns)
{
    uint32_t planes = planes_without(set, set->usable_planes & plane_mask, avoid_ev);

    if (!planes)
        return PATH_NONE;
    if (plane >= PATH_PLANE_COUNT_MAX || !(planes >> plane & 1))
        plane = plane_in_turn(planes, &set->other_turn);
    return policies[set->config->policy].pick(set, plane, avoid_ev, now_ns);
}

/* ---- nothing usable (§14.4) ------------------------------------------------------------------*/

static uint32_t losses_in_a_row(const struct ev_table_ev *ev)
{
    return bits_lowest(~(uint64_t)ev->losses);
}

static uint32_t least_bad(struct path_set *set, uint32_t plane_index)
{
    const struct ev_table_plane *plane = &set->planes[plane_index];
    uint32_t end = ev_table_plane_end(set, plane_index);
    uint32_t best = PATH_NONE;
    uint32_t best_losses = UINT32_MAX;

    for (uint32_t at = plane->first + plane->rotation_count; at < end; at++) {
        const struct ev_table_ev *ev = &ev_table_evs(set)[set->order[at]];

        if (ev->state == EV_ASSUMED_BAD && losses_in_a_row(ev) < best_losses) {
            best = at;
            best_losses = losses_in_a_row(ev);
        }
    }
    return best;
}

uint32_t path_pick_desperate(struct path_set *set, uint32_t plane_mask)
{
    uint32_t planes = plane_mask & ((UINT32_C(1) << set->profile->plane_count) - 1);

    while (planes) {
        uint32_t plane = plane_in_turn(planes, &set->other_turn);
        uint32_t at = least_bad(set, plane);

        if (at != PATH_NONE) { /* behind its equals, which come first the next time */
            uint32_t end = ev_table_plane_end(set, plane);
            uint16_t ev_index = set->order[at];

            memmove(&set->order[at], &set->order[at + 1], (end - at - 1) * sizeof(set->order[0]));
            set->order[end - 1] = ev_index;
            return ev_index;
        }
        planes &= ~(UINT32_C(1) << plane);
    }
    return PATH_NONE;
}
