/* SPDX-License-Identifier: Apache-2.0 */
/* The sending half: its beginning, its timers, and whether it has anything to send. */
#include "transport/requester.h"

#include <assert.h>
#include <stdalign.h>

#include "transport/loss.h"
#include "transport/nic.h"
#include "transport/retry.h"

enum {
    HEADERS_WITH_STAMP_BYTES = 40 + 8 + 12 + 4 + 4 + 16 + 4, /* nominal size less payload */
    STAMP_BYTES = 4,
};

struct requester *requester_init(struct arena *arena, uint32_t depth, uint32_t psn_count)
{
    struct requester *requester =
        arena_take(arena, 1, sizeof(*requester), alignof(struct requester));

    send_window_init(requester ? &requester->window : NULL, arena, psn_count);
    send_queue_init(requester ? &requester->queue : NULL, arena, depth);
    return requester;
}

void requester_start(struct transport *nic, struct qp *qp)
{
    struct requester *requester = qp->requester;
    const struct parameters *parameters = &nic->config.parameters;
    struct send_window window = requester->window;
    struct send_queue queue = requester->queue;
    uint32_t range_psns = (uint32_t)qp->attributes.mpr * 128;

    send_window_start(&window, qp->attributes.sq_psn);
    send_queue_start(&queue);
    *requester = (struct requester){ .window = window,
        .queue = queue,
        .loss_check_ns = UINT64_MAX,
        .tail_ns = UINT64_MAX,
        .timeout_ns = UINT64_MAX,
        .ev_probe_ns = path_probe_deadline_ns(qp->paths),
        .stamped = parameters->stamp,
        .newest_cack = psn_add(qp->attributes.sq_psn, -1),
        .highest_acked = psn_add(qp->attributes.sq_psn, -1),
        .last_plane = REQUESTER_NO_PLANE,
        .ev_to_probe = REQUESTER_NO_EV };
    requester->full_bytes = qp->attributes.pmtu_bytes + HEADERS_WITH_STAMP_BYTES;
    if (!parameters->stamp)
        requester->full_bytes -= STAMP_BYTES;
    requester->mpr_psns = range_psns < window.psn_count ? range_psns : window.psn_count;
    requester->reorder_ns =
        parameters->reo_wnd ? (uint32_t)parameters->reo_wnd : qp->cc.base_rtt_ns;
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

static struct retry_schedule schedule_of(const struct qp *qp)
{
    return (struct retry_schedule){ .timeout = qp->attributes.timeout,
        .linear = qp->attributes.retry_linear,
        .exponential = qp->attributes.retry_exponential };
}

uint64_t requester_interval_ns(const struct qp *qp)
{
    return retry_interval_ns(schedule_of(qp), qp->requester->timeouts);
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

/* A packet's fate or a Transport ACK: a QP that only waits for its turn to send waits for neither.
 */
static bool awaits_feedback(const struct requester *requester)
{
    return send_window_count(&requester->window) > 0 ||
           send_queue_unacknowledged(&requester->queue) > 0;
}

/* Even what could not be sent yet, because no plane is up, shall not wait for ever. */
static bool has_work(const struct requester *requester)
{
    return requester->queue.done != requester->queue.posted;
}

void requester_arm_timeout(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct requester *requester = qp->requester;

    requester->timeout_ns = has_work(requester) ? now_ns + requester_interval_ns(qp) : UINT64_MAX;
    qp_arm(nic, qp, requester->timeout_ns);
}

static uint64_t at_least(uint64_t value, uint64_t floor_value)
{
    return value > floor_value ? value : floor_value;
}

void requester_arm_tail(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    bool more_to_send =
        send_queue_can_cut(&requester->queue, UINT32_MAX) || requester->window.lost_count > 0;
    uint64_t delay_ns = more_to_send ? nic->config.parameters.tail_busy * qp->cc.base_rtt_ns
                                     : (uint64_t)qp->cc.base_rtt_ns + qp->cc.target_delay_ns;

    requester->tail_ns = awaits_feedback(requester)
                             ? now_ns + at_least(delay_ns, nic->config.parameters.tail_floor)
                             : UINT64_MAX;
    qp_arm(nic, qp, requester->tail_ns);
}

/* All of the oldest message is received, and still no Transport ACK. */
static bool lacks_only_its_ack(const struct requester *requester)
{
    const struct send_queue *queue = &requester->queue;

    return send_queue_unacknowledged(queue) > 0 &&
           psn_before(
               send_queue_last_psn(send_queue_at(queue, queue->done)), requester->window.oldest);
}

bool requester_is_cut_off(const struct transport *nic, const struct qp *qp)
{
    return qp->requester->tail_rounds > 1 || path_usable_planes(qp->paths, qp_planes(nic, qp)) == 0;
}

static void on_tail_silent(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    const struct parameters *parameters = &nic->config.parameters;
    struct requester *requester = qp->requester;

    if (lacks_only_its_ack(requester))
        requester->resend_last = true;
    if (requester->tail_rounds < UINT8_MAX)
        requester->tail_rounds++;
    if (parameters->tail_spread && requester_is_cut_off(nic, qp))
        requester->probe_planes = (uint16_t)qp_planes(nic, qp);
    else if (send_window_count(&requester->window) > 0)
        requester->probe_once = true;
    requester->tail_ns =
        now_ns + at_least(parameters->tail_retry * qp->cc.base_rtt_ns, parameters->tail_floor);
}

static void on_timeout(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    uint64_t interval_ns = requester_interval_ns(qp);

    nic_count(nic, COUNTER_TIMEOUT_FIRED);
    nic_trace(nic, EVENT_TIMEOUT, qp->qpn, now_ns, requester->window.oldest.value,
        requester->timeouts, interval_ns);
    if (retry_is_exhausted(schedule_of(qp), requester->timeouts)) {
        qp_fail(nic, qp, requester->queue.done, COMPLETION_RETRY_EXCEEDED, -1, now_ns);
        return;
    }
    requester->timeouts++;
    if (send_window_count(&requester->window) > 0)
        loss_infer_by_timeout(nic, qp, interval_ns, now_ns);
    else if (send_queue_unacknowledged(&requester->queue) > 0)
        requester->resend_last = true;
    if (qp_planes(nic, qp) == 0)
        qp_tell_ports(nic, qp, 1, now_ns);
    requester_arm_timeout(nic, qp, now_ns);
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

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t requester_deadline_ns(const struct qp *qp, uint64_t now_ns)
{
    const struct requester *requester = qp->requester;
    uint64_t deadline_ns =
        earlier(earlier(requester->loss_check_ns, requester->tail_ns), requester->timeout_ns);

    if (requester->hold_until_ns && requester->window.lost_count)
        deadline_ns = earlier(deadline_ns, requester->hold_until_ns);
    if (requester->desperate_ns)
        deadline_ns = earlier(deadline_ns, requester->desperate_ns);
    /* One that is due waits for its turn to send, not for time. */
    return requester->ev_probe_ns > now_ns ? earlier(deadline_ns, requester->ev_probe_ns)
                                           : deadline_ns;
}

void requester_expire(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct requester *requester = qp->requester;

    if (now_ns >= requester->hold_until_ns)
        requester->hold_until_ns = 0;
    if (now_ns >= requester->desperate_ns)
        requester->desperate_ns = 0;
    if (now_ns >= requester->loss_check_ns)
        loss_infer_by_time(nic, qp, now_ns);
    if (now_ns >= requester->tail_ns)
        on_tail_silent(nic, qp, now_ns);
    if (now_ns >= requester->timeout_ns)
        on_timeout(nic, qp, now_ns);
}

void requester_ev_probes_changed(struct transport *nic, struct qp *qp)
{
    qp->requester->ev_probe_ns = path_probe_deadline_ns(qp->paths);
    qp_arm(nic, qp, qp->requester->ev_probe_ns);
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
    assert(!has_work(requester) || requester->timeout_ns != UINT64_MAX);
    assert(!awaits_feedback(requester) || requester->tail_ns != UINT64_MAX);
}
