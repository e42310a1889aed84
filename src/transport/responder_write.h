/* SPDX-License-Identifier: Apache-2.0 */
/* The receive pipeline for data packets (docs/protocol.md §5). It is inlined into its only caller
 * and handles packets in the middle of a message. responder_write.c handles the rare cases. */
#pragma once

#include "transport/responder_answer.h"

/* The rare cases: an answer; messages that are complete; a packet that is not new, or not in the
 * middle of a message. */
struct responder_decision responder_write_answer(
    struct responder *, const struct env *, const struct packet *, bool owes_sack, uint64_t due_ns);
struct responder_decision responder_write_deliver(struct responder *, const struct env *,
    const struct packet *, uint32_t messages, uint32_t nominal_bytes, uint64_t now_ns);
struct responder_decision responder_write_other(struct responder *, const struct env *,
    const struct packet *, enum recv_window_place, uint64_t now_ns);

/* True if the packet carries as many bytes as its opcode requires. */
static inline bool responder_write_fits(
    const struct packet *packet, uint8_t opcode, uint32_t pmtu_bytes)
{
    uint32_t length = packet->write.payload.length;
    uint32_t message_bytes = packet->write.message_bytes;

    switch (opcode) {
    case OPCODE_WRITE_FIRST:
        return length == pmtu_bytes && message_bytes > pmtu_bytes;
    case OPCODE_WRITE_MIDDLE:
        return length == pmtu_bytes && message_bytes > 2 * pmtu_bytes;
    case OPCODE_WRITE_LAST:
    case OPCODE_WRITE_LAST_IMM:
        return message_bytes > pmtu_bytes && length == (message_bytes - 1) % pmtu_bytes + 1;
    default:
        return length == message_bytes && length <= pmtu_bytes;
    }
}

static inline struct recv_window_part responder_write_part(uint8_t opcode)
{
    return (struct recv_window_part){ .begins = opcode_starts_message(opcode),
        .ends = opcode_ends_message(opcode) };
}

/* Checks a packet as in step 7 of §5. */
__attribute__((always_inline)) static inline bool responder_write_is_valid(
    const struct responder *responder, const struct env *env, const struct packet *packet,
    uint8_t opcode)
{
    uint32_t length = packet->write.payload.length; /* a multiple of 4 in a full packet */

    return packet->write.pad_bytes == (opcode_ends_message(opcode) ? -length & 3 : 0) &&
           responder_write_fits(packet, opcode, env->attributes.pmtu_bytes) &&
           recv_window_fits(&responder->window, packet->psn, responder_write_part(opcode));
}

static inline bool responder_write_has_room(const struct env *env, const struct packet *packet)
{
    const struct transport_memory *memory = &env->nic->memory;

    return !memory->has_room ||
           memory->has_room(memory->context, env->qpn, packet->write.payload.length);
}

static inline enum transport_access responder_write_place(
    const struct env *env, const struct packet *packet, uint8_t opcode)
{
    const struct transport_memory *memory = &env->nic->memory;
    const struct packet_write *write = &packet->write;

    if (opcode_ends_message(opcode) && write->payload.length == 0)
        return TRANSPORT_ACCESS_OK;
    return memory->place(
        memory->context, env->owner, env->qpn, write->rkey, write->va, &write->payload);
}

static inline bool responder_write_exceeds_limit(
    const struct responder *responder, const struct env *env, const struct packet *packet)
{
    int32_t ahead = serial16_distance(responder->queue.next_rqmsn, packet->write.rqmsn);

    return ahead < 0 || ahead >= (int32_t)env->attributes.max_wimm_dest;
}

/* Keeps an immediate until its receive request is known. */
static inline void responder_write_stash(struct responder *responder, const struct packet *packet)
{
    recv_queue_keep(&responder->queue, packet->write.rqmsn,
        &(struct recv_stash){ .psn = packet->psn,
            .immediate = packet->write.immediate,
            .length_bytes = packet->write.message_bytes,
            .msn = packet->write.msn,
            .solicited = packet->flags & PACKET_SOLICITED,
            .full = true });
}

