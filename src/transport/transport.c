/* SPDX-License-Identifier: Apache-2.0 */
/* The transport of one NIC, as the world sees it: packets in, time passing, work, events. */
#include "transport/transport.h"

#include <assert.h>
#include <errno.h>

#include "transport/nic.h"

enum {
    MESSAGE_BYTES_MAX_LOG2 = 31,
};

const uint64_t *transport_counters(const struct transport *nic)
{
    return nic->counters;
}

const uint64_t *transport_drops(const struct transport *nic)
{
    return nic->drops;
}

/* ---- packets in ----------------------------------------------------------------------------- */

static bool is_for_responder(uint8_t opcode)
{
    return opcode_is_write(opcode) || opcode == OPCODE_PROBE;
}

static enum drop_reason on_feedback(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    enum drop_reason reason;

    switch (packet->opcode) {
    case OPCODE_SACK:
        reason = requester_on_sack(nic, qp, packet, now_ns);
        break;
    case OPCODE_NACK:
        reason = requester_on_nack(nic, qp, packet, now_ns);
        break;
    case OPCODE_ACK:
        reason = requester_on_ack(nic, qp, packet, now_ns);
        break;
    default:
        return DROP_OPCODE;
    }
    qp_schedule(nic, qp, now_ns);
    return reason;
}

static enum drop_reason dispatch(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    if (opcode_is_write(packet->opcode))
        return responder_on_write(nic, qp, packet, now_ns);
    if (packet->opcode == OPCODE_PROBE)
        return responder_on_probe(nic, qp, packet, now_ns);
    return on_feedback(nic, qp, packet, now_ns);
}

static enum drop_reason receive(struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    struct qp *qp;

    if (!ip_address_equal(&packet->dst, &nic->address))
        return DROP_ADDRESS;
    if (packet->opcode == OPCODE_ENDPOINT_REQUEST)
        return nic_on_endpoint_request(nic, packet, now_ns);
    if (packet->opcode == OPCODE_ENDPOINT_RESPONSE)
        return nic_on_endpoint_response(nic, packet, now_ns);
    qp = nic_find(nic, packet->dest_qpn);
    if (!qp)
        return DROP_UNKNOWN_QP;
    if (is_for_responder(packet->opcode)
            ? !qp->responder || (qp->attributes.state != QP_RTR && qp->attributes.state != QP_RTS)
            : !qp->requester || qp->attributes.state != QP_RTS)
        return DROP_QP_STATE;
    if (!ip_address_equal(&packet->src, &qp->attributes.peer_address))
        return DROP_PEER;
    return dispatch(nic, qp, packet, now_ns);
}

enum drop_reason transport_receive(
    struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    enum drop_reason reason = receive(nic, packet, now_ns);

    nic->drops[reason]++;
    return reason;
}

/* ---- time ----------------------------------------------------------------------------------- */

uint64_t transport_deadline_ns(const struct transport *nic)
{
    return deadlines_next_ns(&nic->deadlines);
}

void transport_expire(struct transport *nic, uint64_t now_ns)
{
    uint32_t owner;

    while ((owner = deadlines_take(&nic->deadlines, now_ns)) != DEADLINES_NONE) {
        struct qp *qp = owner < nic->qp_count_max ? nic->qps[owner] : NULL;

        if (!qp) {
            nic_ports_expire(nic, now_ns);
            continue;
        }
        if (qp->responder && (qp->attributes.state == QP_RTR || qp->attributes.state == QP_RTS))
            responder_expire(nic, qp, now_ns);
        if (qp->requester && qp->attributes.state == QP_RTS)
            requester_expire(nic, qp, now_ns);
        qp_update(nic, qp, now_ns);
    }
}

/* ---- work and events ------------------------------------------------------------------------ */

int transport_post_send(
    struct transport *nic, uint32_t qpn, const struct work_request *work, uint64_t now_ns)
{
    struct qp *qp = nic_find(nic, qpn);

