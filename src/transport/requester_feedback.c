/* SPDX-License-Identifier: Apache-2.0 */
/* What the sending half learns from SACK, NACK and Transport ACK (docs/protocol.md §6, §9, §11). */
#include <assert.h>

#include "base/serial.h"
#include "transport/loss.h"
#include "transport/nic.h"
#include "transport/retry.h"
#include "wire/ack.h"
#include "wire/stamp.h"

enum {
    CACK_BEHIND_MAX = 1 << 22,
    UNITS_BYTES = 256,
    UNITS_HALF = 1 << 23,
    STAMP_TRUST_NS = 4 * 1000 * 1000,    /* half of what 16 bits of 128 ns span */
    RECORD_TRUST_NS = 500 * 1000 * 1000, /* half of what 24 bits of 64 ns span */
    SMOOTHING_SHIFT = 3,
};

/* The first acknowledgement of one PSN of the window. */
static void acknowledge(struct qp *qp, struct psn psn, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    struct send_record record = send_window_record(&requester->window, psn);
    uint32_t bytes =
        record.flags & SEND_ODD_SIZE ? requester_nominal_bytes(qp, psn) : requester->full_bytes;

    /* Lost and not sent again since: that copy arrived after all, but it says nothing of the
     * present. */
    if (!send_window_acknowledge(&requester->window, psn, bytes))
        return;
    loss_on_acknowledged(requester, psn, record, qp->cc.base_rtt_ns, now_ns);
    path_on_delivered(qp->paths, record.ev_index);
}

/* Bit i of the bitmap: `base` + i was received. */
static void acknowledge_bitmap(struct qp *qp, struct psn base, uint64_t bitmap, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    struct psn highest;

    bitmap = send_window_unacked(&requester->window, base, bitmap);
    if (!bitmap)
        return;
    highest = psn_add(base, (int32_t)bits_highest(bitmap));
    if (psn_before(requester->highest_acked, highest))
        requester->highest_acked = highest;
    for (; bitmap; bitmap &= bitmap - 1)
        acknowledge(qp, psn_add(base, (int32_t)bits_lowest(bitmap)), now_ns);
}

static void acknowledge_up_to(struct qp *qp, struct psn cack, uint64_t now_ns)
{
    struct psn psn = qp->requester->window.oldest;
    int32_t count = psn_distance(psn, cack) + 1;

    for (; count > 0; count -= 64, psn = psn_add(psn, 64))
        acknowledge_bitmap(qp, psn, count < 64 ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0), now_ns);
}

/* After acknowledgements: the old end of the window, and what depends on its progress. */
static void advance(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct requester *requester = qp->requester;

    if (!send_window_advance(&requester->window))
        return;
    requester->timeouts = 0;
    requester->hold_ns = 0;
    requester_arm_timeout(nic, qp, now_ns);
}

static bool cack_is_plausible(const struct send_window *window, struct psn cack)
{
    return psn_distance(cack, window->oldest) <= CACK_BEHIND_MAX &&
           psn_distance(cack, window->next) > 0;
}

/* The EV a SACK or NACK speaks of: the one on record, if the echo confirms it; else the one of that
 * value. */
static uint32_t feedback_ev(
    struct transport *nic, const struct qp *qp, uint32_t ev_index, uint32_t entropy)
{
    if (ev_index != PATH_NONE && qp_ev(qp, ev_index) == entropy)
        return ev_index;
    ev_index = path_profile_find(qp->profile, entropy);
    if (ev_index == PATH_NONE)
        nic_count(nic, COUNTER_FEEDBACK_UNKNOWN_EV);
    return ev_index;
}

static void heed_mark(struct qp *qp, uint32_t ev_index, uint8_t mark, uint64_t now_ns)
{
    switch (mark) {
    case SACK_MARK_SKIP_ONCE:
        path_on_mark(qp->paths, ev_index, PATH_MARKED_SKIP_ONCE, now_ns);
        break;
    case SACK_MARK_ALWAYS_SKIP:
        path_on_mark(qp->paths, ev_index, PATH_MARKED_ALWAYS_SKIP, now_ns);
        break;
    default:
        path_on_unmarked(qp->paths, ev_index);
        path_reverse_on_unmarked(&qp->reverse, qp->profile, ev_index);
        break;
    }
}

/* §19.3: the trigger's own record, when it is certain which of its copies was answered. 0: no
 * sample. */