/* True if a new packet, just added to the window, triggers a SACK (§7.1). */
static inline bool responder_write_owes_sack(struct responder *responder, const struct env *env,
    const struct packet *packet, uint32_t nominal_bytes)
{
    const struct parameters *parameters = env->nic->parameters;
    const struct recv_window *window = &responder->window;
    uint32_t least_bytes = (uint32_t)parameters->sack_min_charge;
    bool asks = packet->flags & PACKET_ACK_REQUEST;
    bool fills_gap = !psn_equal(window->highest, packet->psn); /* a higher PSN arrived before */
    bool gap_below_request;

    responder->unreported_bytes += nominal_bytes > least_bytes ? nominal_bytes : least_bytes;
    responder->last_psn = packet->psn;
    responder->last_ev = packet->ev;
    responder->last_port = packet->port;
    responder->last_flags = packet->flags;
    if (!fills_gap)
        responder->highest_requested = asks;
    gap_below_request =
        responder->highest_requested && fills_gap &&
        (parameters->sack_gap == SACK_GAP_LITERAL || psn_equal(window->cack, window->highest));
    if (psn_equal(window->cack, window->highest))
        responder->highest_requested = false;
    if (!responder->received_any) {
        responder->received_any = true;
        return true;
    }
    return packet->flags & (PACKET_ACK_REQUEST | PACKET_RETRANSMISSION) || gap_below_request ||
           responder_answer_mark(env, packet) != SACK_MARK_NONE ||
           responder->unreported_bytes >= env->sack_threshold_bytes;
}

/* Determines the answers that are due to the peer. */
__attribute__((always_inline)) static inline struct responder_decision responder_write_report(
    struct responder *responder, const struct env *env, const struct packet *packet,
    uint32_t nominal_bytes, uint64_t now_ns)
{
    /* The timer starts with the first unreported packet. */
    uint64_t due_ns = responder->unreported_bytes == 0 ? now_ns + responder->idle_ns : UINT64_MAX;
    bool is_due = responder_write_owes_sack(responder, env, packet, nominal_bytes);

    if (is_due || packet->flags & PACKET_ACK_REQUEST || responder->ack_asked)
        return responder_write_answer(responder, env, packet, is_due, is_due ? UINT64_MAX : due_ns);
    return (struct responder_decision){ .due_ns = due_ns };
}

/* Handles a new packet. `opcode`: that of the packet. A constant opcode lets the compiler
 * specialise the code: nearly all packets are in the middle of a message. */
__attribute__((always_inline)) static inline struct responder_decision responder_write_new(
    struct responder *responder, const struct env *env, const struct packet *packet, uint8_t opcode,
    uint64_t now_ns)
{
    uint32_t nominal_bytes = packet_nominal_bytes_of(packet, opcode);
    uint32_t messages;
    enum transport_access access;

    if (!responder_write_is_valid(responder, env, packet, opcode))
        return responder_answer_nak(
            packet->psn, ACK_SYNDROME_INVALID_REQUEST, DROP_INVALID_REQUEST);
    if (opcode_has_immediate(opcode) && responder_write_exceeds_limit(responder, env, packet))
        return responder_answer_nak(
            packet->psn, env->nic->nak_write_imm_limit, DROP_WRITE_IMM_LIMIT);
    if (!responder_write_has_room(env, packet))
        return responder_answer_no_room(packet);
    messages = recv_window_take(&responder->window, packet->psn, responder_write_part(opcode));
    responder->received_bytes += nominal_bytes;
    env_count(env, COUNTER_DATA_RECEIVED);
    access = responder_write_place(env, packet, opcode);
    if (access != TRANSPORT_ACCESS_OK)
        return responder_answer_access(responder, packet, access);
    if (opcode_has_immediate(opcode))
        responder_write_stash(responder, packet);
    env_add(env, COUNTER_BYTES_PLACED, packet->write.payload.length);
    if (messages > 0)
        return responder_write_deliver(responder, env, packet, messages, nominal_bytes, now_ns);
    return responder_write_report(responder, env, packet, nominal_bytes, now_ns);
}

/* Notes the arrival of a packet that is not trimmed. */
static inline void responder_write_arrived(struct responder *responder, const struct env *env,
    const struct packet *packet, uint64_t now_ns)
{
    if (packet->ecn == ECN_CE)
        env_count(env, COUNTER_DATA_MARKED);
    responder->last_arrival_ns = now_ns;
}

/* True for the packets that responder_write_usual() handles, which are nearly all. */
static inline bool responder_write_is_usual(
    const struct env *env, const struct packet *packet, enum recv_window_place place)
{
    return place == RECV_WINDOW_NEW && packet->opcode == OPCODE_WRITE_MIDDLE &&
           !env->nic->memory.has_room;
}

static inline struct responder_decision responder_write_usual(struct responder *responder,
    const struct env *env, const struct packet *packet, uint64_t now_ns)
{
    responder_write_arrived(responder, env, packet, now_ns);
    return responder_write_new(responder, env, packet, OPCODE_WRITE_MIDDLE, now_ns);
}
