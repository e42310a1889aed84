/* SPDX-License-Identifier: Apache-2.0 */
/* The rotation: all usable EVs of a plane in turn, in an order that changes a little each time
 * (docs/protocol.md §14.2, docs/decisions/0039). */
#include "path/path_policy.h"

enum {
    REACH = 4,           /* EVs from which the next one is drawn */
    POSTPONED_MOST = 16, /* places by which a mark moves a turn */
    MISSED_OF = 4,       /* one in this many marked EVs misses its turn ... */
    MISSED_COUNT = 32,   /* ... but no more than this many of a rotation in which all are marked */
};

struct walk {
    uint32_t plane_index;
    uint32_t avoid_ev;
    uint32_t reset_ev; /* the SKIP EV that this packet resets to GOOD but does not use */
    uint64_t now_ns;
};

/* True one base RTT after the mark (§15). */
static bool has_lapsed(const struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    return set->config->ev_skip == PATH_SKIP_LITERAL &&
           ev_table_skip_left(set, &ev_table_evs(set)[ev_index], now_ns) <= 0;
}

/* True if it is the turn of the EV. Of 256 rotations, an EV takes as many as its weight, at equal
 * distances. EVs of the same weight take different ones. */
static bool is_in_turn(const struct path_set *set, uint32_t plane_index, uint32_t ev_index)
{
    enum { APART = 157 }; /* 256 divided by the golden ratio */
    uint8_t weight = ev_table_evs(set)[ev_index].weight;
    uint32_t rotation = ev_table_rotations(set)[plane_index];

    if (set->planes[plane_index].position == 0) /* it was the last of its rotation */
        rotation--;
    return (uint8_t)(rotation * weight + ev_index * APART) < weight;
}

/* Returns the next EV of the rotation. If senders draw the whole order anew each time, far more of
 * them use a link in a part of a rotation than in another; if each EV has its turn at the same
 * place as before, numbers of packets differ less (decision 39). */
static uint32_t advance_rotation(struct path_set *set, uint32_t plane_index)
{
    return path_policy_draw(set, plane_index, ev_table_is_literal(set) ? UINT32_MAX : REACH);
}

/* True for some of the marked EVs. A link that more senders use than another gets fewer packets
 * then. The effect is visible a rotation later, so that longer ones need smaller steps. */
static bool misses_turn(struct path_set *set, const struct ev_table_plane *plane)
{
    uint32_t of = MISSED_COUNT * MISSED_OF;

    if (of < plane->rotation_count)
        of = plane->rotation_count;
    return prng_below(&set->prng, of) < MISSED_COUNT;
}

/* Moves the EV, which has just got its turn, to a place a little later in this and in the next
 * rotations. False if it is the last of its rotation. */
static bool postpone_turn(struct path_set *set, struct ev_table_plane *plane, uint32_t ev_index)
{
    uint16_t *order = ev_table_order(set) + plane->first;
    uint32_t left = plane->rotation_count - plane->position;
    uint32_t later = plane->position;

    if (plane->position == 0)
        return false;
    later += prng_below(&set->prng, left < POSTPONED_MOST ? left : POSTPONED_MOST);
    order[--plane->position] = order[later];
    order[later] = (uint16_t)ev_index;
    return true;
}

/* Visits an EV that was marked. It is GOOD from now on. In the round of the mark it misses its
 * turn: its queue is still long. Later that queue has drained, but others send their packets at the
 * same place of their rotations again, so the EV takes its turn at another. */
static bool meet_marked(struct path_set *set, uint32_t ev_index, const struct walk *walk)
{
    struct ev_table_plane *plane = &set->planes[walk->plane_index];
    bool is_recent = ev_table_evs(set)[ev_index].round == set->round;

    ev_table_apply(set, ev_index, PATH_SKIP_ELAPSED, walk->now_ns);
    if (is_recent || misses_turn(set, plane) || postpone_turn(set, plane, ev_index))
        return false;
    return ev_index != walk->avoid_ev;
}

/* Visits an EV in SKIP. True if the packet uses it. */
static bool meet_skip(struct path_set *set, uint32_t ev_index, struct walk *walk)
{
    const struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];

    if (ev_table_is_weighted(set))
        return ev_index != walk->avoid_ev && is_in_turn(set, walk->plane_index, ev_index);
    if (!ev_table_is_literal(set) && ev->weight == EV_TABLE_MISSES_TURN)
        return meet_marked(set, ev_index, walk);
    if (!ev_table_is_literal(set))
        return ev_index != walk->avoid_ev && (prng_next(&set->prng) >> 56) < ev->weight;
    if (has_lapsed(set, ev_index, walk->now_ns)) {
        ev_table_apply(set, ev_index, PATH_SKIP_ELAPSED, walk->now_ns);
        return ev_index != walk->avoid_ev;
    }
    /* The first SKIP EV is reset to GOOD, but not used for this packet (§14.2). */
    if (walk->reset_ev == PATH_NONE) {
        ev_table_apply(set, ev_index, PATH_SKIP_ELAPSED, walk->now_ns);
        walk->reset_ev = ev_index;
    }
    return false;
}

