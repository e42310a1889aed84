/* SPDX-License-Identifier: Apache-2.0 */
/* What the sending half sends, in this order: probes, packets lost, packets new (docs/protocol.md
 * §3, §12, §16). */
#include <assert.h>

#include "transport/loss.h"
#include "transport/nic.h"
#include "transport/requester_packet.h"
#include "wire/stamp.h"

static uint8_t data_class(const struct transport *nic, const struct qp *qp, bool again)
{
    const struct parameters *parameters = nic->parameters;

    if (!parameters->network_trims || !qp->attributes.peer_trim_nack)
        return DSCP_NO_TRIM;
    return again && parameters->retransmit_class ? DSCP_TRIMMABLE_RETX : DSCP_TRIMMABLE;
}

static uint8_t write_opcode(const struct send_request *request, uint32_t packet_index)
{
    bool first = packet_index == 0;
    bool last = packet_index + 1 == request->packet_count;
    bool immediate = last && request->work.flags & WORK_WITH_IMMEDIATE;

    if (last)
        return first       ? immediate ? OPCODE_WRITE_ONLY_IMM : OPCODE_WRITE_ONLY
               : immediate ? OPCODE_WRITE_LAST_IMM
                           : OPCODE_WRITE_LAST;
    return first ? OPCODE_WRITE_FIRST : OPCODE_WRITE_MIDDLE;
}

/* All of a data packet but its way and its flags. */
static void fill_write(const struct qp *qp, const struct send_request *request,
    uint32_t packet_index, struct packet *out)
{
    uint32_t pmtu_bytes = qp->attributes.pmtu_bytes;
    uint32_t offset_bytes = packet_index * pmtu_bytes;
    uint32_t rest_bytes = request->work.length_bytes - offset_bytes;
    uint32_t length = rest_bytes < pmtu_bytes ? rest_bytes : pmtu_bytes;

    out->opcode = write_opcode(request, packet_index);
    out->flags = qp->requester->stamped ? PACKET_STAMPED : 0;
    out->psn = psn_add(request->first_psn, (int32_t)packet_index);
    out->write = (struct packet_write){ .va = request->work.remote_va + offset_bytes,
        .payload = { .request = (uint32_t)(request - qp->requester->queue.requests),
            .offset_bytes = offset_bytes,
            .length = length },
        .rkey = request->work.rkey,
        .message_bytes = request->work.length_bytes,
        .immediate = request->work.immediate,
        .rqmsn = request->rqmsn,
        .msn = request->msn,
        .pad_bytes = (uint8_t)(-length & 3) };
    if (out->opcode >= OPCODE_WRITE_LAST && request->work.flags & WORK_SOLICITED &&
        request->work.flags & WORK_WITH_IMMEDIATE)
        out->flags |= PACKET_SOLICITED;
}

uint32_t requester_nominal_bytes(const struct qp *qp, struct psn psn)
{
    const struct send_queue *queue = &qp->requester->queue;
    const struct send_request *request = send_queue_find(queue, psn);
    uint32_t packet_index;
    uint32_t length;

    assert(request);
    packet_index = (uint32_t)psn_distance(request->first_psn, psn);
    if (packet_index + 1 < request->packet_count)
        return qp->requester->full_bytes;
    length = request->work.length_bytes - packet_index * qp->attributes.pmtu_bytes;
    return qp->requester->full_bytes - qp->attributes.pmtu_bytes + ((length + 3) & ~3u) +
           (request->work.flags & WORK_WITH_IMMEDIATE ? 4 : 0);
}

/* The window is about to close: there must be a SACK before it does. Once closed, it opens by a few
 * packets at a time, each of which closes it again; were all of them to ask, nearly every packet
 * would be answered. One in a quarter of the window will do, unless it is in doubt what is lost:
 * what shows best that a packet is not is the answer to that packet. */
