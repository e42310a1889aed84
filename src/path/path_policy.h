/* SPDX-License-Identifier: Apache-2.0 */
/* The policies of policies.def, and the walk that several of them share. A policy uses the EVs of a
 * set (ev_table.h). */
#pragma once

#include "path/ev_table.h"

#define PATH_POLICY(ID, name, meaning) extern const struct path_policy path_policy_##name;
#include "path/policies.def"

/* Begins the next rotation. Not inlined: it is rare, and would take registers from the common case.
 * Static, so that the compiler knows which registers it uses. */
__attribute__((noinline, unused)) static void path_policy_end_rotation(
    struct path_set *set, struct ev_table_plane *plane)
{
    plane->position = 0;
    ev_table_rotations(set)[plane - set->planes]++;
}

/* Returns the next EV of the rotation, drawn from the next `reach` that are not used yet. This is a
 * Fisher-Yates shuffle, one swap at a time, so that no work is left for the end of a rotation. */
static inline uint32_t path_policy_draw(struct path_set *set, uint32_t plane_index, uint32_t reach)
{
    struct ev_table_plane *plane = &set->planes[plane_index];
    uint32_t left = plane->rotation_count - plane->position;
    uint16_t *here = ev_table_order(set) + plane->first + plane->position;
    uint16_t *drawn = here + prng_below(&set->prng, reach < left ? reach : left);
    uint16_t ev_index = *drawn;

    *drawn = *here;
    *here = ev_index;
    if (left == 1)
        path_policy_end_rotation(set, plane);
    else
        plane->position++;
    return ev_index;
}

/* As path_policy_draw(), from all that are not used yet. */
static inline uint32_t path_policy_advance(struct path_set *set, uint32_t plane_index)
{
    return path_policy_draw(set, plane_index, UINT32_MAX);
}

/* Returns the next EV of the rotation that is not `avoid_ev`, if there is another. */
static inline uint32_t path_policy_advance_past(
    struct path_set *set, uint32_t plane_index, uint32_t avoid_ev)
{
    uint32_t ev_index = path_policy_advance(set, plane_index);

    while (ev_index == avoid_ev && set->planes[plane_index].rotation_count > 1)
        ev_index = path_policy_advance(set, plane_index);
    return ev_index;
}
