/* SPDX-License-Identifier: Apache-2.0 */
/* What the receiving half reports, also when nothing comes any more, and how it keeps the way back
 * fresh (docs/protocol.md §7, §17). */
#include <assert.h>

#include "base/serial.h"
#include "transport/nic.h"

enum {
    BITMAP_PSNS = 64,
    OOO_COUNT_MAX = 0x7fff,
    UNITS_BYTES = 256,
    UNIT_PSNS = 128,
    PENALTY_MAX = 127,
    REVERSE_BURST = 16,
    REVERSE_TICK_SHIFT = 10,
    FLUSH_SACKS_MAX = 64,
};

/* §7.3: the oldest holes, and where the rest does not fit into 64 bits, every other time the next
 * stretch of it; with sack_bitmap=recent twice as often what lies just below the trigger, which is
 * news. */
static struct psn bitmap_base(
    const struct transport *nic, struct responder *responder, struct psn trigger)
{
    const struct recv_window *window = &responder->window;
    struct psn oldest = psn_add(window->cack, 1);
    struct psn rest = psn_add(window->cack, 1 + BITMAP_PSNS);
    struct psn recent = psn_add(trigger, 1 - BITMAP_PSNS);
    struct psn base;
    uint32_t turn;

    if (psn_distance(window->cack, window->highest) <= BITMAP_PSNS)
        return oldest;
    turn = responder->sack_turn++;
    if (nic->parameters->sack_bitmap) {
        if (turn & 1)
            return psn_before(recent, oldest) ? oldest : recent;
        turn >>= 1;
    }
    if (!(turn & 1))
        return oldest;
    base = psn_before(responder->tracker, rest) || psn_before(window->highest, responder->tracker)
               ? rest
               : responder->tracker;
    responder->tracker = psn_add(base, BITMAP_PSNS);
    return base;
}

/* How many bitmaps it takes to show all that has arrived above cack. */
static uint32_t stretch_count(const struct recv_window *window)
{
    uint32_t psns = (uint32_t)psn_distance(window->cack, window->highest);

    return (psns + BITMAP_PSNS - 1) / BITMAP_PSNS;
}

static uint64_t idle_at_ns(const struct responder *responder)
{
    return responder->unreported_bytes > 0 || responder->shown_in_part
               ? responder->last_arrival_ns + responder->idle_ns
               : UINT64_MAX;
}

/* §20: nothing up to half of the queue, all of it when none is left; the window comes back with the
 * first SACK thereafter. */
static void update_penalty(struct responder *responder)
{
    const struct recv_queue *queue = &responder->queue;
    uint32_t waiting = queue->done - queue->reported;
    uint32_t penalty =
        2 * waiting > queue->depth ? (2 * waiting - queue->depth) * PENALTY_MAX / queue->depth : 0;

    responder->restore = responder->penalty > 0 && penalty == 0;
    responder->penalty = (uint8_t)penalty;
}

void responder_fill_sack(struct transport *nic, struct qp *qp, const struct control_record *answer,
    struct packet_sack *sack)
{
    struct responder *responder = qp->responder;
    const struct recv_window *window = &responder->window;
    struct psn trigger = answer->kind == CONTROL_SACK ? answer->psn : window->highest;
    struct psn base;

    if (answer->stretch)
        base = psn_add(window->cack, 1 + (answer->stretch - 1) * BITMAP_PSNS);
    else
        base = bitmap_base(nic, responder, trigger);
    if (!answer->stretch && stretch_count(window) > 1) {
        responder->shown_in_part = true;
        qp_arm(nic, qp, idle_at_ns(responder));
    }
    sack->cack_psn = window->cack;
    sack->sack_offset = (int16_t)psn_distance(window->cack, base);
    sack->bitmap = recv_window_bitmap(window, base);
    sack->mpr = qp->attributes.dynamic_mpr ? (uint8_t)(responder->range_psns / UNIT_PSNS) : 0;
    sack->ooo_count =
        (uint16_t)(window->ooo_count < OOO_COUNT_MAX ? window->ooo_count : OOO_COUNT_MAX);
    if (nic->parameters->receiver_penalty)
        update_penalty(responder);
    sack->window_penalty = responder->penalty;
    sack->restore_window = responder->restore;
    sack->received_units =
        (uint32_t)((responder->received_bytes + UNITS_BYTES - 1) / UNITS_BYTES % SERIAL24_MODULUS);
    responder->restore = false;
}

