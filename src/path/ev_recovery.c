/* SPDX-License-Identifier: Apache-2.0 */
/* Probing of ASSUMED_BAD EVs and damping of those that flap (docs/protocol.md §15).
 *
 * A fixed number of records serves all bad EVs. While there are more of these, a record whose probe
 * failed passes to the next EV in turn and keeps its interval: so every EV is probed again and
 * again, and the rate falls as if there were no others. */
#include "path/ev_recovery.h"

#include <assert.h>

#define TICK_SHIFT        10 /* records count 1.024 us */
#define PERIOD_NS         UINT64_C(5000000000)
#define PERIODS_KEPT      3 /* "within 10 s": the present one and two before it */
#define DAMPING_MAX       3
#define DOUBLINGS_MAX     40
#define FLIGHT_OF_LOSS_NS PERIOD_NS /* by then a lost packet has been missed */

/* Never early: the present tick has partly gone. */
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

void path_timeout_changed(struct path_set *set, uint64_t timeout_ns)
{
    uint64_t first_ns = set->config->probe_first_ns;

    set->probe_first_ticks = (uint32_t)in_ticks(timeout_ns > first_ns ? timeout_ns : first_ns);
}

/* The interval after so many doublings, +-25 %. */
static uint32_t interval_ticks(struct path_set *set, uint32_t doublings)
{
    uint64_t longest = in_ticks(set->config->probe_longest_ns);
    uint64_t interval = set->probe_first_ticks;

    for (; doublings > 0 && interval < longest; doublings--)
        interval *= 2;
    if (interval > longest)
        interval = longest;
    return (uint32_t)(interval - interval / 4) +
           prng_below(&set->prng, (uint32_t)(interval / 2) + 1);
}

static void schedule(struct path_set *set, struct ev_table_probe *probe, uint64_t now_ns)
{
    probe->is_awaited = 0;
    probe->due_ticks = ticks_after(now_ns, interval_ticks(set, probe->doublings));
}

static void assign(struct path_set *set, struct ev_table_probe *probe, uint32_t ev_index)
{
    ev_table_evs(set)[ev_index].mark |= EV_TABLE_PROBED;
    probe->ev_index = ev_index & (PATH_EV_COUNT_MAX - 1);
    probe->successes = 0;
}

static struct ev_table_probe *find(struct path_set *set, uint32_t ev_index)
{
    for (uint32_t i = 0; i < set->probe_count; i++)
        if (set->probes[i].ev_index == ev_index)
            return &set->probes[i];
    return NULL;
}

/* A bad EV without a record, on a plane of the mask, each in its turn; PATH_NONE: there is none. */
static uint32_t next_waiting(struct path_set *set, uint32_t plane_mask)
{
    for (uint32_t i = 0; i < set->ev_count; i++) {
        uint32_t ev_index = set->probe_cursor;
        const struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];

        set->probe_cursor = (uint16_t)(ev_index + 1u < set->ev_count ? ev_index + 1u : 0);
        if (ev->state == EV_ASSUMED_BAD && !(ev->mark & EV_TABLE_PROBED) &&
            plane_mask >> path_plane_of(set, ev_index) & 1)
            return ev_index;
    }
    return PATH_NONE;
}

static void pass_on(struct path_set *set, struct ev_table_probe *probe, uint32_t plane_mask)
{
    uint32_t next = PATH_NONE;

    if (set->bad_count > set->probe_count)
        next = next_waiting(set, plane_mask);
    if (next == PATH_NONE)
        return;
    ev_table_evs(set)[probe->ev_index].mark &= (uint8_t)~EV_TABLE_PROBED;
    assign(set, probe, next);
}

/* ---- flap damping ----------------------------------------------------------------------------*/

static uint32_t period_code(uint32_t period)
{
    return 1 + period % PERIODS_KEPT;
}

/* Forgets returns that are too long ago to matter, before their two bits mean a later period. */
static void update_period(struct path_set *set, uint64_t now_ns)
{
    uint32_t now_period = (uint32_t)(now_ns / PERIOD_NS);
    uint32_t elapsed = now_period - set->period;

    if (elapsed == 0)
        return;
    for (uint32_t i = 0; i < set->ev_count; i++) {
        struct ev_table_ev *ev = &ev_table_evs(set)[i];
        uint32_t age = (set->period + PERIODS_KEPT + 1 - ev->returned) % PERIODS_KEPT;

        if (ev->returned && age + elapsed >= PERIODS_KEPT)
            ev->returned = 0;
        if (ev_state_is_usable(ev->state) && now_ns - set->last_return_ns > FLIGHT_OF_LOSS_NS)
            ev->is_tainted = 0;
    }
    set->period = now_period;
}

