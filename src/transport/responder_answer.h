/* SPDX-License-Identifier: Apache-2.0 */
/* What the receiving half answers to a packet. */
#pragma once

#include "transport/responder.h"
#include "wire/packet.h"

/* §7.2: what the path of this packet should be told. */
static inline uint8_t responder_answer_mark(const struct env *env, const struct packet *packet)
{
    if (env->nic->draining_mask >> packet->port & 1)
        return SACK_MARK_ALWAYS_SKIP;
    return packet->ecn == ECN_CE ? SACK_MARK_SKIP_ONCE : SACK_MARK_NONE;
}

/* Adds a SACK that this packet provoked; a Transport ACK that it asked for. */
static inline void responder_answer_sack(
    struct responder *responder, struct responder_decision *decision, uint8_t mark)
{
    responder->unreported_bytes = 0;
    decision->effects |= RESPONDER_OWES_SACK;
    decision->code = mark;
}

static inline void responder_answer_ack(
    struct responder *responder, struct responder_decision *decision)
{
    responder->messages_acked = responder->messages_done;
    decision->effects |= RESPONDER_OWES_ACK;
}

/* The QP fails, and the requester is told why. */
struct responder_decision responder_answer_nak(
    struct psn offending, uint8_t syndrome, enum drop_reason);

/* The memory refused the packet, or failed. */
struct responder_decision responder_answer_access(
    struct responder *, const struct packet *, enum transport_access);

/* The next WriteImm, one of `messages` just received, finds no receive request. */
struct responder_decision responder_answer_no_receive(struct responder *, uint32_t messages);

struct responder_decision responder_answer_trimmed(
    struct responder *, const struct env *, const struct packet *, enum recv_window_place);
struct responder_decision responder_answer_beyond(
    struct responder *, const struct env *, const struct packet *, uint64_t now_ns);
struct responder_decision responder_answer_duplicate(
    struct responder *, const struct env *, const struct packet *, enum recv_window_place);
struct responder_decision responder_answer_no_room(const struct packet *);