static uint64_t reverse_interval_ns(const struct transport *nic, const struct qp *qp)
{
    uint64_t configured_ns = nic->parameters->reverse_probe_interval;

    return configured_ns ? configured_ns : qp->cc.base_rtt_ns;
}

void responder_begin_probing(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    qp->responder->reverse_probe_ns = now_ns + reverse_interval_ns(nic, qp);
    qp_arm(nic, qp, qp->responder->reverse_probe_ns);
}

uint64_t responder_deadline_ns(const struct qp *qp)
{
    const struct responder *responder = qp->responder;
    uint64_t deadline_ns = responder->reverse_probe_ns;

    if (responder->reverse_deadline_ns < deadline_ns)
        deadline_ns = responder->reverse_deadline_ns;
    return idle_at_ns(responder) < deadline_ns ? idle_at_ns(responder) : deadline_ns;
}

/* Nothing came for a while, and something was not reported, or not in every bitmap: all of it now.
 * No stamp is echoed, so nobody takes the wait for a delay. */
static void flush(struct transport *nic, struct qp *qp)
{
    struct responder *responder = qp->responder;
    struct control_record answer = { .kind = CONTROL_SACK,
        .code = SACK_MARK_NONE,
        .psn = responder->last_psn,
        .entropy = responder->last_ev,
        .port = responder->last_port,
        .retransmission = responder->last_flags & PACKET_RETRANSMISSION };
    uint32_t count = stretch_count(&responder->window);

    responder->unreported_bytes = 0;
    responder->shown_in_part = false;
    do {
        answer.stretch++;
        nic_answer(nic, qp, answer);
    } while (answer.stretch < count && answer.stretch < FLUSH_SACKS_MAX);
}

static bool reverse_rate_allows(struct transport *nic, uint64_t now_ns)
{
    uint64_t gap_ns = UINT64_C(1000000000) / nic->parameters->reverse_probe_rate;

    return rate_allows(&nic->reverse_probes, gap_ns, REVERSE_BURST, now_ns);
}

/* Ticks from now until it has failed; INT32_MAX: there is no such probe. */
static int32_t reverse_ticks_left(const struct responder_reverse *probe, uint64_t now_ns)
{
    if (probe->ev_index == RESPONDER_NO_EV)
        return INT32_MAX;
    return (int32_t)(probe->deadline_ticks - (uint32_t)(now_ns >> REVERSE_TICK_SHIFT));
}

static void update_reverse_deadline(struct responder *responder, uint64_t now_ns)
{
    int32_t soonest = INT32_MAX;

    for (uint32_t i = 0; i < RESPONDER_REVERSE_MAX; i++) {
        int32_t left = reverse_ticks_left(&responder->reverse[i], now_ns);

        soonest = left < soonest ? left : soonest;
    }
    responder->reverse_deadline_ns = soonest == INT32_MAX
                                         ? UINT64_MAX
                                         : ((now_ns >> REVERSE_TICK_SHIFT) + (uint64_t)soonest)
                                               << REVERSE_TICK_SHIFT;
}

/* A free one, or the youngest: its answer is welcome, but nobody waits for it any more. */
static struct responder_reverse *take_reverse(struct responder *responder, uint64_t now_ns)
{
    struct responder_reverse *taken = &responder->reverse[0];

    for (uint32_t i = 1; i < RESPONDER_REVERSE_MAX; i++) {
        struct responder_reverse *probe = &responder->reverse[i];

        if (reverse_ticks_left(probe, now_ns) >= reverse_ticks_left(taken, now_ns))
            taken = probe;
    }
    return taken;
}

static bool must_wait(const struct transport *nic, const struct responder *responder)
{
    return !nic->parameters->reverse_probe_overlap && responder->reverse_deadline_ns != UINT64_MAX;
}

