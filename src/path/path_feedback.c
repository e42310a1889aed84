/* SPDX-License-Identifier: Apache-2.0 */
/* Applies acknowledgements, marks, trims, losses and the controller to EVs (docs/protocol.md §10,
 * §14.3, §15). */
#include <assert.h>

#include "path/ev_table.h"

enum {
    IN_A_ROW_MAX = 3, /* losses in succession that are not accidental */
    RUN_FACTOR = 8, /* an EV that loses packets this many times as often as its siblings is lossy */
    DAMPING_MAX = 7,
    CLEAN_RUN = 128,   /* packets without a loss */
    SUSPECTS_PART = 4, /* at most one in this many EVs of a plane is suspect after fewer losses */
    SKIP_GAIN = 64, /* 256ths of its share that an EV with twice the delay of its siblings loses */
    SKIP_GAIN_ROUGH = 128, /* the same if the plan is rough: shares must follow the other senders */
    SKIP_LEAK = 4,         /* 256ths of the missing share that return each time */
    EXCESS_MOST = 256,     /* largest excess that counts, in 256ths */
    EXCESS_LEAST = -128,
    WEIGHT_FULL = 255,
    WEIGHT_GOOD = 240,
    WEIGHT_THIN_MOST = 254,
    WEIGHT_LEAST = 2,
    WEIGHT_LEAST_ROUGH = 1, /* a port has many paths that are best left unused */
};

static struct ev_table_ev *ev_at(struct path_set *set, uint32_t ev_index)
{
    assert(ev_index < set->ev_count);
    return &ev_table_evs(set)[ev_index];
}

void path_on_delivered(struct path_set *set, uint32_t ev_index)
{
    struct ev_table_ev *ev = ev_at(set, ev_index);

    ev->in_a_row = 0;
    ev->is_tainted = 0;
    if (ev->run < UINT8_MAX)
        ev->run++;
}

/* ---- congestion ------------------------------------------------------------------------------*/

static int32_t least_weight(const struct path_set *set)
{
    return set->profile->is_rough ? WEIGHT_LEAST_ROUGH : WEIGHT_LEAST;
}

/* Sets the weight of the EV. With the full weight it is GOOD, unless its planned share is less. */
static void set_weight(struct path_set *set, uint32_t ev_index, enum path_signal signal,
    int32_t weight, uint64_t now_ns)
{
    struct ev_table_ev *ev = ev_at(set, ev_index);

    ev->round = set->round;
    if (weight >= WEIGHT_GOOD && !ev_table_is_thin(set, ev_index)) {
        ev_table_apply(set, ev_index, PATH_SKIP_ELAPSED, now_ns);
        return;
    }
    ev_table_apply(set, ev_index, signal, now_ns);
    if (weight > WEIGHT_THIN_MOST)
        weight = WEIGHT_THIN_MOST;
    if (ev->state == EV_SKIP)
        ev->weight = (uint8_t)(weight > least_weight(set) ? weight : least_weight(set));
}

static int32_t weight_of(const struct ev_table_ev *ev)
{
    return ev->state == EV_SKIP ? ev->weight : WEIGHT_FULL;
}

uint32_t path_turns_of(const struct path_set *set, uint32_t ev_index)
{
    assert(ev_index < set->ev_count);
    return (uint32_t)weight_of(&ev_table_evs(set)[ev_index]);
}

void path_on_unmarked(struct path_set *set, uint32_t ev_index)
{
    if (set->config->policy->on_unmarked)
        set->config->policy->on_unmarked(set, ev_index);
}

/* Lets the EV miss its next turn if that is in this round; later, the queue that marked its packet
 * has drained. Its share stays: most queues are short bursts. If half of the EVs are in SKIP, the
 * whole network is full, and a mark says nothing about one EV (decision 39). */
static void miss_turn(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    const struct ev_table_plane *plane = &set->planes[path_plane_of(set, ev_index)];
    struct ev_table_ev *ev = ev_at(set, ev_index);

    if (set->config->ev_skip != PATH_SKIP_DELAY || ev_table_is_weighted(set) ||
        ev->state != EV_GOOD || 2 * plane->good_count <= plane->rotation_count)
        return;
    ev_table_apply(set, ev_index, PATH_DELAYED, now_ns);
    ev->round = set->round;
    ev->weight = EV_TABLE_MISSES_TURN;
}

