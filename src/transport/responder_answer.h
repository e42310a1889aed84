/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of the responder to a packet. */
#pragma once

#include "transport/responder.h"
#include "wire/packet.h"

/* Returns the mark `m` for the EV of this packet (§7.2). */
static inline uint8_t responder_answer_mark(const struct env *env, const struct packet *packet)
{
    uint32_t draining_mask = env->nic->draining_mask; /* nearly always 0 */

    if (draining_mask != 0 && draining_mask >> packet->port & 1)
        return SACK_MARK_ALWAYS_SKIP;
    return packet->ecn == ECN_CE ? SACK_MARK_SKIP_ONCE : SACK_MARK_NONE;
}

/* Adds to the decision a SACK that this packet triggers; a Transport ACK that it requested. */
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

/* Makes the QP fail and sends the requester a NAK with the reason. */
struct responder_decision responder_answer_nak(
    struct psn offending, uint8_t syndrome, enum drop_reason);

/* Answers a packet that the memory refused, or whose placement failed. */
struct responder_decision responder_answer_access(
    struct responder *, const struct packet *, enum transport_access);

/* Answers the case that the next WriteImm, one of `messages` just received, has no receive
 * request. */
struct responder_decision responder_answer_no_receive(struct responder *, uint32_t messages);

struct responder_decision responder_answer_trimmed(
    struct responder *, const struct env *, const struct packet *, enum recv_window_place);
struct responder_decision responder_answer_beyond(
    struct responder *, const struct env *, const struct packet *, uint64_t now_ns);
struct responder_decision responder_answer_duplicate(
    struct responder *, const struct env *, const struct packet *, enum recv_window_place);
struct responder_decision responder_answer_no_room(const struct packet *);
