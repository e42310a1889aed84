/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving half: the pipeline of docs/protocol.md §5 for data, and what it delivers (§6). */
#include "transport/responder.h"

#include <assert.h>
#include <stdalign.h>

#include "base/serial.h"
#include "transport/responder_answer.h"

struct responder *responder_init(
    struct arena *arena, uint32_t recv_depth, uint32_t psn_count, uint32_t imm_max)
{
    struct responder *responder =
        arena_take(arena, 1, sizeof(*responder), alignof(struct responder));

    recv_window_init(responder ? &responder->window : NULL, arena, psn_count);
    recv_queue_init(responder ? &responder->queue : NULL, arena, recv_depth, imm_max);
    return responder;
}

void responder_start(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct responder *responder = qp->responder;
    struct recv_window window = responder->window;
    struct recv_queue queue = responder->queue;
    const struct parameters *parameters = nic->parameters;
    uint64_t idle_ns =
        parameters->sack_idle_flush ? parameters->sack_idle_flush : qp->cc.base_rtt_ns / 2;

    responder_close_range(nic, qp);
    recv_window_start(&window, qp->attributes.rq_psn);
    recv_queue_start(&queue);
    *responder = (struct responder){ .window = window,
        .queue = queue,
        .tracker = window.cack,
        .idle_ns = (uint32_t)(idle_ns > parameters->sack_idle_floor ? idle_ns
                                                                    : parameters->sack_idle_floor),
        .last_arrival_ns = now_ns,
        .reverse_probe_ns = UINT64_MAX };
    responder_forget_reverse(responder);
    responder_widen_range(nic, qp, now_ns);
}

static bool length_fits_opcode(const struct packet *packet, uint32_t pmtu_bytes)
{
    uint32_t length = packet->write.payload.length;

    if (packet->write.pad_bytes != (-length & 3) || length > pmtu_bytes)
        return false;
    switch (packet->opcode) {
    case OPCODE_WRITE_FIRST:
    case OPCODE_WRITE_MIDDLE:
        return length == pmtu_bytes;
    case OPCODE_WRITE_LAST:
    case OPCODE_WRITE_LAST_IMM:
        return length > 0;
    default:
        return true;
    }
}

static bool exceeds_write_imm_limit(const struct qp *qp, const struct packet *packet)
{
    int32_t ahead = serial16_distance(qp->responder->queue.next_rqmsn, packet->write.rqmsn);

    return opcode_has_immediate(packet->opcode) &&
           (ahead < 0 || ahead >= (int32_t)qp->attributes.max_wimm_dest);
}

static void stash_immediate(struct qp *qp, const struct packet *packet)
{
    if (opcode_has_immediate(packet->opcode))
        *recv_queue_stash(&qp->responder->queue, packet->write.rqmsn) =
            (struct recv_stash){ .psn = packet->psn,
                .immediate = packet->write.immediate,
                .length_bytes = packet->write.message_bytes,
                .msn = packet->write.msn,
                .solicited = packet->flags & PACKET_SOLICITED,
                .full = true };
}

/* Messages that are now complete. False: a WriteImm found no receive request. */
static bool deliver(
    struct transport *nic, struct qp *qp, const struct recv_window_progress *progress)
{
    struct responder *responder = qp->responder;
    enum recv_delivery delivery;

    if (progress->messages == 0)
        return true;
    responder->messages_done = serial24_add(responder->messages_done, (int32_t)progress->messages);
    nic->counters[COUNTER_MESSAGES_RECEIVED] += progress->messages;
    do {
        delivery = recv_queue_deliver(&responder->queue, responder->window.cack);
        if (delivery == RECV_DELIVERED)
            qp_has_event(nic, qp);
    } while (delivery == RECV_DELIVERED);
    return delivery == RECV_NOTHING;
}

/* §7.1, for a new packet just added to the window; `fills_gap`: a higher PSN had come before it. */
static bool sack_is_due(const struct transport *nic, struct qp *qp, const struct packet *packet,
    uint32_t nominal_bytes, bool fills_gap)
{
    struct responder *responder = qp->responder;
    const struct recv_window *window = &responder->window;
    uint32_t least_bytes = (uint32_t)nic->parameters->sack_min_charge;
    bool asks = packet->flags & PACKET_ACK_REQUEST;
    bool gap_below_request;

    responder->unreported_bytes += nominal_bytes > least_bytes ? nominal_bytes : least_bytes;
    responder->last_psn = packet->psn;
    responder->last_ev = packet->ev;
    responder->last_port = packet->port;
    responder->last_flags = packet->flags;
    if (!fills_gap)
        responder->highest_requested = asks;
    gap_below_request = responder->highest_requested && fills_gap;
    if (psn_equal(window->cack, window->highest))
        responder->highest_requested = false;
    if (!responder->received_any) {
        responder->received_any = true;
        return true;
    }
    return packet->flags & (PACKET_ACK_REQUEST | PACKET_RETRANSMISSION) || gap_below_request ||
           responder_answer_mark(nic, packet) != SACK_MARK_NONE ||
           responder->unreported_bytes >= qp->sack_threshold_bytes;
}

