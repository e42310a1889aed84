/* SPDX-License-Identifier: Apache-2.0 */
/* Builds answers as packets: SACK, NACK, ACK, Endpoint Response, each on the way back of its plane
 * (docs/protocol.md §17). */
#include "transport/nic.h"
#include "wire/bth.h"
#include "wire/stamp.h"

/* Counts what the QP has received since its last SACK as sent by its peer. */
static void note_received(struct transport *nic, struct qp *qp)
{
    uint32_t received_bytes = (uint32_t)qp->responder->received_bytes;

    receive_share_note_peer(&nic->share, qp->env.peer, received_bytes - qp->responder->noted_bytes);
    qp->responder->noted_bytes = received_bytes;
}

static void fill_sack(struct transport *nic, struct qp *qp, const struct control_record *record,
    struct packet *out, uint64_t now_ns)
{
    struct packet_sack *sack = &out->sack;
    uint16_t held = (uint16_t)(((uint32_t)now_ns - record->arrival_ns) / STAMP_UNIT_NS);
    bool is_probe = record->kind == CONTROL_PROBE_ANSWER;
    int32_t offset;

    *sack = (struct packet_sack){ .mark = record->code,
        .entropy = record->entropy,
        .answers_probe = is_probe,
        .tx_timestamp = record->tx_timestamp,
        .spdcid = (uint16_t)qp->env.qpn,
        .dpdcid = (uint16_t)qp->env.attributes.peer_qpn };
    note_received(nic, qp);
    if (now_ns >= nic->share.end_ns)
        receive_share_end_round(nic, now_ns);
    qp_arm(nic, qp, responder_fill_sack(qp->responder, &qp->env, record, sack));
    out->opcode = OPCODE_SACK;
    out->psn = sack->cack_psn;
    if (record->retransmission)
        out->flags |= PACKET_RETRANSMISSION;
    if (qp->env.attributes.service_time && record->tx_timestamp)
        sack->tx_timestamp = (uint16_t)(record->tx_timestamp + held);
    if (is_probe) {
        sack->probe_id = record->probe_id;
        return;
    }
    offset = psn_distance(sack->cack_psn, record->psn);
    sack->ack_psn_offset = (int16_t)(offset >= -INT16_MAX && offset <= INT16_MAX ? offset : 0);
}

static void fill_nack(const struct qp *qp, const struct control_record *record, struct packet *out)
{
    out->opcode = OPCODE_NACK;
    out->psn = record->psn;
    out->nack = (struct packet_nack){ .reason = record->code,
        .entropy = record->entropy,
        .nack_psn = record->psn,
        .tx_timestamp = record->tx_timestamp,
        .spdcid = (uint16_t)qp->env.qpn,
        .dpdcid = (uint16_t)qp->env.attributes.peer_qpn };
}

/* An ACK reports what has been received and executed when it is sent (§6.3). */
static void fill_ack(const struct qp *qp, const struct control_record *record, struct packet *out)
{
    bool is_nak = record->kind == CONTROL_NAK;

    out->opcode = OPCODE_ACK;
    out->psn = is_nak ? record->psn : qp->responder->window.cack;
    out->ack = (struct packet_ack){ .syndrome = record->code,
        .messages_done = qp->responder->messages_done };
}

static void fill_envelope(
    const struct transport *nic, const struct ipv6_addr *dst, uint32_t qpn, struct packet *out)
{
    out->src = nic->env.address;
    out->dst = *dst;
    out->dest_qpn = qpn;
    out->class = DSCP_CONTROL;
    out->ecn = ECN_NOT_ECT;
    out->flags = 0;
}

/* Planes that are up at both ends. A QP that also sends excludes planes on which all its EVs are
 * bad. */
static uint32_t answer_planes(const struct env *env)
{
    uint32_t planes = env_planes(env);
    uint32_t usable = env->paths && env->attributes.state == QP_RTS
                          ? path_usable_planes(env->paths, planes)
                          : planes;

    return usable ? usable : planes;
}