static uint64_t rtt_sample(
    const struct qp *qp, const struct packet *packet, struct psn trigger, uint64_t now_ns)
{
    const struct requester *requester = qp->requester;
    struct send_record record;
    bool again = packet->flags & PACKET_RETRANSMISSION;
    uint8_t copies;
    uint64_t sample_ns;

    if (!send_window_remembers(&requester->window, trigger) ||
        (requester->stamped && packet->sack.tx_timestamp == 0))
        return 0;
    record = send_window_record(&requester->window, trigger);
    copies = record.flags & (SEND_TWICE | SEND_OFTEN);
    if (again ? !(copies & SEND_TWICE) : copies)
        return 0;
    sample_ns = send_window_age_ns(record.ticks, now_ns);
    if (requester->stamped && qp->attributes.peer_service_time && sample_ns < STAMP_TRUST_NS)
        sample_ns = (uint16_t)(now_ns / STAMP_UNIT_NS - packet->sack.tx_timestamp) *
                    (uint64_t)STAMP_UNIT_NS;
    return sample_ns < RECORD_TRUST_NS ? sample_ns + 1 : 0;
}

static void smooth(struct requester *requester, uint64_t sample_ns)
{
    if (sample_ns == 0)
        return;
    if (requester->smoothed_rtt_ns == 0)
        requester->smoothed_rtt_ns = (uint32_t)sample_ns;
    else
        requester->smoothed_rtt_ns +=
            (uint32_t)((int64_t)(sample_ns - requester->smoothed_rtt_ns) >> SMOOTHING_SHIFT);
}

/* The trigger was taken for lost, and yet its first copy arrived (§9), perhaps behind the second.
 */
static void check_spurious(struct transport *nic, struct qp *qp, const struct packet *packet,
    struct psn trigger, uint32_t ev_index, uint64_t now_ns)
{
    struct send_window *window = &qp->requester->window;
    struct send_record record;

    if (packet->flags & PACKET_RETRANSMISSION)
        return;
    record = send_window_record(window, trigger);
    if (record.flags & SEND_OFTEN ||
        !(send_window_is_lost(window, trigger) || record.flags & SEND_TWICE))
        return;
    if (record.flags & SEND_TWICE)
        send_window_set_flags(window, trigger, SEND_OFTEN); /* it counts once */
    loss_on_spurious(nic, qp, now_ns);
    if (record.flags & SEND_DEMOTED && ev_index != PATH_NONE)
        path_on_spurious(qp->paths, ev_index, now_ns);
    nic_trace(nic, EVENT_SPURIOUS, qp->qpn, now_ns, trigger.value, packet->sack.entropy,
        qp->requester->reorder_ns);
}

/* How many bytes the peer received since the newest SACK before; 0 for an older one. */
static uint32_t newly_received(struct requester *requester, uint32_t units)
{
    uint32_t newly = (units - requester->received_units) % SERIAL24_MODULUS;

    if (newly == 0 || newly >= UNITS_HALF)
        return 0;
    requester->received_units = units;
    return newly * UNITS_BYTES;
}

static void take_mpr(struct qp *qp, const struct packet_sack *sack, bool is_newest)
{
    struct requester *requester = qp->requester;
    uint32_t own = (uint32_t)qp->attributes.mpr * 128;
    uint32_t announced = (uint32_t)sack->mpr * 128;

    if (!qp->attributes.dynamic_mpr || !is_newest || announced == 0)
        return;
    requester->mpr_psns = announced < own ? announced : own;
    if (requester->mpr_psns > requester->window.psn_count)
        requester->mpr_psns = requester->window.psn_count;
}

/* What an answered probe says of its path, if the echo names that. */
static void heed_probe(
    struct transport *nic, struct qp *qp, const struct packet_sack *sack, uint64_t now_ns)
{
    uint32_t ev_index = sack->probe_id & REQUESTER_PROBE_EV_MASK;
    bool is_refused = sack->mark == SACK_MARK_ALWAYS_SKIP;

    ev_index = feedback_ev(
        nic, qp, ev_index < qp->profile->entry_count ? ev_index : PATH_NONE, sack->entropy);
    if (ev_index == PATH_NONE)
        return;
    qp->requester->last_plane = (uint16_t)qp_plane_of_ev(qp, ev_index);
    path_on_probe_answered(
        qp->paths, ev_index, sack->mark == SACK_MARK_SKIP_ONCE, is_refused, now_ns);
    if (nic->config.parameters.tail_spread && !is_refused && requester_is_cut_off(nic, qp))
        path_bring_back(qp->paths, ev_index, now_ns);
    requester_ev_probes_changed(nic, qp);
}

/* Yields the round trip of a probe, 0: not known. */
static uint64_t on_probe_answer(
    struct transport *nic, struct qp *qp, const struct packet_sack *sack, uint64_t now_ns)
{
    uint64_t age_ns =
        (uint16_t)(now_ns / STAMP_UNIT_NS - sack->tx_timestamp) * (uint64_t)STAMP_UNIT_NS;
    bool is_certain =
        now_ns - qp->requester->last_probe_ns < STAMP_TRUST_NS && age_ns < STAMP_TRUST_NS;