static bool wants_ack_before_closing(
    const struct transport *nic, const struct qp *qp, struct psn psn, uint32_t bytes)
{
    const struct requester *requester = qp->requester;
    uint32_t window_bytes = qp->cc.window_bytes;
    bool is_small = window_bytes < qp->sack_threshold_bytes; /* the peer's, taken to be ours */
    uint32_t unasked;

    if (!is_small &&
        window_bytes >= requester->window.inflight_bytes + bytes + requester->full_bytes)
        return false;
    unasked = (uint16_t)(psn.value - requester->asked_psn);
    return is_small || !nic->parameters->ack_request || loss_is_in_doubt(nic, qp) ||
           (uint64_t)unasked * requester->full_bytes >= window_bytes / 4;
}

/* §3 rule 6, for a packet about to leave for the first time. */
static bool wants_ack(
    const struct transport *nic, const struct qp *qp, const struct packet *out, uint32_t bytes)
{
    const struct send_queue *queue = &qp->requester->queue;

    if (out->opcode >= OPCODE_WRITE_LAST) {
        uint32_t flags = queue->requests[out->write.payload.request].work.flags;

        if (qp->signal_all || flags & (WORK_SIGNALED | WORK_WITH_IMMEDIATE) ||
            queue->cutting == queue->posted)
            return true;
    }
    return wants_ack_before_closing(nic, qp, out->psn, bytes);
}

static void stamp_write(struct packet *out, uint64_t now_ns)
{
    if (out->flags & PACKET_STAMPED)
        out->write.tx_timestamp = (uint16_t)(now_ns / STAMP_UNIT_NS);
}

static inline void after_send(struct transport *nic, struct qp *qp, struct psn psn, uint64_t now_ns)
{
    struct requester *requester = qp->requester;

    nic_count(nic, COUNTER_DATA_SENT);
    qp->sent_data = true;
    if (requester->timeout_ns == UINT64_MAX || psn_equal(psn, requester->window.oldest))
        requester_arm_timeout(nic, qp, now_ns);
    if (requester->tail_ns == UINT64_MAX)
        requester_arm_tail(nic, qp, now_ns);
}

static void send_new(
    struct transport *nic, struct qp *qp, uint32_t ev_index, struct packet *out, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    struct psn psn = requester->window.next;
    uint32_t packet_index;
    const struct send_request *request = send_queue_cut(&requester->queue, psn, &packet_index);
    uint32_t bytes;

    requester_packet_address(nic, qp, ev_index, out);
    fill_write(qp, request, packet_index, out);
    out->class = data_class(nic, qp, false);
    stamp_write(out, now_ns);
    bytes = out->opcode == OPCODE_WRITE_MIDDLE ? requester->full_bytes : packet_nominal_bytes(out);
    if (wants_ack(nic, qp, out, bytes)) {
        out->flags |= PACKET_ACK_REQUEST;
        requester->asked_psn = (uint16_t)psn.value;
    }
    send_window_sent(&requester->window, psn,
        (struct send_record){ .ticks = send_window_ticks(now_ns),
            .ev_index = ev_index,
            .flags = bytes == requester->full_bytes ? 0 : SEND_ODD_SIZE },
        bytes);
    after_send(nic, qp, psn, now_ns);
}

/* A copy of a packet sent before: asks for an acknowledgement, and says that it is one. */
static void fill_again(struct transport *nic, struct qp *qp, struct psn psn, uint32_t ev_index,
    struct packet *out, uint64_t now_ns)
{
    const struct send_request *request = send_queue_find(&qp->requester->queue, psn);

    assert(request);
    requester_packet_address(nic, qp, ev_index, out);
    fill_write(qp, request, (uint32_t)psn_distance(request->first_psn, psn), out);
    out->class = data_class(nic, qp, true);
    out->flags |= PACKET_ACK_REQUEST | PACKET_RETRANSMISSION;
    stamp_write(out, now_ns);
    nic_count(nic, COUNTER_DATA_RETRANSMITTED);
    nic_trace(
        nic, EVENT_RETRANSMIT, qp->qpn, now_ns, psn.value, out->ev, out->write.payload.length);
}

static void send_again(struct transport *nic, struct qp *qp, struct psn psn, uint32_t ev_index,
    struct packet *out, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    struct send_record record = send_window_record(&requester->window, psn);

    fill_again(nic, qp, psn, ev_index, out, now_ns);
    record.flags = (uint8_t)((record.flags & ~(SEND_TWICE | SEND_HELD)) |
                             (record.flags & (SEND_TWICE | SEND_OFTEN) ? SEND_OFTEN : SEND_TWICE));
    record.ticks = send_window_ticks(now_ns);
    record.ev_index = ev_index;
    send_window_sent(&requester->window, psn, record, packet_nominal_bytes(out));
    after_send(nic, qp, psn, now_ns);
}

