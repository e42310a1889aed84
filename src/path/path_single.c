/* SPDX-License-Identifier: Apache-2.0 */
/* A single path: one random EV of each plane carries all packets, until EVs of the plane fail or
 * return. For comparisons with spraying. */
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

static uint32_t pick_other(struct path_set *set, uint32_t plane, uint32_t avoid_ev, uint64_t now_ns)
{
    uint32_t ev_index = pick_ev(set, plane, now_ns);
    uint32_t next = (chosen_place(set, plane) + 1) % set->planes[plane].rotation_count;

    return ev_index == avoid_ev ? ev_table_order(set)[set->planes[plane].first + next] : ev_index;
}

const struct path_policy path_policy_single = { .pick = pick_ev, .pick_other = pick_other };
