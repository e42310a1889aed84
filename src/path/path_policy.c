/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the plane of the next packet and asks the policy for an EV of the plane (docs/protocol.md
 * §14). */
#include "path/path_policy.h"

#include <string.h>

#include "base/bits.h"

const struct path_policy *const path_policies[PATH_POLICY_COUNT] = {
#define PATH_POLICY(ID, name, meaning) &path_policy_##name,
#include "path/policies.def"
};

/* ---- planes in turn --------------------------------------------------------------------------*/

/* Returns the first plane from `turn` on in the mask, which is not empty. */
static uint32_t plane_in_turn(uint32_t plane_mask, uint8_t *turn)
{
    uint32_t later = plane_mask & ~UINT32_C(0) << *turn;
    uint32_t plane = bits_lowest(later ? later : plane_mask);

    *turn = (uint8_t)(plane + 1);
    return plane;
}

uint32_t path_pick_on(struct path_set *set, uint32_t plane, uint64_t now_ns)
{
    return set->config->policy->pick(set, plane, now_ns);
}

uint32_t path_pick(struct path_set *set, uint32_t plane_mask, uint64_t now_ns)
{
    uint32_t planes = set->usable_planes & plane_mask;

    if (!planes)
        return PATH_NONE;
    return path_pick_on(set, plane_in_turn(planes, &set->turn), now_ns);
}

/* Returns the planes that remain if `avoid_ev` must not be used. */
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
    return set->config->policy->pick_other(set, plane, avoid_ev, now_ns);
}

/* ---- nothing usable (§14.4) ------------------------------------------------------------------*/

/* Returns the rank of an EV: suspect EVs come before bad ones, and these in the order of
 * damping. */
static uint32_t badness(const struct ev_table_ev *ev)
{
    return ev->state == EV_SUSPECT ? 0 : 1u + ev->damping;
}

static uint32_t least_bad(struct path_set *set, uint32_t plane_index)
{
    const struct ev_table_plane *plane = &set->planes[plane_index];
    uint32_t end = ev_table_plane_end(set, plane_index);
    uint32_t best = PATH_NONE;
    uint32_t best_badness = UINT32_MAX;

    for (uint32_t at = plane->first + plane->rotation_count; at < end; at++) {
        const struct ev_table_ev *ev = &ev_table_evs(set)[ev_table_order(set)[at]];

        if ((ev->state == EV_SUSPECT || ev->state == EV_ASSUMED_BAD) &&
            badness(ev) < best_badness) {
            best = at;
            best_badness = badness(ev);
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

        if (at != PATH_NONE) { /* moves behind its equals, which come first the next time */
            uint32_t end = ev_table_plane_end(set, plane);
            uint16_t *order = ev_table_order(set);
            uint16_t ev_index = order[at];

            memmove(&order[at], &order[at + 1], (end - at - 1) * sizeof(order[0]));
            order[end - 1] = ev_index;
            return ev_index;
        }
        planes &= ~(UINT32_C(1) << plane);
    }
    return PATH_NONE;
}