/* §14.4: no path is usable, so one packet an interval goes by a bad one. */
static uint32_t pick_desperate(
    struct transport *nic, struct qp *qp, uint32_t mask, uint32_t planes, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    uint32_t ev_index;

    if (path_usable_planes(qp->paths, planes) != 0 || now_ns < requester->desperate_ns)
        return PATH_NONE;
    ev_index = path_pick_desperate(qp->paths, mask);
    if (ev_index != PATH_NONE) {
        requester->desperate_ns = now_ns + requester_interval_ns(qp);
        qp_arm(nic, qp, requester->desperate_ns);
    }
    return ev_index;
}

static bool send_data(
    struct transport *nic, struct qp *qp, uint32_t ready_ports, struct packet *out, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    uint32_t planes = qp_planes(nic, qp);
    uint32_t mask = planes & ready_ports;
    uint32_t ev_index;
    struct psn psn;

    if (requester->window.lost_count > 0 && requester_may_repair(qp, &psn, now_ns)) {
        uint32_t lost_ev_index = send_window_record(&requester->window, psn).ev_index;

        ev_index = path_pick_other(qp->paths, mask,
            requester_packet_repair_plane(qp, lost_ev_index), lost_ev_index, now_ns);
        if (ev_index == PATH_NONE)
            ev_index = pick_desperate(nic, qp, mask, planes, now_ns);
        if (ev_index == PATH_NONE)
            return false;
        send_again(nic, qp, psn, ev_index, out, now_ns);
        return true;
    }
    if (!requester_may_send_new(requester, &qp->cc, qp->attributes.max_wimm))
        return false;
    ev_index = path_pick(qp->paths, mask, now_ns);
    if (ev_index == PATH_NONE)
        ev_index = pick_desperate(nic, qp, mask, planes, now_ns);
    if (ev_index == PATH_NONE)
        return false;
    send_new(nic, qp, ev_index, out, now_ns);
    return true;
}

/* §6.3: the message is received, but its Transport ACK was lost. */
static bool send_last_again(
    struct transport *nic, struct qp *qp, uint32_t ready_ports, struct packet *out, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    uint32_t plane = requester->tail_rounds % 2 ? requester->last_plane : PATH_NONE;
    uint32_t ev_index;

    if (send_queue_unacknowledged(&requester->queue) == 0) {
        requester->resend_last = false;
        return false;
    }
    ev_index = path_pick_other(qp->paths, qp_planes(nic, qp) & ready_ports,
        plane == REQUESTER_NO_PLANE ? PATH_NONE : plane, PATH_NONE, now_ns);
    if (ev_index == PATH_NONE)
        ev_index =
            pick_desperate(nic, qp, qp_planes(nic, qp) & ready_ports, qp_planes(nic, qp), now_ns);
    if (ev_index == PATH_NONE)
        return false;
    requester->resend_last = false;
    fill_again(nic, qp,
        send_queue_last_psn(send_queue_at(&requester->queue, requester->queue.done)), ev_index, out,
        now_ns);
    nic_count(nic, COUNTER_DATA_SENT);
    nic_count(nic, COUNTER_RETRANSMIT_FOR_ACK);
    return true;
}

bool requester_send(
    struct transport *nic, struct qp *qp, uint32_t ready_ports, struct packet *out, uint64_t now_ns)
{
    struct requester *requester = qp->requester;

    if ((requester->probe_planes || requester->probe_once) &&
        requester_send_tail_probe(nic, qp, ready_ports, out, now_ns))
        return true;
    if (requester->resend_last && send_last_again(nic, qp, ready_ports, out, now_ns))
        return true;
    if ((requester->ev_to_probe != REQUESTER_NO_EV || now_ns >= requester->ev_probe_ns) &&
        requester_send_ev_probe(nic, qp, ready_ports, out, now_ns))
        return true;
    return send_data(nic, qp, ready_ports, out, now_ns);
}
