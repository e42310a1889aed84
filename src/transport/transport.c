/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of the transport: received packets, timers, work, events. */
#include "transport/transport.h"

#include <assert.h>
#include <errno.h>

#include "transport/nic.h"
#include "transport/prefetch.h"

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

void transport_count_drop(struct transport *nic, enum drop_reason reason)
{
    nic->drops[reason]++;
}

/* ---- packets in ----------------------------------------------------------------------------- */

/* The functions that take a packet count it. */
static inline enum drop_reason dispatch_packet(struct transport *nic, struct qp *qp,
    const struct packet *packet, bool is_write, uint64_t now_ns)
{
    if (is_write)
        return qp_on_write(nic, qp, packet, now_ns);
    if (packet->opcode == OPCODE_PROBE)
        return qp_on_probe(nic, qp, packet, now_ns);
    return qp_on_feedback(nic, qp, packet, now_ns);
}

static inline enum drop_reason receive_for_qp(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    bool is_write = opcode_is_write(packet->opcode);

    if (is_write || packet->opcode == OPCODE_PROBE) {
        if (!qp->responder || !qp_is_connected(qp))
            return nic_count_packet(nic, DROP_QP_STATE);
    } else if (!qp->requester || qp->env.attributes.state != QP_RTS) {
        return nic_count_packet(nic, DROP_QP_STATE);
    }
    if (!ip_address_equal(&packet->src, &qp->env.attributes.peer_address))
        return nic_count_packet(nic, DROP_PEER);
    return dispatch_packet(nic, qp, packet, is_write, now_ns);
}

static inline bool is_endpoint_operation(uint8_t opcode)
{
    return opcode == OPCODE_ENDPOINT_REQUEST || opcode == OPCODE_ENDPOINT_RESPONSE;
}

/* Not inlined: it is rare. The call is in tail position, so that the caller needs no stack
 * frame. */
__attribute__((noinline)) static enum drop_reason receive_otherwise(
    struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    struct qp *qp;

    if (packet->opcode == OPCODE_ENDPOINT_REQUEST)
        return nic_count_packet(nic, nic_on_endpoint_request(nic, packet, now_ns));
    if (packet->opcode == OPCODE_ENDPOINT_RESPONSE)
        return nic_count_packet(nic, nic_on_endpoint_response(nic, packet, now_ns));
    qp = nic_find(nic, packet->dest_qpn);
    if (!qp)
        return nic_count_packet(nic, DROP_UNKNOWN_QP);
    return receive_for_qp(nic, qp, packet, now_ns);
}

/* Returns the first QP at the place of this number in the table, which is nearly always the one. */
static inline struct qp *first_at(const struct transport *nic, uint32_t qpn)
{
    return nic->qpn_table[qpn & (nic->qpn_table_count - 1)];
}

bool transport_prefetch(const struct transport *nic, const struct packet *packet)
{
    const struct qp *qp;

    if (!nic->has_many_qps)
        return false;
    qp = first_at(nic, packet->dest_qpn);
    if (!qp)
        return false;
    if (opcode_is_write(packet->opcode))
        prefetch_responder(qp);
    else
        prefetch_requester(qp);
    if (packet->opcode == OPCODE_ACK)
        prefetch_completion(qp);
    return true;
}

void transport_prefetch_windows(const struct transport *nic, const struct packet *packet)
{
    const struct qp *qp = first_at(nic, packet->dest_qpn);

    if (nic->has_many_qps && qp)
        prefetch_windows(qp, packet);
}

enum drop_reason transport_receive(
    struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    struct qp *qp = first_at(nic, packet->dest_qpn);

    if (!ip_address_equal(&packet->dst, &nic->env.address))
        return nic_count_packet(nic, DROP_ADDRESS);
    if (!qp || qp->env.qpn != packet->dest_qpn ||
        (!opcode_is_write(packet->opcode) && is_endpoint_operation(packet->opcode)))
        return receive_otherwise(nic, packet, now_ns);
    return receive_for_qp(nic, qp, packet, now_ns);
}

/* ---- time ----------------------------------------------------------------------------------- */

uint64_t transport_deadline_ns(const struct transport *nic)
{
    return deadlines_next_ns(&nic->deadlines);
}

static void expire_qp(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    qp->armed_ns = UINT64_MAX;
    qp_expire(nic, qp, now_ns);
}

void transport_expire(struct transport *nic, uint64_t now_ns)
{
    uint32_t owner;

    while ((owner = deadlines_take(&nic->deadlines, now_ns)) != DEADLINES_NONE) {
        if (nic->has_many_qps)
            prefetch_expiry(nic);
        if (owner > nic->qp_count_max)
            peer_expire(nic, &nic->peers[owner - nic->qp_count_max - 1], now_ns);
        else if (owner == nic->qp_count_max)
            nic_ports_expire(nic, now_ns);
        else if (nic->qps[owner])
            expire_qp(nic, nic->qps[owner], now_ns);
    }
}

/* ---- work and events ------------------------------------------------------------------------ */

int transport_post_send(
    struct transport *nic, uint32_t qpn, const struct work_request *work, uint64_t now_ns)
{
    struct qp *qp = nic_find(nic, qpn);

