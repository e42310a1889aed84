/* SPDX-License-Identifier: Apache-2.0 */
/* What acknowledgements, marks, trims, losses and the controller do to an EV (docs/protocol.md
 * §10, §14.3, §15). */
#include <assert.h>

#include "base/bits.h"
#include "path/ev_table.h"

#define BACKOFF_MARKS_MAX 7 /* 2^6 = 64 rotations */

static struct ev_table_ev *ev_at(struct path_set *set, uint32_t ev_index)
{
    assert(ev_index < set->ev_count);
    return &ev_table_evs(set)[ev_index];
}

static void record_outcome(struct ev_table_ev *ev, uint32_t lost)
{
    ev->losses = (uint8_t)((uint32_t)ev->losses << 1 | lost);
}

void path_on_delivered(struct path_set *set, uint32_t ev_index)
{
    record_outcome(ev_at(set, ev_index), 0);
}

/* ---- marks -----------------------------------------------------------------------------------*/

static void lengthen_skip(struct path_set *set, uint32_t ev_index)
{
    struct ev_table_backoff *backoff = &ev_table_backoffs(set)[ev_index];

    if (backoff->marks < BACKOFF_MARKS_MAX)
        backoff->marks++;
    backoff->rotations_left = ev_table_rotations(backoff->marks);
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
    if (signal == PATH_TRIMMED) /* congested, but not dead: its header came through */
        record_outcome(ev, 0);
    if (signal == PATH_MARKED_ALWAYS_SKIP && ev->state == EV_ASSUMED_BAD)
        ev->mark |= EV_TABLE_MORE_AGAINST;
    ev_table_apply(set, ev_index, spare_if_needed(set, ev_index, signal), now_ns);
    if (ev->state != EV_SKIP)
        return;
    ev->mark = ev_table_ticks(set, now_ns);
    if (set->has_backoff)
        lengthen_skip(set, ev_index);
}

void path_on_unmarked(struct path_set *set, uint32_t ev_index)
{
    struct ev_table_backoff *backoff;

    assert(ev_index < set->ev_count);
    if (!set->has_backoff)
        return;
    backoff = &ev_table_backoffs(set)[ev_index];
    backoff->marks = set->config->skip_trial && backoff->marks > 1 ? backoff->marks - 1 : 0;
    backoff->rotations_left = backoff->marks ? ev_table_rotations(backoff->marks) : 1;
}

/* ---- losses ----------------------------------------------------------------------------------*/

static bool three_in_a_row(const struct ev_table_ev *ev)
{
    return (ev->losses & 7) == 7;
}

static bool loss_demotes(const struct path_set *set, uint32_t ev_index, enum path_loss_to_bad rule)
{
    const struct ev_table_ev *ev = &ev_table_evs_const(set)[ev_index];

    switch (rule) {
    case PATH_LOSS_LITERAL:
        return true;
    case PATH_LOSS_3OF8:
        return bits_count(ev->losses) >= 3;
    case PATH_LOSS_ADAPTIVE:
        if (three_in_a_row(ev))
            return true;
        if (set->config->spares_last_ev && ev_table_is_last_of_plane(set, ev_index))
            return false;
        return set->lost_count * 8u < set->ev_count;
    }
    return false;
}

/* Packets sent before the EV was last bad, and declared lost only now that it is back. */
static bool is_old_news(const struct path_set *set, const struct ev_table_ev *ev, uint64_t sent_ns)
{
    return ev_state_is_usable(ev->state) && ev->is_tainted && sent_ns < set->last_return_ns;
}

static bool on_lost(struct path_set *set, uint32_t ev_index, enum path_loss_to_bad rule,
    uint64_t sent_ns, uint64_t now_ns)
{
    struct ev_table_ev *ev = ev_at(set, ev_index);
    bool demotes;

    if (is_old_news(set, ev, sent_ns))
        return false;
    record_outcome(ev, 1);
    if (ev->state == EV_ASSUMED_BAD)
        ev->mark |= EV_TABLE_MORE_AGAINST;
    if (!ev_state_is_usable(ev->state))
        return false;
    demotes = loss_demotes(set, ev_index, rule);
    if (demotes && !ev_table_may_demote(set, ev_index)) {
        set->refusals++;
        demotes = false;
    }
    ev_table_apply(set, ev_index, demotes ? PATH_LOST : PATH_LOST_SPARED, now_ns);
    if (!demotes)
        ev->mark = ev_table_ticks(set, now_ns);
    return demotes;
}

bool path_on_loss(struct path_set *set, uint32_t ev_index, uint64_t sent_ns, uint64_t now_ns)
{
    return on_lost(set, ev_index, set->config->loss_to_bad, sent_ns, now_ns);
}

bool path_on_timeout(struct path_set *set, uint32_t ev_index, uint64_t sent_ns, uint64_t now_ns)
{
    enum path_loss_to_bad rule = set->config->loss_to_bad;

    return on_lost(
        set, ev_index, rule == PATH_LOSS_3OF8 ? PATH_LOSS_LITERAL : rule, sent_ns, now_ns);
}

void path_on_spurious(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    struct ev_table_ev *ev = ev_at(set, ev_index);

    ev->losses &= (uint8_t)(ev->losses - 1u); /* the last 1 */
    if (ev->state != EV_ASSUMED_BAD || !ev->is_tainted || ev->mark & EV_TABLE_MORE_AGAINST)
        return;
    ev_table_apply(
        set, ev_index, ev->mark & EV_TABLE_WAS_SKIP ? PATH_SPURIOUS_SKIP : PATH_SPURIOUS, now_ns);
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
    ev->losses = 0;
    ev->returned = 0;
    ev->is_tainted = 1; /* losses still to be noticed are those of the EV that was here before */
    set->last_return_ns = now_ns;
    if (set->has_backoff)
        ev_table_backoffs(set)[ev_index].marks = 0;
}

/* ---- other QPs -------------------------------------------------------------------------------*/

void path_learn(struct path_set *set, const struct path_change *change, uint64_t now_ns)
{
    uint32_t ev_index = change->ev_index;

    if (change->to == EV_DENIED) {
        path_deny(set, ev_index, now_ns);
    } else if (change->from == EV_DENIED) {
        path_allow(set, ev_index, now_ns);
    } else if (change->to != EV_ASSUMED_BAD) {
        ev_table_apply(set, ev_index, PATH_TOLD_GOOD, now_ns);
    } else if (ev_state_is_usable(ev_at(set, ev_index)->state) &&
               !ev_table_may_demote(set, ev_index)) {
        set->refusals++;
    } else {
        ev_table_apply(set, ev_index, PATH_TOLD_BAD, now_ns);
    }
}
