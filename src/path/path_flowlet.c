/* SPDX-License-Identifier: Apache-2.0 */
/* Flowlets: one EV of each plane carries all packets until the QP pauses; then new EVs are drawn.
 * After a pause that is longer than the paths differ, no packet overtakes another. For comparisons
 * with spraying. */
#include "path/path_policy.h"

static uint32_t pick_ev(struct path_set *set, uint32_t plane, uint64_t now_ns)
{
    uint32_t gap_ns = set->config->flowlet_gap_ns;

    if ((uint32_t)now_ns - set->policy_time >= (gap_ns ? gap_ns : set->timing.base_rtt_ns))
        prng_next(&set->prng); /* the random state is the choice: path_single.c */
    set->policy_time = (uint32_t)now_ns;
    return path_policy_single.pick(set, plane, now_ns);
}

static uint32_t pick_other(struct path_set *set, uint32_t plane, uint32_t avoid_ev, uint64_t now_ns)
{
    return path_policy_single.pick_other(set, plane, avoid_ev, now_ns);
}

const struct path_policy path_policy_flowlet = { .pick = pick_ev, .pick_other = pick_other };
