/* SPDX-License-Identifier: Apache-2.0 */
/* The sending half: its beginning, and whether it has anything to send. */
#include "transport/requester.h"

#include <assert.h>
#include <stdalign.h>

#include "transport/loss.h"
#include "transport/nic.h"

enum {
    HEADERS_WITH_STAMP_BYTES = 40 + 8 + 12 + 4 + 4 + 16 + 4, /* nominal size less payload */
    STAMP_BYTES = 4,
    NEVER_ASKED = 1 << 15, /* PSNs ago: more than a quarter of any window */
};

struct requester *requester_init(struct arena *arena, uint32_t depth, uint32_t psn_count)
{
    struct requester *requester =
        arena_take(arena, 1, sizeof(*requester), alignof(struct requester));

    send_window_init(requester ? &requester->window : NULL, arena, psn_count);
    send_queue_init(requester ? &requester->queue : NULL, arena, depth);
    return requester;
}

/* What the application and the QP's memory let be in flight. */
static uint32_t own_range_psns(const struct qp *qp)
{
    uint32_t range_psns = (uint32_t)qp->attributes.mpr * 128;
    uint32_t slots_psns = qp->requester->window.psn_count;

    return range_psns < slots_psns ? range_psns : slots_psns;
}

void requester_start(struct transport *nic, struct qp *qp)
{
    struct requester *requester = qp->requester;
    const struct parameters *parameters = nic->parameters;
    struct send_window window = requester->window;
    struct send_queue queue = requester->queue;

    send_window_start(&window, qp->attributes.sq_psn);
    send_queue_start(&queue);
    *requester = (struct requester){ .window = window,
        .queue = queue,
        .loss_check_ns = UINT64_MAX,
        .tail_ns = UINT64_MAX,
        .timeout_ns = UINT64_MAX,
        .watch_ns = UINT64_MAX,
        .ev_probe_ns = path_probe_deadline_ns(qp->paths),
        .stamped = parameters->stamp,
        .measure_base = parameters->base_rtt_probe,
        .newest_cack = psn_add(qp->attributes.sq_psn, -1),
        .highest_acked = psn_add(qp->attributes.sq_psn, -1),
        .last_plane = REQUESTER_NO_PLANE,
        .ev_to_probe = REQUESTER_NO_EV,
        .watched_ev = REQUESTER_NO_EV,
        .asked_psn = (uint16_t)(qp->attributes.sq_psn.value - NEVER_ASKED) };
    requester->full_bytes = qp->attributes.pmtu_bytes + HEADERS_WITH_STAMP_BYTES;
    if (!parameters->stamp)
        requester->full_bytes -= STAMP_BYTES;
    requester->mpr_psns = own_range_psns(qp);
    requester->reorder_ns =
        parameters->reo_wnd ? (uint32_t)parameters->reo_wnd : qp->cc.base_rtt_ns;
    requester_attributes_changed(qp);
}

void requester_forget_evs(struct qp *qp)
{
    struct requester *requester = qp->requester;

    requester->ev_to_probe = REQUESTER_NO_EV;
    requester->watched_ev = REQUESTER_NO_EV;
    requester->watch_ns = UINT64_MAX;
    requester->ev_probe_ns = path_probe_deadline_ns(qp->paths);
    path_timeout_changed(qp->paths, UINT64_C(1024) << qp->attributes.timeout);
}

void requester_attributes_changed(struct qp *qp)
{
    struct requester *requester = qp->requester;
    uint32_t range_psns = own_range_psns(qp);

    /* With dynamic MPR a wider one takes the peer's word, which the next SACK brings. */
    if (range_psns < requester->mpr_psns || !qp->attributes.dynamic_mpr)
        requester->mpr_psns = range_psns;
    path_timeout_changed(qp->paths, UINT64_C(1024) << qp->attributes.timeout);
}

