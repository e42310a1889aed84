/* SPDX-License-Identifier: Apache-2.0 */
/* What the sending half learns from a NACK (docs/protocol.md §11). */
#include "base/serial.h"
#include "transport/feedback.h"
#include "transport/loss.h"
#include "transport/nic.h"
#include "transport/retry.h"
#include "wire/stamp.h"

/* Reasons other than trimming: the peer is short of something. Give it time, more each time (§11).
 */
static void hold_back(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    const struct parameters *parameters = nic->parameters;
    struct requester *requester = qp->requester;
    uint64_t first_ns = parameters->nack_delay ? parameters->nack_delay : qp->cc.base_rtt_ns;

    if (now_ns < requester->hold_until_ns)
        return; /* of the same burst */
    requester->hold_ns = requester->hold_ns ? requester->hold_ns * 2 : (uint32_t)first_ns;
    if (requester->hold_ns > parameters->nack_delay_max)
        requester->hold_ns = (uint32_t)parameters->nack_delay_max;
    requester->hold_until_ns = now_ns + requester->hold_ns;
    qp_arm(nic, qp, requester->hold_until_ns);
}

/* All recoverable NACKs draw on the count of timeouts, once per burst. True if it is exhausted. */
static bool count_retry(struct qp *qp, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    struct retry_schedule schedule = { .timeout = qp->attributes.timeout,
        .linear = qp->attributes.retry_linear,
        .exponential = qp->attributes.retry_exponential };

    if (now_ns < requester->hold_until_ns)
        return false;
    if (retry_is_exhausted(schedule, requester->timeouts))
        return true;
    requester->timeouts++;
    return false;
}

static enum loss_rule rule_of(uint8_t reason)
{
    if (reason == NACK_TRIMMED)
        return LOSS_BY_TRIM;
    return reason == NACK_TRIMMED_LASTHOP ? LOSS_BY_TRIM_LASTHOP : LOSS_BY_NACK;
}

/* Whether the copy NACKed is the newest, as far as stamps tell. */
static bool is_newest_copy(
    const struct requester *requester, const struct packet_nack *nack, uint64_t now_ns)
{
    struct send_record record = send_window_record(&requester->window, nack->nack_psn);
    uint64_t sent_ns = now_ns - send_window_age_ns(record.ticks, now_ns);
    int32_t apart;

    if (!requester->stamped || nack->tx_timestamp == 0)
        return true;
    apart = serial16_distance(nack->tx_timestamp, (uint16_t)(sent_ns / STAMP_UNIT_NS));
    return apart >= -1 && apart <= 1; /* records are kept in other units */
}

enum drop_reason requester_on_nack(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    const struct packet_nack *nack = &packet->nack;
    struct requester *requester = qp->requester;
    struct send_window *window = &requester->window;
    enum loss_rule rule = rule_of(nack->reason);
    uint64_t sample_ns;
    uint32_t ev_index;
    uint32_t bytes;

    if (!send_window_remembers(window, nack->nack_psn))
        return DROP_FEEDBACK_RANGE;
    nic_count(nic, COUNTER_NACK_RECEIVED);
    if (!packet_nack_reason_name(nack->reason))
        nic_count(nic, COUNTER_NACK_UNKNOWN_REASON);
    if (nack->reason == NACK_UNEXP_EVENT) {
        if (send_window_holds(window, nack->nack_psn))
            qp_fail(nic, qp, requester->queue.done, COMPLETION_REMOTE_OPERATION, -1, now_ns);
        return DROP_NONE;
    }
    ev_index =
        feedback_ev(nic, qp, send_window_record(window, nack->nack_psn).ev_index, nack->entropy);
    if (ev_index != PATH_NONE) {
        requester->last_plane = (uint16_t)qp_plane_of_ev(qp, ev_index);
        if (rule == LOSS_BY_TRIM)
            path_on_mark(qp->paths, ev_index, PATH_TRIMMED, now_ns);
    }
    requester->tail_rounds = 0;
    if (!send_window_holds(window, nack->nack_psn) ||
        send_window_is_acked(window, nack->nack_psn) ||
        send_window_is_lost(window, nack->nack_psn) || !is_newest_copy(requester, nack, now_ns))
        return DROP_NONE;
    if ((rule == LOSS_BY_NACK || nic->parameters->trim_counts_as_retry) &&
        count_retry(qp, now_ns)) {
        qp_fail(nic, qp, requester->queue.done, COMPLETION_RETRY_EXCEEDED, -1, now_ns);
        return DROP_NONE;
    }
    bytes = requester_nominal_bytes(qp, nack->nack_psn);
    sample_ns = send_window_age_ns(send_window_record(window, nack->nack_psn).ticks, now_ns) + 1;
    loss_declare(nic, qp, nack->nack_psn, rule, now_ns);
    cc_on_nack(&qp->cc,
        &(struct cc_nack){ .now_ns = now_ns,
            .rtt_ns = rule == LOSS_BY_NACK ? sample_ns : feedback_base_sample(nic, qp, sample_ns),
            .packet_bytes = bytes,
            .inflight_bytes = window->inflight_bytes,
            .trimmed = rule != LOSS_BY_NACK });
    if (rule == LOSS_BY_NACK) {
        send_window_set_flags(window, nack->nack_psn, SEND_HELD);
        hold_back(nic, qp, now_ns);
    }
    requester_arm_tail(nic, qp, now_ns);
    nic_trace(
        nic, EVENT_NACK, qp->qpn, now_ns, nack->nack_psn.value, nack->reason, qp->cc.window_bytes);
    return DROP_NONE;
}
