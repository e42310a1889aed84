/* SPDX-License-Identifier: Apache-2.0 */
/* Probes EVs that are suspect or bad (docs/protocol.md §15).
 *
 * All EVs share a fixed number of records. While there are more EVs than records, a record whose
 * probe failed passes to the next EV in turn and keeps its interval. So every EV is probed
 * repeatedly, and the total rate falls as if there were only as many EVs as records. */
#include "path/ev_recovery.h"

#include <assert.h>

#define TICK_SHIFT 10 /* records use units of 1.024 us */

enum {
    DOUBLINGS_MAX = 40,
    SILENT_PROBES = 2, /* unanswered probes that make a suspect EV bad */
    DAMPED_SHIFT = 2,  /* each step of damping multiplies the answers needed by 2^2 */
};

/* Rounds up, because part of the current tick is over. */
static uint32_t ticks_after(uint64_t now_ns, uint32_t ticks)
{
    return (uint32_t)(now_ns >> TICK_SHIFT) + 1 + ticks;
}

static bool is_due(const struct ev_table_probe *probe, uint64_t now_ns)
{
    return (int32_t)((uint32_t)(now_ns >> TICK_SHIFT) - probe->due_ticks) >= 0;
}

static void update_deadline(struct path_set *set, uint64_t now_ns)
{
    uint64_t now_ticks = now_ns >> TICK_SHIFT;
    int64_t soonest = INT64_MAX;

    for (uint32_t i = 0; i < set->probe_count; i++) {
        int32_t ahead = (int32_t)(set->probes[i].due_ticks - (uint32_t)now_ticks);

        soonest = ahead < soonest ? ahead : soonest;
    }
    set->probe_deadline_ns =
        soonest == INT64_MAX ? UINT64_MAX : (now_ticks + (uint64_t)soonest) << TICK_SHIFT;
}

static uint64_t in_ticks(uint64_t ns)
{
    return (ns + (UINT64_C(1) << TICK_SHIFT) - 1) >> TICK_SHIFT;
}

/* Returns the interval after these doublings, with a jitter of 25 %. */
static uint32_t interval_ticks(struct path_set *set, uint32_t doublings, bool is_lossy)
{
    uint64_t longest =
        in_ticks(is_lossy ? set->timing.lossy_longest_ns : set->timing.probe_longest_ns);
    uint64_t interval = in_ticks(set->timing.probe_first_ns);

    for (; doublings > 0 && interval < longest; doublings--)
        interval *= 2;
    if (interval > longest)
        interval = longest;
    return (uint32_t)(interval - interval / 4) +
           prng_below(&set->prng, (uint32_t)(interval / 2) + 1);
}

static void probe_at_once(struct ev_table_probe *probe, uint64_t now_ns)
{
    probe->is_awaited = 0;
    probe->due_ticks = (uint32_t)(now_ns >> TICK_SHIFT);
}

static void probe_later(struct path_set *set, struct ev_table_probe *probe, uint64_t now_ns)
{
    bool is_lossy = ev_table_is_lossy(&ev_table_evs(set)[probe->ev_index]);

    probe->is_awaited = 0;
    probe->due_ticks = ticks_after(now_ns, interval_ticks(set, probe->doublings, is_lossy));
}

static void schedule_probe(struct path_set *set, struct ev_table_probe *probe, uint64_t now_ns)
{
    if (ev_table_evs(set)[probe->ev_index].state == EV_SUSPECT)
        probe_at_once(probe, now_ns);
    else
        probe_later(set, probe, now_ns);
}

static void assign_ev(struct path_set *set, struct ev_table_probe *probe, uint32_t ev_index)
{
    struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];

    ev->is_probed = 1;
    probe->ev_index = ev_index & (PATH_EV_COUNT_MAX - 1);
    probe->successes = 0;
    if (ev->state == EV_SUSPECT) /* doublings count its failures */
        probe->doublings = 0;
}

