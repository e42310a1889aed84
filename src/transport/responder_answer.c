/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of the responder: the packet arrived, did not get through, or is an error
 * (docs/protocol.md §4, §6, §8). */
#include "transport/responder_answer.h"

#include "base/serial.h"

static struct responder_decision nothing_but(struct psn psn, enum drop_reason reason)
{
    return (
        struct responder_decision){ .due_ns = UINT64_MAX, .psn = psn, .reason = (uint8_t)reason };
}

static struct responder_decision nack(
    const struct packet *packet, uint8_t code, enum drop_reason reason)
{
    struct responder_decision decision = nothing_but(packet->psn, reason);

    decision.effects = RESPONDER_OWES_NACK;
    decision.code = code;
    return decision;
}

static enum transport_event_kind async_of(uint8_t syndrome)
{
    switch (syndrome) {
    case ACK_SYNDROME_INVALID_REQUEST:
        return TRANSPORT_QP_REQUEST_ERROR;
    case ACK_SYNDROME_REMOTE_ACCESS:
        return TRANSPORT_QP_ACCESS_ERROR;
    default:
        return TRANSPORT_QP_FATAL;
    }
}

struct responder_decision responder_answer_nak(
    struct psn offending, uint8_t syndrome, enum drop_reason reason)
{
    struct responder_decision decision = nothing_but(offending, reason);

    decision.effects = RESPONDER_OWES_NAK | RESPONDER_FAILS;
    decision.code = syndrome;
    decision.async = (uint8_t)async_of(syndrome);
    return decision;
}

/* Withdraws a Transport ACK that still waits: nothing from this PSN on was executed (§6.3). */
static void take_back(struct responder *responder, struct psn psn)
{
    if (!psn_before(responder->window.cack, psn))
        responder->window.cack = psn_add(psn, -1);
}

/* Fails because of an error of the responder; the requester cannot avoid it (§8). */
static struct responder_decision fail_internally(const struct packet *packet)
{
    struct responder_decision decision = nack(packet, NACK_UNEXP_EVENT, DROP_MEMORY_FAILED);

    decision.effects |= RESPONDER_FAILS;
    decision.async = TRANSPORT_QP_FATAL;
    return decision;
}

struct responder_decision responder_answer_access(
    struct responder *responder, const struct packet *packet, enum transport_access access)
{
    take_back(responder, packet->psn);
    if (access == TRANSPORT_ACCESS_FAILED)
        return fail_internally(packet);
    return responder_answer_nak(packet->psn, ACK_SYNDROME_REMOTE_ACCESS, DROP_REMOTE_ACCESS);
}

/* The next WriteImm, one of `messages` just received, has no receive request. Neither it nor any
 * later message counts as executed (§6.4). */
struct responder_decision responder_answer_no_receive(
    struct responder *responder, uint32_t messages)
{
    const struct recv_stash *stash =
        recv_queue_stash(&responder->queue, responder->queue.next_rqmsn);
    int32_t undone = serial16_distance(stash->msn, (uint16_t)responder->messages_done);

    if (undone < 1 || undone > (int32_t)messages) /* the counts of the peer differ */
        undone = (int32_t)messages;
    responder->messages_done = serial24_add(responder->messages_done, -undone);
    take_back(responder, stash->psn);
    return responder_answer_nak(stash->psn, ACK_SYNDROME_REMOTE_OPERATION, DROP_NONE);
}

/* True if the PSN is new and within the range of the attributes, whether the responder admits it
 * now or not. */
static bool is_promised(
    const struct responder *responder, const struct env *env, const struct packet *packet)
{
    return recv_window_place(&responder->window, packet->psn,
               responder_full_range_psns(responder, env)) == RECV_WINDOW_NEW;
}

static bool places_in_order(const struct env *env)
{
    return env->nic->parameters->placement == PLACEMENT_IN_ORDER;
}

/* Step 2 of §5: only fields that survive trimming are used. ECN marks of trimmed packets are
 * ignored. */
struct responder_decision responder_answer_trimmed(struct responder *responder,
    const struct env *env, const struct packet *packet, enum recv_window_place place)
{
    uint8_t reason = packet->class == DSCP_TRIMMED ? NACK_TRIMMED : NACK_TRIMMED_LASTHOP;
    struct responder_decision decision = nothing_but(packet->psn, DROP_TRIMMED);
    uint8_t mark = responder_answer_mark(env, packet);

    env_count(env, COUNTER_DATA_TRIMMED);
    if (place == RECV_WINDOW_BEYOND && places_in_order(env) && is_promised(responder, env, packet))
        place = RECV_WINDOW_NEW;
    if (place == RECV_WINDOW_NEW)
        return env->attributes.trim_nack ? nack(packet, reason, DROP_TRIMMED) : decision;
    if (place != RECV_WINDOW_BEYOND)
        responder_answer_sack(
            responder, &decision, mark == SACK_MARK_SKIP_ONCE ? (uint8_t)SACK_MARK_NONE : mark);
    return decision;
}

/* A packet beyond the window is not an error of the path. The requester must wait, but does not
 * need a NACK for each packet (§4), unless each is to be sent again because it arrived too early.
 * If the PSN is within the range of the attributes, mpr_pool is short (§4.1). */
struct responder_decision responder_answer_beyond(struct responder *responder,
    const struct env *env, const struct packet *packet, uint64_t now_ns)
{
    bool promised = is_promised(responder, env, packet);

    if (promised)
        env_count(env, COUNTER_NO_BITMAP);
    if (promised && places_in_order(env))
        return nack(packet, NACK_NO_BITMAP, DROP_BEYOND_WINDOW);
    if (responder->oor_count++ % env->nic->parameters->oor_nack_every != 0 &&
        now_ns < responder->oor_nack_ns)
        return nothing_but(packet->psn, DROP_BEYOND_WINDOW);
    responder->oor_nack_ns = now_ns + env->peer->cc.base_rtt_ns;
    return nack(packet, promised ? NACK_NO_BITMAP : NACK_PSN_OOR_WINDOW, DROP_BEYOND_WINDOW);
}

struct responder_decision responder_answer_duplicate(struct responder *responder,
    const struct env *env, const struct packet *packet, enum recv_window_place place)
{
    struct responder_decision decision = nothing_but(packet->psn, DROP_DUPLICATE);

    env_count(env, COUNTER_DATA_DUPLICATE);
    responder_answer_sack(responder, &decision, responder_answer_mark(env, packet));
    if (place == RECV_WINDOW_OLD && packet->flags & PACKET_ACK_REQUEST)
        responder_answer_ack(responder, &decision);
    return decision;
}

/* Refuses the packet before it is recorded, so that it can be sent again (§8). */
struct responder_decision responder_answer_no_room(const struct packet *packet)
{
    return nack(packet, NACK_NO_PKT_BUFFER, DROP_NO_BUFFER);
}
