/* SPDX-License-Identifier: Apache-2.0 */
/* Handles the rare data packets: those that cause answers or complete messages (docs/protocol.md
 * §6, §7.1). */
#include "transport/responder_write.h"

/* True if a packet that requested an ACK has arrived and messages were completed since the last ACK
 * (§6.3). An ACK in the middle of a message would report nothing new. */
static bool ack_is_due(struct responder *responder, const struct packet *packet)
{
    bool advances = !psn_before(responder->window.cack, packet->psn);
    bool was_asked;

    if (packet->flags & PACKET_ACK_REQUEST &&
        (!responder->ack_asked || psn_before(responder->asked_psn, packet->psn))) {
        responder->ack_asked = true;
        responder->asked_psn = packet->psn;
    }
    was_asked = responder->ack_asked;
    if (!psn_before(responder->window.cack, responder->asked_psn))
        responder->ack_asked = false;
    return was_asked && advances && responder->messages_done != responder->messages_acked;
}

struct responder_decision responder_write_answer(struct responder *responder, const struct env *env,
    const struct packet *packet, bool owes_sack, uint64_t due_ns)
{
    struct responder_decision decision = { .due_ns = due_ns, .psn = packet->psn };

    if (owes_sack)
        responder_answer_sack(responder, &decision, responder_answer_mark(env, packet));
    if (ack_is_due(responder, packet))
        responder_answer_ack(responder, &decision);
    return decision;
}

/* Delivers to the application before it answers the peer. */
struct responder_decision responder_write_deliver(struct responder *responder,
    const struct env *env, const struct packet *packet, uint32_t messages, uint32_t nominal_bytes,
    uint64_t now_ns)
{
    struct responder_decision decision;
    enum recv_delivery delivery;
    uint8_t effects = 0;

    responder->messages_done = serial24_add(responder->messages_done, (int32_t)messages);
    env_add(env, COUNTER_MESSAGES_RECEIVED, messages);
    while ((delivery = recv_queue_deliver(&responder->queue, responder->window.cack)) ==
           RECV_DELIVERED)
        effects = RESPONDER_HAS_EVENT;
    if (delivery == RECV_NO_REQUEST)
        return responder_answer_no_receive(responder, messages);
    decision = responder_write_report(responder, env, packet, nominal_bytes, now_ns);
    decision.effects |= effects;
    return decision;
}

struct responder_decision responder_write_other(struct responder *responder, const struct env *env,
    const struct packet *packet, enum recv_window_place place, uint64_t now_ns)
{
    responder_write_arrived(responder, env, packet, now_ns);
    switch (place) {
    case RECV_WINDOW_NEW:
        return responder_write_new(responder, env, packet, packet->opcode, now_ns);
    case RECV_WINDOW_BEYOND:
        return responder_answer_beyond(responder, env, packet, now_ns);
    default:
        return responder_answer_duplicate(responder, env, packet, place);
    }
}