static struct ev_table_probe *find_probe(struct path_set *set, uint32_t ev_index)
{
    for (uint32_t i = 0; i < set->probe_count; i++)
        if (set->probes[i].ev_index == ev_index)
            return &set->probes[i];
    return NULL;
}

/* Returns the next bad EV without a record on a plane of the mask, in turn; PATH_NONE: there is
 * none. */
static uint32_t next_waiting(struct path_set *set, uint32_t plane_mask)
{
    for (uint32_t i = 0; i < set->ev_count; i++) {
        uint32_t ev_index = set->probe_cursor;
        const struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];

        set->probe_cursor = (uint16_t)(ev_index + 1u < set->ev_count ? ev_index + 1u : 0);
        if ((ev->state == EV_SUSPECT || ev->state == EV_ASSUMED_BAD) && !ev->is_probed &&
            plane_mask >> path_plane_of(set, ev_index) & 1)
            return ev_index;
    }
    return PATH_NONE;
}

static uint32_t out_count(const struct path_set *set)
{
    return (uint32_t)set->bad_count + set->suspect_count;
}

static void pass_on(struct path_set *set, struct ev_table_probe *probe, uint32_t plane_mask)
{
    uint32_t next = next_waiting(set, plane_mask);

    if (next == PATH_NONE)
        return;
    ev_table_evs(set)[probe->ev_index].is_probed = 0;
    assign_ev(set, probe, next);
}

/* Lossy paths need more answers, because many probes get through. */
static uint32_t successes_needed(const struct path_set *set, uint32_t ev_index)
{
    const struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];
    uint32_t needed = set->config->probe_successes;

    if (ev_table_is_lossy(ev))
        needed <<= DAMPED_SHIFT * (ev->damping - EV_TABLE_LOSSY_DAMPING + 1u);
    return needed < set->config->probe_successes_max ? needed : set->config->probe_successes_max;
}

/* ---- called by the table --------------------------------------------------------------------- */

void ev_recovery_begin(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    struct ev_table_probe *probe = &set->probes[set->probe_count];

    if (set->probe_count == EV_TABLE_PROBE_COUNT_MAX)
        return;
    set->probe_count++;
    assign_ev(set, probe, ev_index);
    probe->doublings = 0;
    schedule_probe(set, probe, now_ns);
    update_deadline(set, now_ns);
}

void ev_recovery_end(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    struct ev_table_probe *probe = find_probe(set, ev_index);
    uint32_t next = PATH_NONE;

    assert(probe);
    ev_table_evs(set)[ev_index].is_probed = 0;
    if (out_count(set) >= set->probe_count)
        next = next_waiting(set, UINT32_MAX);
    if (next != PATH_NONE) {
        assign_ev(set, probe, next);
        probe->doublings = 0;
        schedule_probe(set, probe, now_ns);
    } else {
        *probe = set->probes[--set->probe_count];
    }
    update_deadline(set, now_ns);
}

void ev_recovery_return(
    struct path_set *set, uint32_t ev_index, enum path_signal signal, uint64_t now_ns)
{
    struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];

    ev->in_a_row = 0;
    if (signal == PATH_ADMIN_ALLOW)
        ev->damping = 0;
    if (ev->state == EV_SKIP && ev_table_is_literal(set))
        ev_table_begin_skip(set, ev, now_ns);
    ev->is_tainted = 1;
    set->last_return_ns = now_ns;
}

/* ---- probes ----------------------------------------------------------------------------------*/

uint64_t path_probe_deadline_ns(const struct path_set *set)
{
    return set->probe_deadline_ns;
}

static void back_off(struct ev_table_probe *probe)
{
    if (probe->doublings < DOUBLINGS_MAX)
        probe->doublings++;
}

static void on_failed(
    struct path_set *set, struct ev_table_probe *probe, uint32_t plane_mask, uint64_t now_ns)
{
    struct ev_table_ev *ev = &ev_table_evs(set)[probe->ev_index];

