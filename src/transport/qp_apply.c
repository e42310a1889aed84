/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the decisions of requester and responder about packets and timers. */
#include "transport/nic.h"
#include "transport/responder_write.h"

/* ---- responder ------------------------------------------------------------------------------- */

static void answer_write(struct transport *nic, const struct qp *qp, const struct packet *packet,
    const struct responder_decision *decision, enum control_kind kind, uint64_t now_ns)
{
    struct control_record *answer = control_queue_add(&nic->control);

    if (!answer) {
        nic_count(nic, COUNTER_CONTROL_OVERFLOW);
        return;
    }
    *answer = (struct control_record){ .qp_index = qp->env.index,
        .psn = decision->psn,
        .entropy = packet->ev,
        .arrival_ns = (uint32_t)now_ns,
        .tx_timestamp = packet->write.tx_timestamp,
        .kind = (uint8_t)kind,
        .code = kind == CONTROL_ACK ? (uint8_t)ACK_SYNDROME_ACK : decision->code,
        .port = packet->port,
        .retransmission = packet->flags & PACKET_RETRANSMISSION };
}

/* Reverse probes do not always find another way back, because their answers take the peer's way to
 * us, which may be dead, too. Probes of bad EVs, in the control class, are not tail probes. */
static void answer_probe(struct transport *nic, const struct qp *qp, const struct packet *packet,
    uint8_t mark, uint64_t now_ns)
{
    enum { COPIES = 2 };
    struct control_record answer = { .kind = CONTROL_PROBE_ANSWER,
        .code = mark,
        .entropy = packet->ev,
        .arrival_ns = (uint32_t)now_ns,
        .tx_timestamp = packet->probe.tx_timestamp,
        .probe_id = packet->probe.probe_id,
        .port = packet->port };

    nic_answer(nic, qp, answer);
    if (packet->class == DSCP_CONTROL ||
        !way_back_is_in_doubt(qp->env.peer, qp->responder->last_arrival_ns, now_ns))
        return;
    answer.elsewhere = true;
    for (uint32_t i = 0; i < COPIES; i++)
        nic_answer(nic, qp, answer);
}

/* Not inlined: most packets have no effects. */
__attribute__((noinline)) static void apply_effects(struct transport *nic, struct qp *qp,
    const struct packet *packet, const struct responder_decision *decision, uint64_t now_ns)
{
    /* A NAK for a missing receive request may follow messages that were delivered. */
    if (decision->effects & (RESPONDER_HAS_EVENT | RESPONDER_OWES_NAK))
        qp->has_received = true;
    if (decision->effects & RESPONDER_HAS_EVENT)
        qp_has_event(nic, qp);
    if (decision->effects & RESPONDER_OWES_SACK)
        answer_write(nic, qp, packet, decision, CONTROL_SACK, now_ns);
    else if (decision->effects & RESPONDER_OWES_NACK)
        answer_write(nic, qp, packet, decision, CONTROL_NACK, now_ns);
    else if (decision->effects & RESPONDER_OWES_NAK)
        answer_write(nic, qp, packet, decision, CONTROL_NAK, now_ns);
    if (decision->effects & RESPONDER_OWES_ACK)
        answer_write(nic, qp, packet, decision, CONTROL_ACK, now_ns);
    if (decision->effects & RESPONDER_FAILS)
        qp_fail(nic, qp, qp_oldest_request(qp), COMPLETION_FLUSHED, (int)decision->async, now_ns);
}

/* Notes that the way back to the peer is needed. */
static void note_peer(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct way_back *way_back = &qp->env.peer->way_back;

    way_back->heard = true;
    if (way_back->probe_ns != UINT64_MAX)
        return;
    qp_widen_range(nic, qp, now_ns); /* the first packet after a pause */
    way_back_wake(nic, qp->env.peer, now_ns);
}

static inline enum drop_reason apply_decision(struct transport *nic, struct qp *qp,
    const struct packet *packet, const struct responder_decision *decision, uint64_t now_ns)
{
    if (decision->due_ns != UINT64_MAX)
        qp_arm(nic, qp, decision->due_ns);
    if (decision->effects)
        apply_effects(nic, qp, packet, decision, now_ns);
    return nic_count_packet(nic, (enum drop_reason)decision->reason);
}

static enum recv_window_place place_of(
    struct transport *nic, struct qp *qp, struct psn psn, uint64_t now_ns)
{
    enum recv_window_place place = responder_place(qp->responder, psn);

    if (place != RECV_WINDOW_BEYOND)
        return place;
    qp_widen_range(nic, qp, now_ns);
    return responder_place(qp->responder, psn);
}