static enum drop_reason on_new(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    struct responder *responder = qp->responder;
    struct recv_window_progress progress;
    bool fills_gap = psn_before(packet->psn, responder->window.highest);
    enum transport_access access = TRANSPORT_ACCESS_OK;
    bool was_reported;
    uint32_t nominal_bytes = packet_nominal_bytes(packet);

    if (!length_fits_opcode(packet, qp->attributes.pmtu_bytes))
        return responder_answer_nak(
            nic, qp, packet, ACK_SYNDROME_INVALID_REQUEST, DROP_INVALID_REQUEST, now_ns);
    if (exceeds_write_imm_limit(qp, packet))
        return responder_answer_nak(
            nic, qp, packet, nic->nak_write_imm_limit, DROP_WRITE_IMM_LIMIT, now_ns);
    if (nic->memory.has_room &&
        !nic->memory.has_room(nic->memory.context, qp->qpn, packet->write.payload.length))
        return responder_answer_no_room(nic, qp, packet, now_ns);
    progress = recv_window_take(&responder->window, packet->psn,
        opcode_ends_message(packet->opcode), packet->flags & PACKET_ACK_REQUEST);
    responder->received_bytes += nominal_bytes;
    nic_count(nic, COUNTER_DATA_RECEIVED);
    if (packet->write.payload.length > 0)
        access = nic->memory.place(nic->memory.context, qp->qpn, packet->write.rkey,
            packet->write.va, &packet->write.payload);
    if (access != TRANSPORT_ACCESS_OK)
        return responder_answer_access(nic, qp, packet, access, now_ns);
    nic->counters[COUNTER_BYTES_PLACED] += packet->write.payload.length;
    stash_immediate(qp, packet);
    if (!deliver(nic, qp, &progress))
        return responder_answer_no_receive(nic, qp, packet, progress.messages, now_ns);
    was_reported = responder->unreported_bytes == 0;
    if (sack_is_due(nic, qp, packet, nominal_bytes, fills_gap))
        responder_answer_sack(nic, qp, packet, now_ns);
    else if (was_reported) /* else its timer runs since the first one not reported */
        qp_arm(nic, qp, now_ns + responder->idle_ns);
    /* Asked for in the middle of a message it would tell nothing new. */
    if (progress.ack_requested && responder->messages_done != responder->messages_acked)
        responder_answer_ack(nic, qp, packet, now_ns);
    return DROP_NONE;
}

/* The way back to the peer is needed. */
static void note_peer(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct responder *responder = qp->responder;

    responder->heard = true;
    if (responder->reverse_probe_ns == UINT64_MAX) { /* the first after a silence */
        responder_begin_probing(nic, qp, now_ns);
        responder_widen_range(nic, qp, now_ns);
    }
}

static void note_arrival(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    qp->responder->last_arrival_ns = now_ns;
    note_peer(nic, qp, now_ns);
}

enum drop_reason responder_on_write(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    const struct responder *responder = qp->responder;
    enum recv_window_place place =
        recv_window_place(&responder->window, packet->psn, responder->range_psns);

    if (place == RECV_WINDOW_BEYOND) {
        responder_widen_range(nic, qp, now_ns);
        place = recv_window_place(&responder->window, packet->psn, responder->range_psns);
    }
    if (dscp_is_trimmed((enum dscp_class)packet->class))
        return responder_answer_trimmed(nic, qp, packet, place, now_ns);
    if (packet->ecn == ECN_CE)
        nic_count(nic, COUNTER_DATA_MARKED);
    note_arrival(nic, qp, now_ns);
    switch (place) {
    case RECV_WINDOW_NEW:
        return on_new(nic, qp, packet, now_ns);
    case RECV_WINDOW_BEYOND:
        return responder_answer_beyond(nic, qp, packet, now_ns);
    default:
        return responder_answer_duplicate(nic, qp, packet, place, now_ns);
    }
}

enum drop_reason responder_on_probe(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    struct responder *responder = qp->responder;
    struct control_record answer = { .kind = CONTROL_PROBE_ANSWER,
        .code = responder_answer_mark(nic, packet),
        .entropy = packet->ev,
        .arrival_ns = (uint32_t)now_ns,
        .tx_timestamp = packet->probe.tx_timestamp,
        .probe_id = packet->probe.probe_id,
        .port = packet->port };

    /* Probes of all planes arrive together: that many may. */
    if (!rate_allows(&responder->probe_answers, nic->parameters->probe_answer_gap,
            PATH_PLANE_COUNT_MAX, now_ns))
        return DROP_RATE_LIMIT;
    responder->unreported_bytes = 0;
    if (nic->parameters->reverse_probe_upon)
        note_peer(nic, qp, now_ns);
    nic_answer(nic, qp, answer);
    return DROP_NONE;
}

void responder_check(const struct qp *qp)
{
    const struct responder *responder = qp->responder;

    recv_window_check(&responder->window);
    assert(responder->queue.posted - responder->queue.reported <= responder->queue.depth);
    assert(responder->queue.done - responder->queue.reported <=
           responder->queue.posted - responder->queue.reported);
}