    ev->more_against = 1;
    probe->successes = 0;
    back_off(probe);
    if (ev->state == EV_SUSPECT && probe->doublings < SILENT_PROBES) {
        probe_at_once(probe, now_ns);
        return;
    }
    if (ev->state == EV_SUSPECT) {
        probe->doublings = 0;
        ev_table_apply(set, probe->ev_index, PATH_SILENT, now_ns);
    }
    pass_on(set, probe, plane_mask);
    schedule_probe(set, probe, now_ns);
}

/* Makes the record due again when the time for an answer to its probe is over. */
static void hold_probe(struct path_set *set, struct ev_table_probe *probe, uint64_t now_ns)
{
    probe->due_ticks = ticks_after(now_ns, (uint32_t)in_ticks(set->timing.probe_timeout_ns));
}

/* True if the record, which is due, must send a probe now. */
static bool take_turn(
    struct path_set *set, struct ev_table_probe *probe, uint32_t plane_mask, uint64_t now_ns)
{
    if (probe->is_awaited)
        on_failed(set, probe, plane_mask, now_ns);
    if (!is_due(probe, now_ns))
        return false;
    if (!(plane_mask >> path_plane_of(set, probe->ev_index) & 1)) {
        pass_on(set, probe, plane_mask);
        probe_later(set, probe, now_ns);
        return false;
    }
    probe->is_awaited = 1;
    hold_probe(set, probe, now_ns);
    return true;
}

uint32_t path_probe_next(struct path_set *set, uint32_t plane_mask, uint64_t now_ns)
{
    uint32_t ev_index = PATH_NONE;

    if (now_ns < set->probe_deadline_ns)
        return PATH_NONE;
    for (uint32_t i = 0; i < set->probe_count && ev_index == PATH_NONE; i++)
        if (is_due(&set->probes[i], now_ns) && take_turn(set, &set->probes[i], plane_mask, now_ns))
            ev_index = set->probes[i].ev_index;
    update_deadline(set, now_ns);
    return ev_index;
}

void path_probe_waits(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    struct ev_table_probe *probe = find_probe(set, ev_index);

    if (!probe)
        return;
    probe->is_awaited = 0;
    hold_probe(set, probe, now_ns);
    update_deadline(set, now_ns);
}

void path_probe_left(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    struct ev_table_probe *probe = find_probe(set, ev_index);

    if (!probe)
        return;
    probe->is_awaited = 1;
    hold_probe(set, probe, now_ns);
    update_deadline(set, now_ns);
}

/* Returns how the EV comes back. The share of a suspect EV stays: probes do not wait in the data
 * queue, so their answers do not prove that the path is no longer slow. */
static enum path_signal signal_of_answer(
    const struct path_set *set, uint32_t ev_index, bool marked_skip_once)
{
    const struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];

    if (ev_table_is_literal(set))
        return marked_skip_once ? PATH_PROBE_MARKED : PATH_PROBE_ANSWERED;
    return ev->state == EV_SUSPECT && ev->was_skip ? PATH_PROBE_ANSWERED_SKIP : PATH_PROBE_ANSWERED;
}

void path_on_probe_answered(struct path_set *set, uint32_t ev_index, bool marked_skip_once,
    bool marked_always_skip, uint64_t now_ns)
{
    struct ev_table_probe *probe = find_probe(set, ev_index);

    if (!probe || !probe->is_awaited)
        return;
    if (marked_always_skip) {
        on_failed(set, probe, UINT32_MAX, now_ns);
    } else if (++probe->successes >= successes_needed(set, ev_index)) {
        bool overflows = ev_table_seems_to_overflow(set, ev_index);

        ev_table_apply(set, ev_index, signal_of_answer(set, ev_index, marked_skip_once), now_ns);
        if (overflows)
            ev_table_halve(set, ev_index, now_ns);
        return;
    } else {
        probe_at_once(probe, now_ns);
    }
    update_deadline(set, now_ns);
}

void path_bring_back(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    enum path_ev_state state = path_state_of(set, ev_index);

    if (state == EV_SUSPECT || state == EV_ASSUMED_BAD)
        ev_table_apply(set, ev_index, PATH_PROBE_ANSWERED, now_ns);
}
