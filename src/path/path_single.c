/* SPDX-License-Identifier: Apache-2.0 */
/* A single path: one random EV of each plane carries all packets, until EVs of the plane fail or
 * return. Repairs and probes use others. For comparisons with spraying. */
#include "path/path_policy.h"

/* The choice is a function of the random state, which changes only when EVs fail. */
static uint32_t chosen_place(const struct path_set *set, uint32_t plane)
{
    struct prng unchanged = set->prng;

    return prng_below(&unchanged, set->planes[plane].rotation_count);
}

static uint32_t pick_ev(struct path_set *set, uint32_t plane, uint64_t now_ns)
{
    (void)now_ns;
    return ev_table_order(set)[set->planes[plane].first + chosen_place(set, plane)];
}

/* Returns the EVs of the plane in turn. */
static uint32_t next_in_turn(struct path_set *set, uint32_t plane_index)
{
    struct ev_table_plane *plane = &set->planes[plane_index];
    uint32_t place = plane->position;

    plane->position = (uint16_t)(place + 1u < plane->rotation_count ? place + 1u : 0);
    return ev_table_order(set)[plane->first + place];
}

/* Packets that need not avoid an EV are probes and answers in silence. They try all paths: the
 * single one may be dead. */
static uint32_t pick_other(struct path_set *set, uint32_t plane, uint32_t avoid_ev, uint64_t now_ns)
{
    uint32_t ev_index = pick_ev(set, plane, now_ns);

    if (ev_index != avoid_ev && avoid_ev != PATH_NONE)
        return ev_index;
    ev_index = next_in_turn(set, plane);
    return ev_index == avoid_ev ? next_in_turn(set, plane) : ev_index;
}

const struct path_policy path_policy_single = { .pick = pick_ev, .pick_other = pick_other };