/* Handles a sign of congestion. If delays are measured, they change shares, and so does a trim. */
static void skip_ev(
    struct path_set *set, uint32_t ev_index, enum path_signal signal, uint64_t now_ns)
{
    struct ev_table_ev *ev = ev_at(set, ev_index);

    if (!ev_table_is_literal(set)) {
        if (signal == PATH_TRIMMED)
            path_on_delay(set, ev_index, EXCESS_MOST, now_ns);
        else if (signal == PATH_MARKED_SKIP_ONCE)
            miss_turn(set, ev_index, now_ns);
        return;
    }
    ev_table_apply(set, ev_index, signal, now_ns);
    if (ev->state == EV_SKIP)
        ev_table_begin_skip(set, ev, now_ns);
}

static enum path_signal spare_if_needed(
    struct path_set *set, uint32_t ev_index, enum path_signal signal)
{
    if (signal != PATH_MARKED_ALWAYS_SKIP || !ev_state_is_usable(path_state_of(set, ev_index)) ||
        ev_table_may_demote(set, ev_index))
        return signal;
    set->refusals++;
    return PATH_MARKED_SPARED;
}

void path_on_mark(struct path_set *set, uint32_t ev_index, enum path_signal signal, uint64_t now_ns)
{
    struct ev_table_ev *ev = ev_at(set, ev_index);

    assert(signal == PATH_MARKED_SKIP_ONCE || signal == PATH_MARKED_ALWAYS_SKIP ||
           signal == PATH_TRIMMED);
    if (set->config->policy->on_trouble) {
        set->config->policy->on_trouble(set, ev_index, signal, now_ns);
        return;
    }
    if (signal == PATH_TRIMMED) /* congested, but not dead: its header arrived */
        path_on_delivered(set, ev_index);
    if (signal == PATH_MARKED_ALWAYS_SKIP && !ev_state_is_usable(ev->state))
        ev->more_against = 1;
    signal = spare_if_needed(set, ev_index, signal);
    if (signal == PATH_MARKED_ALWAYS_SKIP)
        ev_table_apply(set, ev_index, signal, now_ns);
    else
        skip_ev(set, ev_index, signal, now_ns);
}

/* If no EV of a plane has the full weight, raises the largest to it and the others in
 * proportion. */
static void settle_weights(struct path_set *set, uint32_t plane_index, uint64_t now_ns)
{
    const struct ev_table_plane *plane = &set->planes[plane_index];
    int32_t most = least_weight(set);

    if (plane->good_count > 0)
        return;
    for (uint32_t i = 0; i < plane->rotation_count; i++) {
        int32_t weight = weight_of(ev_at(set, ev_table_order(set)[plane->first + i]));

        most = weight > most ? weight : most;
    }
    if (most >= WEIGHT_GOOD &&
        ev_table_is_weighted(set)) /* its planned share is not the full one */
        return;
    for (uint32_t i = 0; i < plane->rotation_count; i++) {
        uint32_t ev_index = ev_table_order(set)[plane->first + i];

        set_weight(set, ev_index, PATH_DELAYED,
            weight_of(ev_at(set, ev_index)) * WEIGHT_FULL / most, now_ns);
    }
}

/* Returns the share that the plan gives to the EV. */
static int32_t planned_weight(const struct path_set *set, uint32_t ev_index)
{
    return ev_table_is_thin(set, ev_index) ? set->profile->entries[ev_index].turns : WEIGHT_FULL;
}

/* Returns the change of a weight that does not depend on the delay: small weights grow slowly, and
 * where delays do not differ, the weight returns to the planned one. */
static int32_t drift(int32_t weight, int32_t planned, int32_t excess)
{
    int32_t missing = planned - weight;

    if (excess > 0)
        return -1;
    if (missing > 0)
        return 1 + missing * SKIP_LEAK / 256;
    if (excess < 0)
        return 1;
    return missing < 0 ? -1 + missing * SKIP_LEAK / 256 : 0;
}

/* Shrinks the share of a path whose packets take longer than those of its plane, once per round: by
 * then the effect of the last change is visible. */
