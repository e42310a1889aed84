/* SPDX-License-Identifier: Apache-2.0 */
/* What the sending half learns from a SACK (docs/protocol.md §9). */
#include "base/serial.h"
#include "transport/feedback.h"
#include "transport/loss.h"
#include "transport/nic.h"
#include "wire/stamp.h"

enum {
    UNITS_BYTES = 256,
    UNITS_HALF = 1 << 23,
    STAMP_TRUST_NS = 4 * 1000 * 1000,    /* half of what 16 bits of 128 ns span */
    RECORD_TRUST_NS = 500 * 1000 * 1000, /* half of what 24 bits of 64 ns span */
    SMOOTHING_SHIFT = 3,
};

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
    loss_note_round_trip(requester, (uint32_t)sample_ns);
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
    if (!(record.flags & SEND_TWICE) && nic->parameters->spurious_proof)
        return; /* loss_on_disproved() will see to it */
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
    if (ev_index == qp->requester->watched_ev) {
        qp->requester->watched_ev = REQUESTER_NO_EV;
        qp->requester->watch_ns = UINT64_MAX;
    }
    path_on_probe_answered(
        qp->paths, ev_index, sack->mark == SACK_MARK_SKIP_ONCE, is_refused, now_ns);
    if (nic->parameters->tail_spread && !is_refused && requester_is_cut_off(nic, qp))
        path_bring_back(qp->paths, ev_index, now_ns);
    requester_ev_probes_changed(nic, qp);
}

/* Yields the round trip of a probe, 0: not known. */
static uint64_t on_probe_answer(
    struct transport *nic, struct qp *qp, const struct packet_sack *sack, uint64_t now_ns)
{
    uint64_t age_ns =
        (uint16_t)(now_ns / STAMP_UNIT_NS - sack->tx_timestamp) * (uint64_t)STAMP_UNIT_NS;
    uint32_t probe_ticks =
        (uint32_t)(now_ns / SEND_WINDOW_TICK_NS) - qp->requester->last_probe_ticks;
    bool is_certain = probe_ticks < STAMP_TRUST_NS / SEND_WINDOW_TICK_NS && age_ns < STAMP_TRUST_NS;

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

static bool is_full_packet(const struct qp *qp, const struct packet_sack *sack)
{
    struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);

    return !sack->answers_probe &&
           !(send_window_record(&qp->requester->window, trigger).flags & SEND_ODD_SIZE);
}

/* The answer to the probe of §19.3, or to another that came before it. */
static bool measures_base(
    struct requester *requester, const struct packet_sack *sack, uint64_t sample_ns)
{
    bool does = requester->base_awaited && sack->answers_probe && sample_ns != 0;

    requester->base_awaited &= !does;
    return does;
}

static void control_congestion(struct transport *nic, struct qp *qp, const struct packet_sack *sack,
    uint32_t received_bytes, uint64_t sample_ns, uint64_t now_ns)
{
    uint32_t base_rtt_ns = qp->cc.base_rtt_ns;
    uint64_t measured_ns = sample_ns;

    smooth(qp->requester, sample_ns);
    if (!is_full_packet(qp, sack) && !measures_base(qp->requester, sack, sample_ns))
        sample_ns = feedback_base_sample(nic, qp, sample_ns);
    cc_on_ack(&qp->cc, &(struct cc_ack){ .now_ns = now_ns,
                           .rtt_ns = sample_ns,
                           .received_bytes = received_bytes,
                           .inflight_bytes = qp->requester->window.inflight_bytes,
                           .penalty = sack->window_penalty,
                           .restore = sack->restore_window,
                           .marked = sack->mark == SACK_MARK_SKIP_ONCE });
    if (qp->cc.base_rtt_ns != base_rtt_ns && !qp->nic->parameters->skip_lapse)
        path_base_rtt_changed(qp->paths, qp->cc.base_rtt_ns);
    if (measured_ns)
        nic_trace(
            nic, EVENT_RTT, qp->qpn, now_ns, measured_ns, qp->cc.base_rtt_ns, qp->cc.window_bytes);
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

    if (!feedback_cack_is_plausible(qp, sack->cack_psn))
        return DROP_FEEDBACK_RANGE;
    nic_count(nic, COUNTER_SACK_RECEIVED);
    sample_ns = sack->answers_probe ? on_probe_answer(nic, qp, sack, now_ns)
                                    : on_trigger(nic, qp, packet, now_ns);
    feedback_acknowledge_up_to(qp, sack->cack_psn, now_ns);
    if (!sack->answers_probe && sack->ack_psn_offset > 0)
        feedback_acknowledge_bitmap(qp, trigger, 1, now_ns);
    feedback_acknowledge_bitmap(
        qp, psn_add(sack->cack_psn, sack->sack_offset), sack->bitmap, now_ns);
    feedback_advance(nic, qp, now_ns);

    received_bytes = newly_received(requester, sack->received_units);
    is_newest = newer > 0 || (newer == 0 && sack->received_units == requester->received_units);
    if (newer > 0)
        requester->newest_cack = sack->cack_psn;
    control_congestion(nic, qp, sack, received_bytes, sample_ns, now_ns);
    take_mpr(qp, sack, is_newest);
    requester->tail_rounds = 0;
    if (requester->measure_base) {
        requester->measure_base = false;
        requester->probe_once = requester->probe_base = true;
    }
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