/* Visits a GOOD EV. False if the packet must not use it; the EV then keeps its turn, unless it was
 * the last of the rotation. */
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
    return ev_table_evs(set)[ev_index].state == EV_GOOD;
}

/* Returns the number of GOOD EVs in the rotation that the packet must not use. */
static uint32_t barred_count(const struct path_set *set, const struct walk *walk)
{
    const struct ev_table_ev *avoid;
    uint32_t count = walk->reset_ev == PATH_NONE ? 0 : 1;

    if (walk->avoid_ev == PATH_NONE || walk->avoid_ev == walk->reset_ev ||
        path_plane_of(set, walk->avoid_ev) != walk->plane_index)
        return count;
    avoid = &ev_table_evs(set)[walk->avoid_ev];
    return count + (avoid->is_active && avoid->state == EV_GOOD ? 1 : 0);
}

/* True if the walk can end: the remaining EVs must not be used or, without weights or with shares
 * that are held, are in SKIP. */
static bool has_met_all(const struct path_set *set, const struct walk *walk)
{
    const struct ev_table_plane *plane = &set->planes[walk->plane_index];

    if (ev_table_is_weighted(set) && !set->holds_shares)
        return plane->rotation_count == 1 && walk->avoid_ev == ev_table_order(set)[plane->first];
    return plane->good_count == barred_count(set, walk);
}

/* Returns the weight by which an EV in SKIP is preferred: while shares are held, EVs below the full
 * share have none, and the plan says which is best. */
static int32_t standing(const struct path_set *set, uint32_t ev_index)
{
    if (set->holds_shares && ev_table_is_thin(set, ev_index))
        return set->profile->entries[ev_index].turns;
    return ev_table_evs(set)[ev_index].weight;
}

/* Returns the SKIP EV whose SKIP ends first, or with the largest weight. */
static uint32_t soonest_skip(const struct path_set *set, const struct walk *walk)
{
    const struct ev_table_plane *plane = &set->planes[walk->plane_index];
    uint32_t soonest = PATH_NONE;
    int32_t least = INT32_MAX;

    for (uint32_t i = 0; i < plane->rotation_count; i++) {
        uint32_t ev_index = ev_table_order(set)[plane->first + i];
        const struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];
        int32_t left = ev_table_is_literal(set) ? ev_table_skip_left(set, ev, walk->now_ns)
                                                : -standing(set, ev_index);

        if (ev->state == EV_SKIP && ev_index != walk->avoid_ev && left < least) {
            soonest = ev_index;
            least = left;
        }
    }
    return soonest;
}

/* Chooses an EV when no GOOD one is left: the SKIP EV that ends first, otherwise the one that this
 * packet has reset, otherwise the one to avoid. */
static uint32_t make_do(struct path_set *set, const struct walk *walk)
{
    uint32_t soonest = soonest_skip(set, walk);

    if (soonest != PATH_NONE) {
        if (has_lapsed(set, soonest, walk->now_ns))
            ev_table_apply(set, soonest, PATH_SKIP_ELAPSED, walk->now_ns);
        return soonest;
    }
    if (walk->reset_ev != PATH_NONE && walk->reset_ev != walk->avoid_ev)
        return walk->reset_ev;
    return ev_table_order(set)[set->planes[walk->plane_index].first];
}

/* Walks on from `ev_index` over EVs in SKIP to the first EV to use. Each EV is visited once per
 * rotation, so the work per EV used is constant. Not inlined: the common case does not need the
 * registers that this uses. */
__attribute__((noinline)) static uint32_t walk_on(struct path_set *set, uint32_t plane_index,
    uint64_t now_ns, uint32_t ev_index, uint32_t avoid_ev)
{
    struct ev_table_plane *plane = &set->planes[plane_index];
    struct walk walk = {
        .plane_index = plane_index, .avoid_ev = avoid_ev, .reset_ev = PATH_NONE, .now_ns = now_ns
    };

    while (is_good(set, ev_index) ? !meet_good(plane, ev_index, &walk)
                                  : !meet_skip(set, ev_index, &walk)) {
        if (has_met_all(set, &walk))
            return make_do(set, &walk);
        ev_index = advance_rotation(set, plane_index);
    }
    return ev_index;
}

/* If all EVs in rotation are GOOD, as nearly always, the state of the one drawn is not looked at:
 * it is seldom in a cache. */
static uint32_t pick_ev(struct path_set *set, uint32_t plane_index, uint64_t now_ns)
{
    const struct ev_table_plane *plane = &set->planes[plane_index];
    uint32_t ev_index = advance_rotation(set, plane_index);

    if (plane->good_count == plane->rotation_count || is_good(set, ev_index))
        return ev_index;
    return walk_on(set, plane_index, now_ns, ev_index, PATH_NONE);
}

static uint32_t pick_other(
    struct path_set *set, uint32_t plane_index, uint32_t avoid_ev, uint64_t now_ns)
{
    uint32_t ev_index = advance_rotation(set, plane_index);

    if (is_good(set, ev_index) && ev_index != avoid_ev)
        return ev_index;
    return walk_on(set, plane_index, now_ns, ev_index, avoid_ev);
}

const struct path_policy path_policy_rotation = { .pick = pick_ev, .pick_other = pick_other };