/* Planes on which an answer can be sent. */
static uint32_t possible_planes(const struct env *env)
{
    return env_planes(env) & env->peer->way_back.reverse.plane_mask;
}

static uint32_t choose_plane(const struct env *env, const struct control_record *record)
{
    if (record->elsewhere)
        return path_reverse_choose(&env->peer->way_back.reverse, answer_planes(env), PATH_NONE);
    if (record->is_second && possible_planes(env) >> record->port & 1)
        return record->port;
    return path_reverse_choose(&env->peer->way_back.reverse, answer_planes(env), record->port);
}

/* True if an answer must be sent on two planes. A peer that probes or retransmits may not have
 * received answers for some time. If the plane of the trigger is in doubt, the answer is therefore
 * sent on another plane and on that of the trigger. */
static bool takes_both_ways(
    const struct transport *nic, const struct control_record *record, uint32_t plane)
{
    return plane != record->port && !record->is_second && !record->elsewhere &&
           (record->kind == CONTROL_PROBE_ANSWER || record->retransmission) &&
           possible_planes(&nic->qps[record->qp_index]->env) >> record->port & 1;
}

/* Both copies show the same: of two planes in doubt, one may be dead. */
static void keep_second(struct control_record *record, const struct packet *first)
{
    record->is_second = true;
    if (first->opcode == OPCODE_SACK)
        record->shown = (uint16_t)psn_add(first->sack.cack_psn, first->sack.sack_offset).value;
}

/* SACKs for data that was sent once are many, and share EVs. */
static uint32_t choose_ev(struct transport *nic, struct way_back *way_back,
    const struct control_record *record, uint32_t plane)
{
    const struct path_profile *profile = way_back->profile;

    if (record->elsewhere)
        return profile->entries[path_reverse_other(&way_back->reverse, profile, plane, &nic->prng)]
            .ev;
    if (record->kind == CONTROL_SACK && !record->retransmission)
        return way_back_sack_ev(way_back, plane);
    return way_back_ev(way_back, plane);
}

static bool answer_for_qp(struct transport *nic, struct qp *qp, const struct control_record *record,
    uint32_t ready_ports, struct packet *out, uint64_t now_ns)
{
    uint32_t plane = choose_plane(&qp->env, record);

    /* Wait for a busy port: another port may be idle because its plane is dead. */
    if (plane == PATH_NONE || !(ready_ports >> plane & 1))
        return false;
    fill_envelope(nic, &qp->env.attributes.peer_address, qp->env.attributes.peer_qpn, out);
    out->sender = qp->env.index;
    out->ev = choose_ev(nic, &qp->env.peer->way_back, record, plane);
    out->port = (uint8_t)plane;
    switch (record->kind) {
    case CONTROL_NACK:
        fill_nack(qp, record, out);
        nic_count(nic, COUNTER_NACK_SENT);
        break;
    case CONTROL_ACK:
    case CONTROL_NAK:
        fill_ack(qp, record, out);
        nic_count(nic, COUNTER_ACK_SENT);
        break;
    default:
        fill_sack(nic, qp, record, out, now_ns);
        nic_count(nic, COUNTER_SACK_SENT);
        break;
    }
    return true;
}

/* Returns the EV of the way back to the peer. Returns any EV of the QP while it receives no
 * answers, because the way back may be the cause, and while the port of the peer is down: no probe
 * tests the way back then, and the peer verifies its port with this answer. */
static uint32_t endpoint_ev(struct transport *nic, struct qp *qp, uint32_t plane, uint64_t now_ns)
{
    uint32_t other = PATH_NONE;

    if (!(qp->env.peer->ports >> plane & 1))
        other = nic_draw_ev(nic, qp, plane);
    else if (qp->requester && qp->env.attributes.state == QP_RTS && qp->requester->tail_rounds > 1)
        other = path_pick_other(qp->env.paths, UINT32_C(1) << plane, plane, PATH_NONE, now_ns);
    return other == PATH_NONE ? way_back_ev(&qp->env.peer->way_back, plane)
                              : env_ev(&qp->env, other);
}

