/* SPDX-License-Identifier: Apache-2.0 */
/* Spraying with penalties, as UET implementations do: each mark, NACK or loss adds to the penalty
 * of its EV. An EV with a penalty is passed over. Each packet works off one unit of the first
 * penalty that it meets. For comparisons. */
#include "path/path_policy.h"

enum {
    PENALTY_OF_MARK = 1,
    PENALTY_OF_NACK = 4,
    PENALTY_MAX = 15, /* also that of a loss */
};

/* If all EVs have penalties, the last one met is used. */
static uint32_t pick_other(struct path_set *set, uint32_t plane, uint32_t avoid_ev, uint64_t now_ns)
{
    uint32_t ev_index = path_policy_advance_past(set, plane, avoid_ev);
    struct ev_table_ev *evs = ev_table_evs(set);

    (void)now_ns;
    if (evs[ev_index].weight == 0)
        return ev_index;
    evs[ev_index].weight--;
    for (uint32_t i = 1; i < set->planes[plane].rotation_count; i++) {
        ev_index = path_policy_advance_past(set, plane, avoid_ev);
        if (evs[ev_index].weight == 0)
            break;
    }
    return ev_index;
}

static uint32_t pick_ev(struct path_set *set, uint32_t plane, uint64_t now_ns)
{
    return pick_other(set, plane, PATH_NONE, now_ns);
}

static uint32_t penalty_of(enum path_signal signal)
{
    switch (signal) {
    case PATH_MARKED_SKIP_ONCE:
        return PENALTY_OF_MARK;
    case PATH_TRIMMED:
    case PATH_LOST_SPARED:
        return PENALTY_OF_NACK;
    default:
        return PENALTY_MAX;
    }
}

static void add_penalty(
    struct path_set *set, uint32_t ev_index, enum path_signal signal, uint64_t now_ns)
{
    struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];
    uint32_t penalty = ev->weight + penalty_of(signal);

    (void)now_ns;
    ev->weight = (uint8_t)(penalty < PENALTY_MAX ? penalty : PENALTY_MAX);
}

const struct path_policy path_policy_bitmap = {
    .pick = pick_ev, .pick_other = pick_other, .on_trouble = add_penalty
};