/* Not inlined: it is rare. */
__attribute__((noinline)) static enum drop_reason on_trimmed(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    enum recv_window_place place = place_of(nic, qp, packet->psn, now_ns);
    struct responder_decision decision =
        responder_answer_trimmed(qp->responder, &qp->env, packet, place);

    receive_share_note_port(&nic->share, packet->port, 0);
    if (packet->class == DSCP_TRIMMED_LASTHOP &&
        !receive_share_is_apart(&nic->share, packet->port)) {
        receive_share_note_peer(&nic->share, qp->env.peer, packet->write.payload.length);
        nic->share.trimmed_bytes += packet->write.payload.length;
    }
    return apply_decision(nic, qp, packet, &decision, now_ns);
}

/* Not inlined, so that the common case stays fast. */
__attribute__((noinline)) static void note_apart(
    const struct transport *nic, const struct qp *qp, const struct packet *packet)
{
    if (receive_share_is_apart(&nic->share, packet->port))
        receive_share_note_apart(qp->env.peer, packet->write.payload.length);
}

/* As above. */
__attribute__((noinline)) static struct responder_decision write_other(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    enum recv_window_place place = place_of(nic, qp, packet->psn, now_ns);

    return responder_write_other(qp->responder, &qp->env, packet, place, now_ns);
}

enum drop_reason qp_on_write(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    struct responder_decision decision;

    if (dscp_is_trimmed((enum dscp_class)packet->class))
        return on_trimmed(nic, qp, packet, now_ns);
    note_peer(nic, qp, now_ns);
    receive_share_note_port(&nic->share, packet->port, packet->write.payload.length);
    if (__builtin_expect(nic->share.apart_mask != 0, false))
        note_apart(nic, qp, packet);
    if (responder_write_is_usual(&qp->env, packet, responder_place(qp->responder, packet->psn)))
        decision = responder_write_usual(qp->responder, &qp->env, packet, now_ns);
    else
        decision = write_other(nic, qp, packet, now_ns);
    return apply_decision(nic, qp, packet, &decision, now_ns);
}

enum drop_reason qp_on_probe(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    struct responder_decision decision =
        responder_on_probe(qp->responder, &qp->env, packet, now_ns);

    if (decision.effects & RESPONDER_OWES_PROBE_ANSWER) {
        note_peer(nic, qp, now_ns);
        answer_probe(nic, qp, packet, decision.code, now_ns);
    }
    return nic_count_packet(nic, (enum drop_reason)decision.reason);
}

static void expire_responder(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct control_record sack;
    uint32_t count = responder_expire(qp->responder, &sack, now_ns);

    for (uint32_t i = 1; i <= count; i++) {
        sack.stretch = (uint16_t)i;
        nic_answer(nic, qp, sack);
    }
}

/* ---- requester ------------------------------------------------------------------------------- */

static void apply_requester_decision(struct transport *nic, struct qp *qp,
    const struct requester_decision *decision, uint64_t now_ns)
{
    if (decision->due_ns != UINT64_MAX)
        qp_arm(nic, qp, decision->due_ns);
    if (decision->has_event)
        qp_has_event(nic, qp);
    if (decision->tells_ports)
        peer_tell_ports(nic, qp->env.peer, 1, now_ns);
    if (decision->failure != COMPLETION_SUCCESS)
        qp_fail(nic, qp, decision->failed, decision->failure, -1, now_ns);
}

enum drop_reason qp_on_feedback(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    struct requester_decision decision;

    switch (packet->opcode) {
    case OPCODE_SACK:
        decision = requester_on_sack(requester, &qp->env, packet, now_ns);
        break;
    case OPCODE_NACK:
        decision = requester_on_nack(requester, &qp->env, packet, now_ns);
        break;
    case OPCODE_ACK:
        decision = requester_on_ack(requester, &qp->env, packet, now_ns);
        break;
    default:
        return nic_count_packet(nic, DROP_OPCODE);
    }
    apply_requester_decision(nic, qp, &decision, now_ns);
    qp_schedule(nic, qp, now_ns);
    return nic_count_packet(nic, decision.reason);
}

uint32_t qp_send(struct transport *nic, struct qp *qp, uint32_t ready_ports, struct packet *out,
    uint32_t out_max, uint64_t now_ns)
{
    struct requester_burst burst =
        requester_send(qp->requester, &qp->env, ready_ports, out, out_max, now_ns);

    if (qp->env.peer->pace_ns > now_ns)
        peer_arm(nic, qp->env.peer, qp->env.peer->pace_ns);
    qp_arm(nic, qp, deadlines_sooner_ns(burst.due_ns, requester_timer_ns(qp->requester)));
    return burst.count;
}

/* ---- both ------------------------------------------------------------------------------------ */

void qp_expire(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    if (qp->responder && qp_is_connected(qp))
        expire_responder(nic, qp, now_ns);
    if (qp->requester && qp->env.attributes.state == QP_RTS) {
        struct requester_decision decision = requester_expire(qp->requester, &qp->env, now_ns);

        apply_requester_decision(nic, qp, &decision, now_ns);
    }
    qp_update(nic, qp, now_ns);
}
