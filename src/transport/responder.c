/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving half: the pipeline of docs/protocol.md §5 for data, and what it delivers (§6). */
#include "transport/responder.h"

#include <assert.h>
#include <stdalign.h>

#include "base/serial.h"
#include "transport/responder_answer.h"

enum { MPR_UNIT_PSNS = 128 };

/* A new packet. */
struct arrival {
    struct recv_window_progress progress;
    uint32_t nominal_bytes;
    bool fills_gap; /* a higher PSN had come before it */
};

struct responder *responder_init(
    struct arena *arena, uint32_t recv_depth, uint32_t psn_count, uint32_t imm_max)
{
    struct responder *responder =
        arena_take(arena, 1, sizeof(*responder), alignof(struct responder));

    recv_window_init(responder ? &responder->window : NULL, arena, psn_count);
    recv_queue_init(responder ? &responder->queue : NULL, arena, recv_depth, imm_max);
    return responder;
}

void responder_start(struct responder *responder, const struct env *env, uint64_t now_ns)
{
    struct recv_window window = responder->window;
    struct recv_queue queue = responder->queue;

    recv_window_start(&window, env->attributes.rq_psn);
    recv_queue_start(&queue);
    *responder = (struct responder){ .window = window,
        .queue = queue,
        .tracker = window.cack,
        .idle_ns = (uint32_t)PARAMETERS_TIMER_NS(
            env->nic->parameters, sack_idle_flush, env->peer->cc.base_rtt_ns),
        .last_arrival_ns = now_ns };
}

uint32_t responder_full_range_psns(const struct responder *responder, const struct env *env)
{
    uint32_t range_psns = (uint32_t)env->attributes.mpr_dest * MPR_UNIT_PSNS;

    return range_psns < responder->window.psn_count ? range_psns : responder->window.psn_count;
}