    nic_count(nic, COUNTER_PROBES_ANSWERED);
    heed_probe(nic, qp, sack, now_ns);
    return is_certain ? age_ns + 1 : 0;
}

/* Feedback for the one packet that a SACK answers. Yields a sample of the round trip, 0: none. */
static uint64_t on_trigger(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    const struct packet_sack *sack = &packet->sack;
    struct requester *requester = qp->requester;
    struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);
    uint32_t ev_index = PATH_NONE;

    if (!send_window_remembers(&requester->window, trigger))
        return 0;
    ev_index = feedback_ev(
        nic, qp, send_window_record(&requester->window, trigger).ev_index, sack->entropy);
    check_spurious(nic, qp, packet, trigger, ev_index, now_ns);
    if (ev_index != PATH_NONE) {
        requester->last_plane = (uint16_t)qp_plane_of_ev(qp, ev_index);
        heed_mark(qp, ev_index, sack->mark, now_ns);
    }
    return rtt_sample(qp, packet, trigger, now_ns);
}

/* Probes, short packets and trimmed ones take less time at each hop than a full one. Their round
 * trips may not lower the base RTT, or whoever has had one would see longer queues than others. */
static uint64_t base_sample(const struct transport *nic, const struct qp *qp, uint64_t sample_ns)
{
    bool is_too_short = sample_ns != 0 && sample_ns < qp->cc.base_rtt_ns;

    return is_too_short && nic->config.parameters.base_rtt_samples ? qp->cc.base_rtt_ns : sample_ns;
}

static bool is_full_packet(const struct qp *qp, const struct packet_sack *sack)
{
    struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);

    return !sack->answers_probe &&
           !(send_window_record(&qp->requester->window, trigger).flags & SEND_ODD_SIZE);
}

static void control_congestion(struct transport *nic, struct qp *qp, const struct packet_sack *sack,
    uint32_t received_bytes, uint64_t sample_ns, uint64_t now_ns)
{
    uint32_t base_rtt_ns = qp->cc.base_rtt_ns;

    smooth(qp->requester, sample_ns);
    if (!is_full_packet(qp, sack))
        sample_ns = base_sample(nic, qp, sample_ns);
    cc_on_ack(&qp->cc, &(struct cc_ack){ .now_ns = now_ns,
                           .rtt_ns = sample_ns,
                           .received_bytes = received_bytes,
                           .inflight_bytes = qp->requester->window.inflight_bytes,
                           .penalty = sack->window_penalty,
                           .restore = sack->restore_window,
                           .marked = sack->mark == SACK_MARK_SKIP_ONCE });
    if (qp->cc.base_rtt_ns != base_rtt_ns && !qp->nic->config.parameters.skip_lapse)
        path_base_rtt_changed(qp->paths, qp->cc.base_rtt_ns);
}

enum drop_reason requester_on_sack(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    const struct packet_sack *sack = &packet->sack;
    struct requester *requester = qp->requester;
    struct send_window *window = &requester->window;
    struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);
    int32_t newer = psn_distance(requester->newest_cack, sack->cack_psn);
    uint64_t sample_ns;
    uint32_t received_bytes;
    bool is_newest;

    if (!cack_is_plausible(window, sack->cack_psn))
        return DROP_FEEDBACK_RANGE;
    nic_count(nic, COUNTER_SACK_RECEIVED);
    sample_ns = sack->answers_probe ? on_probe_answer(nic, qp, sack, now_ns)
                                    : on_trigger(nic, qp, packet, now_ns);
    acknowledge_up_to(qp, sack->cack_psn, now_ns);
    if (!sack->answers_probe && sack->ack_psn_offset > 0)
        acknowledge_bitmap(qp, trigger, 1, now_ns);
    acknowledge_bitmap(qp, psn_add(sack->cack_psn, sack->sack_offset), sack->bitmap, now_ns);
    advance(nic, qp, now_ns);

    received_bytes = newly_received(requester, sack->received_units);
    is_newest = newer > 0 || (newer == 0 && sack->received_units == requester->received_units);
    if (newer > 0)
        requester->newest_cack = sack->cack_psn;
    control_congestion(nic, qp, sack, received_bytes, sample_ns, now_ns);
    take_mpr(qp, sack, is_newest);
    requester->tail_rounds = 0;
    requester_arm_tail(nic, qp, now_ns);
    if (sack->answers_probe && sample_ns)
        loss_infer_by_probe(nic, qp, sack, (uint32_t)sample_ns,
            (uint32_t)(sample_ns > qp->cc.base_rtt_ns ? sample_ns - qp->cc.base_rtt_ns : 0),
            now_ns);
    loss_infer_by_count(nic, qp, sack->ooo_count, now_ns);
    if (requester->loss_check_ns == UINT64_MAX || now_ns >= requester->loss_check_ns)
        loss_infer_by_time(nic, qp, now_ns);
    loss_relax(nic, qp, now_ns);
    nic_trace(nic, EVENT_SACK, qp->qpn, now_ns, sack->cack_psn.value, window->inflight_bytes,
        qp->cc.window_bytes);
    return DROP_NONE;
}