    if (!qp || !qp->requester || qp->env.attributes.state < QP_RTS ||
        work->length_bytes > UINT32_C(1) << MESSAGE_BYTES_MAX_LOG2)
        return -EINVAL;
    if (send_queue_is_full(&qp->requester->queue))
        return -ENOMEM;
    send_queue_push(&qp->requester->queue, work, qp->env.attributes.pmtu_bytes);
    if (qp->env.attributes.state == QP_RTS && qp->requester->timeout_ns == UINT64_MAX) {
        requester_arm_timeout(qp->requester, &qp->env, now_ns);
        qp_arm(nic, qp, qp->requester->timeout_ns);
    }
    if (qp->env.attributes.state == QP_ERR)
        qp_has_event(nic, qp);
    else
        qp_schedule(nic, qp, now_ns);
    if (qp->env.peer && qp->env.peer->update_owed)
        peer_remind_of_ports(nic, qp->env.peer, now_ns);
    return 0;
}

int transport_post_recv(struct transport *nic, uint32_t qpn, uint64_t id)
{
    struct qp *qp = nic_find(nic, qpn);

    if (!qp || !qp->responder || qp->env.attributes.state == QP_RESET)
        return -EINVAL;
    if (recv_queue_is_full(&qp->responder->queue))
        return -ENOMEM;
    recv_queue_push(&qp->responder->queue, id);
    if (qp->env.attributes.state == QP_ERR) {
        qp->has_received = true;
        qp_has_event(nic, qp);
    }
    return 0;
}

const struct work_request *transport_request(
    const struct transport *nic, const struct packet *packet)
{
    const struct qp *qp = nic->qps[packet->sender];

    return &qp->requester->queue.requests[packet->write.payload.request].work;
}

void *transport_sender(const struct transport *nic, const struct packet *packet)
{
    return packet->sender == PACKET_NO_SENDER ? NULL : nic->qps[packet->sender]->env.owner;
}

void *transport_qp_owner(const struct transport *nic, uint32_t qpn)
{
    const struct qp *qp = nic_find(nic, qpn);

    return qp ? qp->env.owner : NULL;
}

void *transport_peer_owner(struct transport *nic, const struct ipv6_addr *address)
{
    const struct qp *qp = nic_find_peer(nic, address);

    return qp ? qp->env.owner : NULL;
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
    const struct qp *qp;

    if (nic->note_head == nic->note_tail)
        return false;
    nic->note_head++;
    qp = nic_find(nic, note->qpn);
    *out = (struct transport_event){ .kind = (enum transport_event_kind)note->kind,
        .qpn = note->qpn,
        .owner = qp ? qp->env.owner : NULL,
        .port = note->port,
        .request_id = note->request_id,
        .rtt_ns = note->rtt_ns,
        .change = { .ev_index = note->ev_index,
            .from = (enum path_ev_state)note->from,
            .to = (enum path_ev_state)note->to,
            .cause = (enum path_signal)note->cause } };
    return true;
}

static bool next_event_of_nic(struct transport *nic, struct transport_event *out)
{
    return next_port_event(nic, out) || next_note(nic, out);
}

/* Returns the next event of the first QP that has events. Removes the QP from the ring when it has
 * no more. */
static bool next_event_of_first(struct transport *nic, struct transport_event *out)
{
    struct nic_ring *ring = &nic->eventful;
    struct qp *qp = nic->qps[ring->slots[ring->head & (ring->slot_count - 1)]];

    if (qp_next_event(qp, out))
        return true;
    qp->is_eventful = false;
    ring->head++;
    return false;
}

bool transport_next_event(struct transport *nic, struct transport_event *out)
{
    while (nic->eventful.head != nic->eventful.tail)
        if (next_event_of_first(nic, out))
            return true;
    return next_event_of_nic(nic, out);
}

bool transport_next_answered_event(struct transport *nic, struct transport_event *out)
{
    struct nic_ring *ring = &nic->eventful;

    if (control_queue_count(&nic->control) == 0)
        return transport_next_event(nic, out);
    for (uint32_t left = ring->tail - ring->head; left > 0; left--) {
        uint32_t index = ring->slots[ring->head & (ring->slot_count - 1)];

        if (control_queue_has(&nic->control, index)) {
            ring->head++;
            nic_ring_push(ring, index);
        } else if (next_event_of_first(nic, out)) {
            return true;
        }
    }
    return next_event_of_nic(nic, out);
}

struct path_set *transport_qp_paths(struct transport *nic, uint32_t qpn)
{
    struct qp *qp = nic_find(nic, qpn);

    return qp ? qp->env.paths : NULL;
}

void transport_check(const struct transport *nic)
{
    for (uint32_t i = 0; i < nic->qp_count_max; i++) {
        const struct qp *qp = nic->qps[i];

        if (!qp)
            continue;
        assert(nic_find(nic, qp->env.qpn) == qp);
        if (qp->env.paths)
            path_check(qp->env.paths);
        if (qp->env.peer)
            cc_check(&qp->env.peer->cc);
        if (qp->requester && qp->env.attributes.state == QP_RTS)
            requester_check(qp->requester, &qp->env);
        if (qp->responder && qp_is_connected(qp))
            responder_check(qp->responder);
    }
}