static void damp(struct ev_table_ev *ev)
{
    if (!ev->returned)
        ev->damping = 0;
    else if (ev->damping < DAMPING_MAX)
        ev->damping++;
}

static uint32_t successes_needed(const struct path_set *set, uint32_t ev_index)
{
    uint32_t needed = set->config->probe_successes << ev_table_evs_const(set)[ev_index].damping;

    if (needed <= set->config->probe_successes_max)
        return needed;
    return set->config->probe_successes_max;
}

/* ---- what the table reports ------------------------------------------------------------------*/

void ev_recovery_begin(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    struct ev_table_probe *probe = &set->probes[set->probe_count];

    update_period(set, now_ns);
    damp(&ev_table_evs(set)[ev_index]);
    if (set->probe_count == EV_TABLE_PROBE_COUNT_MAX)
        return;
    set->probe_count++;
    assign(set, probe, ev_index);
    probe->doublings = 0;
    schedule(set, probe, now_ns);
    update_deadline(set, now_ns);
}

void ev_recovery_end(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    struct ev_table_probe *probe = find(set, ev_index);
    uint32_t next = PATH_NONE;

    assert(probe);
    if (set->bad_count >= set->probe_count)
        next = next_waiting(set, UINT32_MAX);
    if (next != PATH_NONE) {
        assign(set, probe, next);
        probe->doublings = 0;
        schedule(set, probe, now_ns);
    } else {
        *probe = set->probes[--set->probe_count];
    }
    update_deadline(set, now_ns);
}

static void forget_feedback(struct path_set *set, uint32_t ev_index)
{
    ev_table_evs(set)[ev_index].losses = 0;
    if (set->has_backoff)
        ev_table_backoffs(set)[ev_index].marks = 0;
}

void ev_recovery_return(
    struct path_set *set, uint32_t ev_index, enum path_signal signal, uint64_t now_ns)
{
    struct ev_table_ev *ev = &ev_table_evs(set)[ev_index];

    update_period(set, now_ns);
    switch (signal) {
    case PATH_SPURIOUS:
    case PATH_SPURIOUS_SKIP: /* it was never gone: takes back what damp() did */
        if (ev->damping > 0)
            ev->damping--;
        break;
    case PATH_PROBE_ANSWERED:
    case PATH_PROBE_MARKED:
    case PATH_TOLD_GOOD:
        forget_feedback(set, ev_index);
        ev->returned = period_code(set->period) & 3u;
        break;
    default: /* the controller starts it afresh */
        forget_feedback(set, ev_index);
        ev->returned = 0;
        break;
    }
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
    ev_table_evs(set)[probe->ev_index].mark |= EV_TABLE_MORE_AGAINST;
    probe->successes = 0;
    back_off(probe);
    pass_on(set, probe, plane_mask);
    schedule(set, probe, now_ns);
}

/* Sends the probe if it is time, else sees to it that it will be. */
static bool take_turn(
    struct path_set *set, struct ev_table_probe *probe, uint32_t plane_mask, uint64_t now_ns)
{
    bool reachable = plane_mask >> path_plane_of(set, probe->ev_index) & 1;

    if (probe->is_awaited) {
        on_failed(set, probe, plane_mask, now_ns);
        return false;
    }
    if (!reachable) {
        pass_on(set, probe, plane_mask);
        schedule(set, probe, now_ns);
        return false;
    }
    probe->is_awaited = 1;
    probe->due_ticks = ticks_after(now_ns, (uint32_t)in_ticks(set->config->probe_timeout_ns));
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

void path_on_probe_answered(struct path_set *set, uint32_t ev_index, bool marked_skip_once,
    bool marked_always_skip, uint64_t now_ns)
{
    struct ev_table_probe *probe = find(set, ev_index);

    if (!probe || !probe->is_awaited)
        return;
    if (marked_always_skip) {
        on_failed(set, probe, UINT32_MAX, now_ns);
    } else if (++probe->successes >= successes_needed(set, ev_index)) {
        ev_table_apply(
            set, ev_index, marked_skip_once ? PATH_PROBE_MARKED : PATH_PROBE_ANSWERED, now_ns);
        return;
    } else {
        back_off(probe);
        schedule(set, probe, now_ns);
    }
    update_deadline(set, now_ns);
}

void path_bring_back(struct path_set *set, uint32_t ev_index, uint64_t now_ns)
{
    if (path_state_of(set, ev_index) == EV_ASSUMED_BAD)
        ev_table_apply(set, ev_index, PATH_PROBE_ANSWERED, now_ns);
}
