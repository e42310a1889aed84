/* SPDX-License-Identifier: Apache-2.0 */
/* Recycled entropies (REPS): an EV whose packet was acknowledged without a mark carries another
 * packet. If no such EV waits, a random one is tried. After a loss that is not congestion, the
 * policy is frozen for a while: it uses only EVs that worked, each several times. Afterwards it
 * tries random ones. For comparisons.
 *
 * The EVs that wait are the first `position` of the rotation of their plane, the oldest first. */
#include "path/path_policy.h"

#include <string.h>

enum {
    RECYCLED_MAX = 8, /* of a plane */
    EXPLORED = 16,    /* random packets after a thaw */
    TICK_SHIFT = 10,
};
#define FROZEN_TICKS ((UINT32_C(10) * 1000 * 1000) >> TICK_SHIFT)

static uint32_t ticks_at(uint64_t now_ns)
{
    return (uint32_t)(now_ns >> TICK_SHIFT);
}

/* policy_time is the number of random packets to come or, if it is more than EXPLORED, the time of
 * the thaw. */
static bool is_frozen(struct path_set *set, uint64_t now_ns)
{
    if (set->policy_time <= EXPLORED)
        return false;
    if ((int32_t)(ticks_at(now_ns) - set->policy_time) < 0)
        return true;
    set->policy_time = EXPLORED;
    return false;
}

/* Moves the oldest recycled EV behind the other recycled ones and returns it. */
static uint32_t take_oldest(struct path_set *set, uint32_t plane_index)
{
    const struct ev_table_plane *plane = &set->planes[plane_index];
    uint16_t *order = ev_table_order(set) + plane->first;
    uint16_t oldest = order[0];

    memmove(order, order + 1, (plane->position - 1u) * sizeof(*order));
    order[plane->position - 1] = oldest;
    return oldest;
}

static uint32_t draw_ev(struct path_set *set, uint32_t plane_index, uint32_t avoid_ev)
{
    const struct ev_table_plane *plane = &set->planes[plane_index];
    uint32_t place = prng_below(&set->prng, plane->rotation_count);
    const uint16_t *order = ev_table_order(set) + plane->first;

    return order[place] == avoid_ev ? order[(place + 1) % plane->rotation_count] : order[place];
}

static uint32_t pick_ev(struct path_set *set, uint32_t plane_index, uint64_t now_ns)
{
    struct ev_table_plane *plane = &set->planes[plane_index];
    bool frozen = is_frozen(set, now_ns);
    uint32_t ev_index;

    if (!frozen && set->policy_time > 0) {
        set->policy_time--;
        return draw_ev(set, plane_index, PATH_NONE);
    }
    if (plane->position == 0)
        return draw_ev(set, plane_index, PATH_NONE);
    ev_index = take_oldest(set, plane_index);
    if (!frozen)
        plane->position--;
    return ev_index;
}

static uint32_t pick_other(
    struct path_set *set, uint32_t plane_index, uint32_t avoid_ev, uint64_t now_ns)
{
    uint32_t ev_index = pick_ev(set, plane_index, now_ns);

    return ev_index == avoid_ev ? draw_ev(set, plane_index, avoid_ev) : ev_index;
}

static void freeze(
    struct path_set *set, uint32_t ev_index, enum path_signal signal, uint64_t now_ns)
{
    uint32_t thaw_ticks = ticks_at(now_ns) + FROZEN_TICKS;

    (void)ev_index;
    if (signal == PATH_LOST && !is_frozen(set, now_ns))
        set->policy_time = thaw_ticks > EXPLORED ? thaw_ticks : EXPLORED + 1;
}

static void recycle_ev(struct path_set *set, uint32_t ev_index)
{
    struct ev_table_plane *plane = &set->planes[path_plane_of(set, ev_index)];
    uint16_t *order = ev_table_order(set) + plane->first;
    uint32_t place = 0;

    if (!path_is_active(set, ev_index) || plane->rotation_count == 1)
        return;
    while (order[place] != ev_index)
        place++;
    if (place < plane->position)
        return;
    if (plane->position >= RECYCLED_MAX || plane->position + 1 == plane->rotation_count) {
        take_oldest(set, path_plane_of(set, ev_index));
        plane->position--;
    }
    order[place] = order[plane->position];
    order[plane->position++] = (uint16_t)ev_index;
}

const struct path_policy path_policy_reps = {
    .pick = pick_ev, .pick_other = pick_other, .on_trouble = freeze, .on_unmarked = recycle_ev
};