/* The bytes that a packet of such a message carries. */
static inline bool length_fits_message(
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

static inline struct recv_window_part part_of(uint8_t opcode)
{
    return (struct recv_window_part){ .begins = opcode_starts_message(opcode),
        .ends = opcode_ends_message(opcode) };
}

/* §5 step 7. */
__attribute__((always_inline)) static inline bool is_well_formed(const struct responder *responder,
    const struct env *env, const struct packet *packet, uint8_t opcode)
{
    return packet->write.pad_bytes == (-packet->write.payload.length & 3) &&
           length_fits_message(packet, opcode, env->attributes.pmtu_bytes) &&
           recv_window_fits(&responder->window, packet->psn, part_of(opcode));
}

static bool exceeds_write_imm_limit(
    const struct responder *responder, const struct env *env, const struct packet *packet)
{
    int32_t ahead = serial16_distance(responder->queue.next_rqmsn, packet->write.rqmsn);

    return ahead < 0 || ahead >= (int32_t)env->attributes.max_wimm_dest;
}

static inline bool has_room(const struct env *env, const struct packet *packet)
{
    const struct transport_memory *memory = &env->nic->memory;

    return !memory->has_room ||
           memory->has_room(memory->context, env->qpn, packet->write.payload.length);
}

static inline enum transport_access place_payload(
    const struct env *env, const struct packet *packet)
{
    const struct transport_memory *memory = &env->nic->memory;
    const struct packet_write *write = &packet->write;

    if (write->payload.length == 0)
        return TRANSPORT_ACCESS_OK;
    return memory->place(
        memory->context, env->owner, env->qpn, write->rkey, write->va, &write->payload);
}

static void stash_immediate(struct responder *responder, const struct packet *packet)
{
    *recv_queue_stash(&responder->queue, packet->write.rqmsn) =
        (struct recv_stash){ .psn = packet->psn,
            .immediate = packet->write.immediate,
            .length_bytes = packet->write.message_bytes,
            .msn = packet->write.msn,
            .solicited = packet->flags & PACKET_SOLICITED,
            .full = true };
}

/* §7.1, for a new packet just added to the window. */
static inline bool sack_is_due(struct responder *responder, const struct env *env,
    const struct packet *packet, const struct arrival *arrival)
{
    const struct parameters *parameters = env->nic->parameters;
    const struct recv_window *window = &responder->window;
    uint32_t least_bytes = (uint32_t)parameters->sack_min_charge;
    bool asks = packet->flags & PACKET_ACK_REQUEST;
    bool gap_below_request;

    responder->unreported_bytes +=
        arrival->nominal_bytes > least_bytes ? arrival->nominal_bytes : least_bytes;
    responder->last_psn = packet->psn;
    responder->last_ev = packet->ev;
    responder->last_port = packet->port;
    responder->last_flags = packet->flags;
    if (!arrival->fills_gap)
        responder->highest_requested = asks;
    gap_below_request =
        responder->highest_requested && arrival->fills_gap &&
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

/* §6.3: a packet that asked for it has come, and messages were completed since the last ACK: asked
 * for in the middle of a message it would tell nothing new. */
static inline bool ack_is_due(struct responder *responder, const struct packet *packet,
    const struct recv_window_progress *progress)
{
    bool was_asked;

    if (packet->flags & PACKET_ACK_REQUEST &&
        (!responder->ack_asked || psn_before(responder->asked_psn, packet->psn))) {
        responder->ack_asked = true;
        responder->asked_psn = packet->psn;
    }
    was_asked = responder->ack_asked;
    if (!psn_before(responder->window.cack, responder->asked_psn))
        responder->ack_asked = false;
    return was_asked && progress->psns > 0 && responder->messages_done != responder->messages_acked;
}

/* Not inlined: most packets are not answered. */
__attribute__((noinline)) static struct responder_decision answer(struct responder *responder,
    const struct env *env, const struct packet *packet, const struct recv_window_progress *progress,
    bool owes_sack, uint64_t due_ns)
{
    struct responder_decision decision = { .due_ns = due_ns, .psn = packet->psn };

    if (owes_sack)
        responder_answer_sack(responder, &decision, responder_answer_mark(env, packet));
    if (ack_is_due(responder, packet, progress))
        responder_answer_ack(responder, &decision);
    return decision;
}

/* What is due to the peer. */
__attribute__((always_inline)) static inline struct responder_decision report(
    struct responder *responder, const struct env *env, const struct packet *packet,
    const struct arrival *arrival, uint64_t now_ns)
{
    /* The timer runs since the first packet not reported. */
    uint64_t due_ns = responder->unreported_bytes == 0 ? now_ns + responder->idle_ns : UINT64_MAX;
    bool is_due = sack_is_due(responder, env, packet, arrival);

    if (is_due || packet->flags & PACKET_ACK_REQUEST || responder->ack_asked)
        return answer(
            responder, env, packet, &arrival->progress, is_due, is_due ? UINT64_MAX : due_ns);
    return (struct responder_decision){ .due_ns = due_ns };
}

/* Messages are now complete: what is due to the application comes first. Not inlined: most packets
 * complete none. */
__attribute__((noinline)) static struct responder_decision deliver(struct responder *responder,
    const struct env *env, const struct packet *packet, const struct arrival *arrival,
    uint64_t now_ns)
{
    uint32_t messages = arrival->progress.messages;
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
    decision = report(responder, env, packet, arrival, now_ns);
    decision.effects |= effects;
    return decision;
}

/* `opcode`: the packet's. Inlined for one that is known: nearly all packets are of the middle. */
__attribute__((always_inline)) static inline struct responder_decision on_new(
    struct responder *responder, const struct env *env, const struct packet *packet, uint8_t opcode,
    uint64_t now_ns)
{
    struct arrival arrival = { .nominal_bytes = packet_nominal_bytes_of(packet, opcode),
        .fills_gap = psn_before(packet->psn, responder->window.highest) };
    enum transport_access access;

    if (!is_well_formed(responder, env, packet, opcode))
        return responder_answer_nak(
            packet->psn, ACK_SYNDROME_INVALID_REQUEST, DROP_INVALID_REQUEST);
    if (opcode_has_immediate(opcode) && exceeds_write_imm_limit(responder, env, packet))
        return responder_answer_nak(
            packet->psn, env->nic->nak_write_imm_limit, DROP_WRITE_IMM_LIMIT);
    if (!has_room(env, packet))
        return responder_answer_no_room(packet);
    arrival.progress = recv_window_take(&responder->window, packet->psn, part_of(opcode));
    responder->received_bytes += arrival.nominal_bytes;
    env_count(env, COUNTER_DATA_RECEIVED);
    access = place_payload(env, packet);
    if (access != TRANSPORT_ACCESS_OK)
        return responder_answer_access(responder, packet, access);
    if (opcode_has_immediate(opcode))
        stash_immediate(responder, packet);
    env_add(env, COUNTER_BYTES_PLACED, packet->write.payload.length);
    if (arrival.progress.messages > 0)
        return deliver(responder, env, packet, &arrival, now_ns);
    return report(responder, env, packet, &arrival, now_ns);
}

/* Not inlined: the rest does not pay for it. */
__attribute__((noinline)) static struct responder_decision on_edge(struct responder *responder,
    const struct env *env, const struct packet *packet, uint64_t now_ns)
{
    return on_new(responder, env, packet, packet->opcode, now_ns);
}

struct responder_decision responder_on_write(struct responder *responder, const struct env *env,
    const struct packet *packet, enum recv_window_place place, uint64_t now_ns)
{
    if (dscp_is_trimmed((enum dscp_class)packet->class))
        return responder_answer_trimmed(responder, env, packet, place);
    if (packet->ecn == ECN_CE)
        env_count(env, COUNTER_DATA_MARKED);
    responder->last_arrival_ns = now_ns;
    switch (place) {
    case RECV_WINDOW_NEW:
        if (packet->opcode == OPCODE_WRITE_MIDDLE)
            return on_new(responder, env, packet, OPCODE_WRITE_MIDDLE, now_ns);
        return on_edge(responder, env, packet, now_ns);
    case RECV_WINDOW_BEYOND:
        return responder_answer_beyond(responder, env, packet, now_ns);
    default:
        return responder_answer_duplicate(responder, env, packet, place);
    }
}

struct responder_decision responder_on_probe(struct responder *responder, const struct env *env,
    const struct packet *packet, uint64_t now_ns)
{
    struct responder_decision decision = { .due_ns = UINT64_MAX, .reason = DROP_RATE_LIMIT };

    /* Probes of all planes arrive together: that many may. */
    if (!rate_allows(&responder->probe_answers, env->nic->parameters->probe_answer_gap,
            PATH_PLANE_COUNT_MAX, now_ns))
        return decision;
    responder->unreported_bytes = 0;
    decision.effects = RESPONDER_OWES_PROBE_ANSWER;
    decision.code = responder_answer_mark(env, packet);
    decision.reason = DROP_NONE;
    return decision;
}

void responder_check(const struct responder *responder)
{
    recv_window_check(&responder->window);
    assert(responder->queue.posted - responder->queue.reported <= responder->queue.depth);
    assert(responder->queue.done - responder->queue.reported <=
           responder->queue.posted - responder->queue.reported);
}