/* Returns the ports on which the answer may leave: that on which the request arrived, waiting for
 * it if it is busy; others only if it is down. If paths end at other ports than they begin, the EV
 * of the request leads back from no port, so a port with EVs to the peer is used instead. */
static uint32_t endpoint_ports(
    const struct transport *nic, const struct control_record *record, const struct qp *qp)
{
    bool port_is_up = nic->up_mask >> record->port & 1;
    uint32_t ports = port_is_up ? UINT32_C(1) << record->port : nic->up_mask;
    uint32_t with_evs =
        nic->ports_cross && qp ? nic->up_mask & qp->env.peer->way_back.reverse.plane_mask : 0;

    if (with_evs == 0)
        return ports;
    return ports & with_evs ? ports & with_evs : with_evs;
}

/* Uses the way back if there is a QP to that peer, otherwise the EV of the request. */
static bool answer_endpoint(struct transport *nic, const struct control_record *record,
    uint32_t ready_ports, struct packet *out, uint64_t now_ns)
{
    const struct ipv6_addr *dst = control_queue_address(&nic->control);
    struct qp *qp = nic_find_peer(nic, dst);
    uint32_t ports = ready_ports & endpoint_ports(nic, record, qp);

    if (ports == 0)
        return false;
    fill_envelope(nic, dst, BTH_ENDPOINT_QPN, out);
    out->sender = PACKET_NO_SENDER;
    out->port = (uint8_t)__builtin_ctz(ports);
    out->ev = qp && qp->env.peer->way_back.reverse.plane_mask >> out->port & 1
                  ? endpoint_ev(nic, qp, out->port, now_ns)
                  : record->entropy;
    out->opcode = OPCODE_ENDPOINT_RESPONSE;
    out->psn = record->psn;
    out->endpoint =
        (struct packet_endpoint){ .op = record->code, .tx_timestamp = record->tx_timestamp };
    return true;
}

/* True if no plane is up at both ends. If the answer waited, it would block the answers behind it,
 * including those that bring ports back (§18). */
static bool has_no_way(const struct transport *nic, const struct control_record *record)
{
    const struct qp *qp;

    if (record->kind == CONTROL_ENDPOINT_ANSWER)
        return false;
    qp = nic->qps[record->qp_index];
    return possible_planes(&qp->env) == 0;
}

static bool answer_record(struct transport *nic, const struct control_record *record,
    uint32_t ready_ports, struct packet *out, uint64_t now_ns)
{
    return record->kind == CONTROL_ENDPOINT_ANSWER
               ? answer_endpoint(nic, record, ready_ports, out, now_ns)
               : answer_for_qp(nic, nic->qps[record->qp_index], record, ready_ports, out, now_ns);
}

/* Sends the oldest answer whose port is ready. An answer that waits for its port does not block the
 * others: a NIC that sends on all ports rarely has more than one ready, and not the one that the
 * oldest answer needs. */
bool nic_send_answer(
    struct transport *nic, uint32_t ready_ports, struct packet *out, uint64_t now_ns)
{
    struct control_queue *queue = &nic->control;
    bool endpoint_waits = false;
    uint32_t place = 0;

    while (place < control_queue_count(queue)) {
        struct control_record *record = control_queue_at(queue, place);
        bool is_endpoint = record->kind == CONTROL_ENDPOINT_ANSWER;

        if (!(is_endpoint && endpoint_waits) &&
            answer_record(nic, record, ready_ports, out, now_ns)) {
            if (!is_endpoint && takes_both_ways(nic, record, out->port))
                keep_second(record, out);
            else
                control_queue_take(queue, place);
            return true;
        }
        if (has_no_way(nic, record)) {
            control_queue_take(queue, place);
            nic_count(nic, COUNTER_CONTROL_NO_PATH);
        } else {
            endpoint_waits |= is_endpoint;
            place++;
        }
    }
    return false;
}