/* Reasons other than trimming: the peer is short of something. Give it time, more each time (§11).
 */
static void hold_back(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    const struct parameters *parameters = &nic->config.parameters;
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
        if (send_window_holds(window, nack->nack_psn) &&
            !send_window_is_acked(window, nack->nack_psn))
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
    if ((rule == LOSS_BY_NACK || nic->config.parameters.trim_counts_as_retry) &&
        count_retry(qp, now_ns)) {
        qp_fail(nic, qp, requester->queue.done, COMPLETION_RETRY_EXCEEDED, -1, now_ns);
        return DROP_NONE;
    }
    bytes = requester_nominal_bytes(qp, nack->nack_psn);
    sample_ns = send_window_age_ns(send_window_record(window, nack->nack_psn).ticks, now_ns) + 1;
    loss_declare(nic, qp, nack->nack_psn, rule, now_ns);
    cc_on_nack(
        &qp->cc, &(struct cc_nack){ .now_ns = now_ns,
                     .rtt_ns = rule == LOSS_BY_NACK ? sample_ns : base_sample(nic, qp, sample_ns),
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

static void complete_messages(struct transport *nic, struct qp *qp, uint32_t count)
{
    struct requester *requester = qp->requester;

    for (; count > 0; count--) {
        nic->counters[COUNTER_BYTES_ACKNOWLEDGED] +=
            send_queue_at(&requester->queue, requester->queue.done)->work.length_bytes;
        nic_count(nic, COUNTER_MESSAGES_SENT);
        send_queue_complete(&requester->queue);
        requester->messages_done = serial24_add(requester->messages_done, 1);
    }
    qp_has_event(nic, qp);
}

static enum completion_status status_of(uint8_t syndrome)
{
    switch (syndrome) {
    case ACK_SYNDROME_INVALID_REQUEST:
        return COMPLETION_REMOTE_INVALID_REQUEST;
    case ACK_SYNDROME_REMOTE_ACCESS:
        return COMPLETION_REMOTE_ACCESS;
    default:
        return COMPLETION_REMOTE_OPERATION;
    }
}

/* §6.4: the message with the offending packet fails, or the oldest if it cannot be told. */
static void on_nak(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    const struct send_queue *queue = &qp->requester->queue;
    const struct send_request *offending = send_queue_find(queue, packet->psn);
    uint32_t failed = queue->done;

    if (offending)
        failed += ((uint32_t)(offending - queue->requests) - failed) & (queue->slot_count - 1);
    qp_fail(nic, qp, failed, status_of(packet->ack.syndrome), -1, now_ns);
}

enum drop_reason requester_on_ack(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    int32_t newly = serial24_distance(requester->messages_done, packet->ack.messages_done);
    bool is_nak = ack_is_nak(packet->ack.syndrome);

    if (newly > (int32_t)send_queue_unacknowledged(&requester->queue) ||
        psn_distance(packet->psn, requester->window.next) <= 0)
        return DROP_FEEDBACK_RANGE;
    nic_count(nic, COUNTER_ACK_RECEIVED);
    if (!is_nak && cack_is_plausible(&requester->window, packet->psn)) {
        acknowledge_up_to(qp, packet->psn, now_ns);
        advance(nic, qp, now_ns);
        if (psn_before(requester->newest_cack, packet->psn))
            requester->newest_cack = packet->psn;
    }
    if (newly > 0) {
        /* Executed messages are received messages, whatever the ACK's PSN says. */
        struct psn last = send_queue_last_psn(
            send_queue_at(&requester->queue, requester->queue.done + (uint32_t)newly - 1));

        acknowledge_up_to(qp, last, now_ns);
        advance(nic, qp, now_ns);
        complete_messages(nic, qp, (uint32_t)newly);
        requester->timeouts = 0;
        requester_arm_timeout(nic, qp, now_ns);
        requester_arm_tail(nic, qp, now_ns);
    }
    if (is_nak)
        on_nak(nic, qp, packet, now_ns);
    return DROP_NONE;
}