bool path_on_delay(struct path_set *set, uint32_t ev_index, int32_t excess, uint64_t now_ns)
{
    struct ev_table_ev *ev = ev_at(set, ev_index);
    int32_t gain = set->profile->is_rough ? SKIP_GAIN_ROUGH : SKIP_GAIN;
    int32_t weight;

    if (set->config->ev_skip != PATH_SKIP_DELAY)
        return false;
    ev->is_late = excess > 0;
    if (!ev_state_is_usable(ev->state) || ev->round == set->round || set->holds_shares)
        return false;
    ev->round = set->round;
    weight = weight_of(ev);
    if (excess <= 0 && weight == WEIGHT_FULL)
        return true;
    if (excess > EXCESS_MOST)
        excess = EXCESS_MOST;
    if (excess < EXCESS_LEAST)
        excess = EXCESS_LEAST;
    weight -= weight * excess * gain / 256 / 256;
    weight += drift(weight, planned_weight(set, ev_index), excess);
    set_weight(set, ev_index, PATH_DELAYED, weight, now_ns);
    settle_weights(set, path_plane_of(set, ev_index), now_ns);
    return true;
}

/* An EV that is out of use gets its share, too: it returns with it. */
void path_hold_shares(struct path_set *set, bool holds, uint64_t now_ns)
{
    if (holds == set->holds_shares || ev_table_is_literal(set))
        return;
    set->holds_shares = holds ? 1 : 0;
    for (uint32_t i = 0; i < set->ev_count; i++) {
        if (ev_table_is_thin(set, i))
            ev_at(set, i)->weight = (uint8_t)(holds ? 0 : planned_weight(set, i));
        else if (holds && ev_state_is_usable(ev_at(set, i)->state))
            set_weight(set, i, PATH_DELAYED, WEIGHT_FULL, now_ns);
    }
}

bool ev_table_seems_to_overflow(const struct path_set *set, uint32_t ev_index)
{
    const struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];

    return !ev_table_is_literal(set) && ev->state == EV_SUSPECT && ev->in_a_row >= IN_A_ROW_MAX;
}

void ev_table_halve(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    const struct ev_table_ev *ev = ev_at(set, ev_index);
    int32_t weight = ev->was_skip ? ev->weight : WEIGHT_FULL;

    set_weight(set, ev_index, PATH_DELAYED, weight / 2, now_ns);
    settle_weights(set, path_plane_of(set, ev_index), now_ns);
}

void path_next_round(struct path_set *set)
{
    set->round = (set->round + 1u) & 3u;
}

/* ---- losses ----------------------------------------------------------------------------------*/

/* True for a packet that was sent before the EV was last bad and is declared lost after its
 * return. */
static bool is_old_news(const struct path_set *set, const struct ev_table_ev *ev, uint64_t sent_ns)
{
    return ev_state_is_usable(ev->state) && ev->is_tainted && sent_ns < set->last_return_ns;
}

/* Returns the share, in eighths, of the other EVs in use on the plane that have delivered at least
 * `run` packets since they last lost one. */
static uint32_t clean_eighths(const struct path_set *set, uint32_t ev_index, uint32_t run)
{
    uint32_t plane_index = path_plane_of(set, ev_index);
    uint32_t end = ev_table_plane_end(set, plane_index);
    uint32_t clean = 0;
    uint32_t count = 0;

    for (uint32_t i = set->planes[plane_index].first; i < end; i++) {
        if (i == ev_index || !ev_table_evs(set)[i].is_active)
            continue;
        count++;
        clean += ev_table_evs(set)[i].run >= run;
    }
    return count ? 8 * clean / count : 0;
}

/* True if the EV loses packets more often than its siblings. */
static bool is_short_run(const struct path_set *set, uint32_t ev_index)
{
    uint32_t longer = (ev_table_evs(set)[ev_index].run + 1u) * RUN_FACTOR;

    return clean_eighths(set, ev_index, longer < UINT8_MAX ? longer : UINT8_MAX) >= 4;
}

static bool too_many_suspects(const struct path_set *set, uint32_t plane_index)
{
    uint32_t first = set->planes[plane_index].first;
    uint32_t end = ev_table_plane_end(set, plane_index);
    uint32_t suspects = 1;

    for (uint32_t i = first; i < end; i++)
        suspects += ev_table_evs(set)[i].state == EV_SUSPECT;
    return suspects * SUSPECTS_PART > end - first;
}

/* Returns the losses in a row that make a path suspect: more than one if all paths lose packets
 * occasionally. */
static uint32_t losses_needed(const struct path_set *set, uint32_t ev_index)
{
    if (clean_eighths(set, ev_index, CLEAN_RUN) >= 6)
        return 1;
    return clean_eighths(set, ev_index, 8) >= 4 ? 2 : 3;
}