    if (!qp || !qp->requester || qp->attributes.state < QP_RTS ||
        work->length_bytes > UINT32_C(1) << MESSAGE_BYTES_MAX_LOG2)
        return -EINVAL;
    if (send_queue_is_full(&qp->requester->queue))
        return -ENOMEM;
    send_queue_push(&qp->requester->queue, work, qp->attributes.pmtu_bytes);
    if (qp->attributes.state == QP_RTS && qp->requester->timeout_ns == UINT64_MAX)
        requester_arm_timeout(nic, qp, now_ns);
    if (qp->attributes.state == QP_ERR)
        qp_has_event(nic, qp);
    else
        qp_schedule(nic, qp, now_ns);
    if (qp->port_update_owed)
        qp_remind_of_ports(nic, qp, now_ns);
    return 0;
}

int transport_post_recv(struct transport *nic, uint32_t qpn, uint64_t id)
{
    struct qp *qp = nic_find(nic, qpn);

    if (!qp || !qp->responder || qp->attributes.state == QP_RESET)
        return -EINVAL;
    if (recv_queue_is_full(&qp->responder->queue))
        return -ENOMEM;
    recv_queue_push(&qp->responder->queue, id);
    if (qp->attributes.state == QP_ERR)
        qp_has_event(nic, qp);
    return 0;
}

const struct work_request *transport_request(
    const struct transport *nic, const struct packet *packet)
{
    const struct qp *qp = nic_find(nic, packet->local_qpn);

    return &qp->requester->queue.requests[packet->write.payload.request].work;
}

static bool next_port_event(struct transport *nic, struct transport_event *out)
{
    uint32_t *events = nic->port_events_down ? &nic->port_events_down : &nic->port_events_up;
    bool up = events == &nic->port_events_up;

    if (*events == 0)
        return false;
    *out = (struct transport_event){ .kind = up ? TRANSPORT_PORT_UP : TRANSPORT_PORT_DOWN,
        .port = (uint32_t)__builtin_ctz(*events) };
    *events &= *events - 1;
    return true;
}

static bool next_note(struct transport *nic, struct transport_event *out)
{
    const struct nic_note *note = &nic->notes[nic->note_head & (nic->note_slots - 1)];

    if (nic->note_head == nic->note_tail)
        return false;
    nic->note_head++;
    *out = (struct transport_event){ .kind = (enum transport_event_kind)note->kind,
        .qpn = note->qpn,
        .port = note->port,
        .request_id = note->request_id,
        .rtt_ns = note->rtt_ns,
        .change = { .ev_index = note->ev_index,
            .from = (enum path_ev_state)note->from,
            .to = (enum path_ev_state)note->to,
            .cause = (enum path_signal)note->cause } };
    return true;
}

bool transport_next_event(struct transport *nic, struct transport_event *out)
{
    struct nic_ring *ring = &nic->eventful;

    while (ring->head != ring->tail) {
        struct qp *qp = nic->qps[ring->slots[ring->head & (ring->slot_count - 1)]];

        if (qp_next_event(qp, out))
            return true;
        qp->is_eventful = false;
        ring->head++;
    }
    if (next_port_event(nic, out))
        return true;
    return next_note(nic, out);
}

struct path_set *transport_qp_paths(struct transport *nic, uint32_t qpn)
{
    struct qp *qp = nic_find(nic, qpn);

    return qp ? qp->paths : NULL;
}

void transport_check(const struct transport *nic)
{
    for (uint32_t i = 0; i < nic->qp_count_max; i++) {
        const struct qp *qp = nic->qps[i];

        if (!qp)
            continue;
        assert(nic_find(nic, qp->qpn) == qp);
        if (qp->paths)
            path_check(qp->paths);
        if (qp->requester && qp->attributes.state == QP_RTS)
            requester_check(qp);
        if (qp->responder && (qp->attributes.state == QP_RTR || qp->attributes.state == QP_RTS))
            responder_check(qp);
    }
}