/* The oldest lost PSN that is not held back; `next` when there is none. */
static struct psn oldest_to_repair(const struct requester *requester, uint64_t now_ns)
{
    const struct send_window *window = &requester->window;
    struct psn psn = send_window_oldest_lost(window);

    if (now_ns >= requester->hold_until_ns)
        return psn;
    while (!psn_equal(psn, window->next) &&
           (!send_window_is_lost(window, psn) || send_window_record(window, psn).flags & SEND_HELD))
        psn = psn_add(psn, 1);
    return psn;
}

bool requester_may_repair(const struct qp *qp, struct psn *which, uint64_t now_ns)
{
    const struct requester *requester = qp->requester;
    const struct send_window *window = &requester->window;

    if (window->lost_count == 0)
        return false;
    *which = oldest_to_repair(requester, now_ns);
    if (psn_equal(*which, window->next))
        return false;
    if (window->inflight_bytes == 0)
        return true;
    /* Beyond a window that the peer has narrowed, it waits. */
    return cc_can_send(&qp->cc, window->inflight_bytes) &&
           psn_distance(window->oldest, *which) < (int32_t)requester->mpr_psns;
}

/* Some plane is up, but no EV on it is usable, and it is not yet time for a bad one. */
static bool waits_for_path(const struct transport *nic, const struct qp *qp, uint64_t now_ns)
{
    uint32_t planes = qp_planes(nic, qp);

    return path_usable_planes(qp->paths, planes) == 0 &&
           (planes == 0 || now_ns < qp->requester->desperate_ns);
}

bool requester_is_ready(const struct transport *nic, const struct qp *qp, uint64_t now_ns)
{
    const struct requester *requester = qp->requester;
    struct psn lost;

    if ((requester->ev_to_probe != REQUESTER_NO_EV || requester->ev_probe_ns <= now_ns) &&
        qp_planes(nic, qp) != 0)
        return true;
    if (requester->probe_planes & qp_planes(nic, qp))
        return true; /* by a bad EV, if need be */
    if (!requester->probe_once && !requester->resend_last &&
        !requester_may_repair(qp, &lost, now_ns) &&
        !requester_may_send_new(requester, &qp->cc, qp->attributes.max_wimm))
        return false;
    return !waits_for_path(nic, qp, now_ns);
}

void requester_on_port_down(struct transport *nic, struct qp *qp, uint32_t plane, uint64_t now_ns)
{
    struct send_window *window = &qp->requester->window;
    uint32_t rtt_ns =
        qp->requester->smoothed_rtt_ns ? qp->requester->smoothed_rtt_ns : qp->cc.base_rtt_ns;
    struct psn psn = send_window_next_in_flight(window, window->oldest);

    for (; !psn_equal(psn, window->next);
         psn = send_window_next_in_flight(window, psn_add(psn, 1))) {
        struct send_record record = send_window_record(window, psn);

        if (qp_plane_of_ev(qp, record.ev_index) == plane &&
            send_window_age_ns(record.ticks, now_ns) <= rtt_ns)
            loss_declare(nic, qp, psn, LOSS_BY_PORT, now_ns);
    }
}

static uint32_t nominal_bytes_of(const void *context, struct psn psn)
{
    return requester_nominal_bytes(context, psn);
}

void requester_check(const struct qp *qp)
{
    const struct requester *requester = qp->requester;

    send_window_check(&requester->window, nominal_bytes_of, qp);
    assert(requester->window.lost_count <= send_window_count(&requester->window));
    assert(requester->queue.done - requester->queue.reported <= requester->queue.depth);
    assert(requester->queue.posted - requester->queue.reported <= requester->queue.depth);
    assert(requester->queue.done == requester->queue.posted || requester->timeout_ns != UINT64_MAX);
    assert((send_window_count(&requester->window) == 0 &&
               send_queue_unacknowledged(&requester->queue) == 0) ||
           requester->tail_ns != UINT64_MAX);
}