static enum path_signal judge_loss(struct path_set *set, uint32_t ev_index, bool congested)
{
    struct ev_table_ev *ev = ev_at(set, ev_index);
    bool is_sure = ev->in_a_row >= IN_A_ROW_MAX;

    if (set->config->loss_to_bad == PATH_LOSS_LITERAL)
        return ev_table_may_demote(set, ev_index) ? PATH_LOST : PATH_LOST_SPARED;
    if (!is_sure && congested)
        return PATH_LOST_SPARED;
    if (!is_sure && (ev_table_is_last_of_plane(set, ev_index) ||
                        too_many_suspects(set, path_plane_of(set, ev_index))))
        return PATH_LOST_SPARED;
    if (ev->in_a_row < losses_needed(set, ev_index) && !ev_table_is_lossy(ev))
        return PATH_LOST_SPARED;
    if (!ev_table_may_demote(set, ev_index))
        return PATH_LOST_SPARED;
    return ev_table_is_lossy(ev) ? PATH_LOST : PATH_SUSPECTED;
}

bool path_on_loss(
    struct path_set *set, uint32_t ev_index, bool congested, uint64_t sent_ns, uint64_t now_ns)
{
    struct ev_table_ev *ev = ev_at(set, ev_index);
    enum path_signal signal;

    if (set->config->policy->on_trouble) {
        signal = congested ? PATH_LOST_SPARED : PATH_LOST;
        set->config->policy->on_trouble(set, ev_index, signal, now_ns);
        return false;
    }
    if (is_old_news(set, ev, sent_ns))
        return false;
    congested |= ev->is_late; /* late packets are declared lost */
    if (ev->in_a_row < IN_A_ROW_MAX)
        ev->in_a_row++;
    if (!ev_state_is_usable(ev->state)) {
        ev->more_against = 1;
        return false;
    }
    if (!congested && ev->in_a_row == 1) {
        if (ev->run < UINT8_MAX && is_short_run(set, ev_index))
            ev->damping = (ev->damping < DAMPING_MAX ? ev->damping + 1u : DAMPING_MAX) & 7u;
        else
            ev->damping = 0;
    }
    ev->run = 0;
    signal = judge_loss(set, ev_index, congested);
    if (signal == PATH_LOST_SPARED) {
        set->refusals++;
        if (set->config->loss_to_bad == PATH_LOSS_LITERAL || congested)
            skip_ev(set, ev_index, signal, now_ns);
        return false;
    }
    ev_table_apply(set, ev_index, signal, now_ns);
    return true;
}

/* A late packet costs its path as much of its share as a trimmed one. It yields no round trip,
 * because it was sent again; a slow path whose packets are all late would otherwise keep its share
 * for good. */
void path_on_late(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    struct ev_table_ev *ev = ev_at(set, ev_index);

    ev->in_a_row = 0;
    ev->is_late = !ev_table_is_literal(set);
    if (ev->damping > 0)
        ev->damping = (ev->damping - 1u) & 7u;
    path_on_delay(set, ev_index, EXCESS_MOST, now_ns);
}

void path_on_spurious(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    const struct ev_table_ev *ev = ev_at(set, ev_index);

    path_on_late(set, ev_index, now_ns);
    if (ev_state_is_usable(ev->state) || ev->state == EV_DENIED || ev->more_against)
        return;
    ev_table_apply(set, ev_index, ev->was_skip ? PATH_SPURIOUS_SKIP : PATH_SPURIOUS, now_ns);
    path_on_delay(set, ev_index, EXCESS_MOST, now_ns);
}

/* ---- the controller --------------------------------------------------------------------------*/

void path_deny(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    ev_table_apply(set, ev_index, PATH_ADMIN_DENY, now_ns);
}

void path_allow(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    ev_table_apply(set, ev_index, PATH_ADMIN_ALLOW, now_ns);
}

void path_replaced(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    struct ev_table_ev *ev = ev_at(set, ev_index);
    bool denied = set->profile->entries[ev_index].denied;

    ev_table_apply(set, ev_index, denied ? PATH_ADMIN_DENY : PATH_REPLACED, now_ns);
    ev->in_a_row = 0;
    ev->is_late = 0;
    ev->damping = 0;
    ev->run = UINT8_MAX;
    ev->is_tainted = 1; /* losses detected from now on may belong to the former EV */
    set->last_return_ns = now_ns;
}
