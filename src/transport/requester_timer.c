/* SPDX-License-Identifier: Apache-2.0 */
/* The timers of the sending half: silent tails, probes without an answer, timeouts
 * (docs/protocol.md §10, §13, §16.1). */
#include "transport/loss.h"
#include "transport/nic.h"
#include "transport/retry.h"

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
    uint64_t delay_ns = more_to_send ? nic->parameters->tail_busy * qp->cc.base_rtt_ns
                                     : (uint64_t)qp->cc.base_rtt_ns + qp->cc.target_delay_ns;

    requester->tail_ns = awaits_feedback(requester)
                             ? now_ns + at_least(delay_ns, nic->parameters->tail_floor)
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
    const struct parameters *parameters = nic->parameters;
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

/* For the answer to a probe, or for the port of the second one. */
static bool is_watching(const struct requester *requester)
{
    return requester->watch_ns != UINT64_MAX ||
           (requester->ev_to_probe != REQUESTER_NO_EV &&
               requester->ev_to_probe == requester->watched_ev);
}

void requester_watch(struct transport *nic, struct qp *qp, uint32_t ev_index, uint64_t now_ns)
{
    struct requester *requester = qp->requester;

    if (requester->watched_ev != ev_index) {
        if (is_watching(requester) || path_state_of(qp->paths, ev_index) != EV_GOOD)
            return;
        requester->watched_ev = (uint16_t)ev_index;
        requester->watched_again = false;
    }
    requester->watch_units = requester->received_units;
    requester->watch_ns = now_ns + nic_probe_timeout_ns(nic, requester->smoothed_rtt_ns);
    qp_arm(nic, qp, requester->watch_ns);
}

/* §16.1: once is nothing; twice in a row, while data arrive by other EVs, is as good as a loss. */
static void on_watched_silent(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    uint32_t ev_index = requester->watched_ev;
    bool others_progress = requester->received_units != requester->watch_units;

    requester->watch_ns = UINT64_MAX;
    if (others_progress && !requester->watched_again && requester->ev_to_probe == REQUESTER_NO_EV) {
        requester->watched_again = true;
        requester->ev_to_probe = (uint16_t)ev_index;
        return;
    }
    requester->watched_ev = REQUESTER_NO_EV;
    if (!others_progress || !requester->watched_again)
        return;
    nic_count(nic, COUNTER_TAIL_PROBES_FAILED);
    path_on_loss(qp->paths, ev_index, now_ns, now_ns);
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
    deadline_ns = earlier(deadline_ns, requester->watch_ns);
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
        loss_on_time(nic, qp, now_ns);
    if (now_ns >= requester->tail_ns)
        on_tail_silent(nic, qp, now_ns);
    if (now_ns >= requester->watch_ns)
        on_watched_silent(nic, qp, now_ns);
    if (now_ns >= requester->timeout_ns)
        on_timeout(nic, qp, now_ns);
}

void requester_ev_probes_changed(struct transport *nic, struct qp *qp)
{
    qp->requester->ev_probe_ns = path_probe_deadline_ns(qp->paths);
    qp_arm(nic, qp, qp->requester->ev_probe_ns);
}