/* A random EV, as long as that does not take too long one that nobody knows to be bad. */
static uint32_t reverse_target(struct transport *nic, const struct qp *qp)
{
    uint32_t ev_index = PATH_NONE;

    for (uint32_t i = 0; i < nic->parameters->reverse_probe_draws; i++) {
        ev_index =
            path_reverse_probe_target(&qp->reverse, qp->profile, qp_planes(nic, qp), &nic->prng);
        if (ev_index == PATH_NONE || !qp_knows_bad(nic, qp, ev_index))
            break;
    }
    return ev_index;
}

/* §17: a QP that receives and does not send knows its way back only by probing it. The next probe
 * does not wait for the answer to the last: that may have been on a path that is dead. */
static void probe_reverse(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct responder *responder = qp->responder;
    bool sends = qp->sent_data;
    uint64_t timeout_ns = nic_probe_timeout_ns(nic, qp->cc.base_rtt_ns);
    struct responder_reverse *probe = take_reverse(responder, now_ns);
    uint32_t ev_index;
    int32_t id;

    qp->sent_data = false;
    responder->reverse_probe_ns =
        responder->heard ? now_ns + reverse_interval_ns(nic, qp) : UINT64_MAX;
    if (responder->heard && qp->port_update_owed)
        qp_remind_of_ports(nic, qp, now_ns);
    responder->heard = false;
    if (sends || must_wait(nic, responder) || !reverse_rate_allows(nic, now_ns))
        return;
    ev_index = reverse_target(nic, qp);
    if (ev_index == PATH_NONE)
        return;
    id = nic_request_endpoint(nic, &(struct nic_endpoint){ .use = NIC_ENDPOINT_REVERSE,
                                       .dst = qp->attributes.peer_address,
                                       .ev = qp_ev(qp, ev_index),
                                       .ev_index = (uint16_t)ev_index,
                                       .qp_index = qp->index,
                                       .port = (uint8_t)qp_plane_of_ev(qp, ev_index),
                                       .class = DSCP_NO_TRIM });
    if (id < 0)
        return;
    nic_count(nic, COUNTER_REVERSE_PROBES);
    probe->request = (uint16_t)id;
    probe->ev_index = (uint16_t)ev_index;
    probe->deadline_ticks = (uint32_t)((now_ns + timeout_ns) >> REVERSE_TICK_SHIFT) + 1;
    update_reverse_deadline(responder, now_ns);
}

void responder_on_reverse_answer(
    struct qp *qp, uint16_t request_id, uint32_t ev_index, uint64_t now_ns)
{
    struct responder *responder = qp->responder;

    path_reverse_on_probe_answered(&qp->reverse, qp->profile, ev_index);
    for (uint32_t i = 0; i < RESPONDER_REVERSE_MAX; i++) {
        struct responder_reverse *probe = &responder->reverse[i];

        if (probe->request == request_id)
            probe->ev_index = RESPONDER_NO_EV;
    }
    update_reverse_deadline(responder, now_ns);
}

void responder_forget_reverse(struct responder *responder)
{
    for (uint32_t i = 0; i < RESPONDER_REVERSE_MAX; i++)
        responder->reverse[i].ev_index = RESPONDER_NO_EV;
    responder->reverse_deadline_ns = UINT64_MAX;
}

static void expire_reverse(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct responder *responder = qp->responder;

    for (uint32_t i = 0; i < RESPONDER_REVERSE_MAX; i++) {
        struct responder_reverse *probe = &responder->reverse[i];

        if (reverse_ticks_left(probe, now_ns) > 0)
            continue;
        nic_count(nic, COUNTER_REVERSE_PROBES_FAILED);
        path_reverse_on_probe_failed(&qp->reverse, qp->profile, probe->ev_index,
            (uint32_t)nic->parameters->reverse_plane_out, &nic->prng);
        probe->ev_index = RESPONDER_NO_EV;
    }
    update_reverse_deadline(responder, now_ns);
}

void responder_expire(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct responder *responder = qp->responder;

    if (now_ns >= idle_at_ns(responder))
        flush(nic, qp);
    if (now_ns >= responder->reverse_deadline_ns)
        expire_reverse(nic, qp, now_ns);
    if (now_ns >= responder->reverse_probe_ns)
        probe_reverse(nic, qp, now_ns);
}
