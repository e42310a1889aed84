/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving half: the pipeline of docs/protocol.md §5 for data, and what it delivers (§6). */
#include "transport/responder.h"

#include <assert.h>
#include <stdalign.h>

#include "base/serial.h"
#include "transport/nic.h"

struct responder *responder_init(
    struct arena *arena, uint32_t recv_depth, uint32_t psn_count, uint32_t imm_max)
{
    struct responder *responder =
        arena_take(arena, 1, sizeof(*responder), alignof(struct responder));

    recv_window_init(responder ? &responder->window : NULL, arena, psn_count);
    recv_queue_init(responder ? &responder->queue : NULL, arena, recv_depth, imm_max);
    return responder;
}

void responder_start(struct transport *nic, struct qp *qp)
{
    struct responder *responder = qp->responder;
    struct recv_window window = responder->window;
    struct recv_queue queue = responder->queue;
    const struct parameters *parameters = &nic->config.parameters;
    uint32_t range_psns = (uint32_t)qp->attributes.mpr_dest * 128;
    uint64_t idle_ns =
        parameters->sack_idle_flush ? parameters->sack_idle_flush : qp->cc.base_rtt_ns / 2;

    recv_window_start(&window, qp->attributes.rq_psn);
    recv_queue_start(&queue);
    *responder = (struct responder){ .window = window,
        .queue = queue,
        .tracker = window.cack,
        .idle_ns = (uint32_t)(idle_ns > parameters->sack_idle_floor ? idle_ns
                                                                    : parameters->sack_idle_floor),
        .reverse_probe_ns = UINT64_MAX,
        .reverse_deadline_ns = UINT64_MAX,
        .range_psns = range_psns < window.psn_count ? range_psns : window.psn_count };
}

/* An answer about this packet. */
static struct control_record answer_to(
    const struct packet *packet, enum control_kind kind, uint8_t code, uint64_t now_ns)
{
    return (struct control_record){ .kind = (uint8_t)kind,
        .code = code,
        .psn = packet->psn,
        .entropy = packet->ev,
        .arrival_ns = (uint32_t)now_ns,
        .tx_timestamp = packet->write.tx_timestamp,
        .port = packet->port,
        .retransmission = packet->flags & PACKET_RETRANSMISSION };
}

static void send_sack(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    uint8_t mark = packet->ecn == ECN_CE ? SACK_MARK_SKIP_ONCE : SACK_MARK_NONE;

    qp->responder->unreported_bytes = 0;
    qp_answer(nic, qp, answer_to(packet, CONTROL_SACK, mark, now_ns));
}

static void send_ack(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    qp->responder->messages_acked = qp->responder->messages_done;
    qp_answer(nic, qp, answer_to(packet, CONTROL_ACK, ACK_SYNDROME_ACK, now_ns));
}

/* The QP fails, and the requester is told why. */
static enum drop_reason refuse(struct transport *nic, struct qp *qp, const struct packet *packet,
    uint8_t syndrome, enum drop_reason reason, uint64_t now_ns)
{
    enum transport_event_kind async =
        syndrome == ACK_SYNDROME_INVALID_REQUEST ? TRANSPORT_QP_REQUEST_ERROR
        : syndrome == ACK_SYNDROME_REMOTE_ACCESS ? TRANSPORT_QP_ACCESS_ERROR
                                                 : TRANSPORT_QP_FATAL;

    qp_answer(nic, qp, answer_to(packet, CONTROL_NAK, syndrome, now_ns));
    qp_fail(nic, qp, qp->requester ? qp->requester->queue.done : 0, COMPLETION_FLUSHED, (int)async,
        now_ns);
    return reason;
}

/* Nothing from this PSN on was executed: a Transport ACK that still waits must not say so (§6.3).
 */
static void take_back(struct responder *responder, struct psn psn)
{
    if (!psn_before(responder->window.cack, psn))
        responder->window.cack = psn_add(psn, -1);
}

static enum drop_reason refuse_access(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    take_back(qp->responder, packet->psn);
    return refuse(nic, qp, packet, ACK_SYNDROME_REMOTE_ACCESS, DROP_REMOTE_ACCESS, now_ns);
}

/* The next WriteImm, one of `messages` just received, finds no receive request: neither it nor what
 * is behind it counts as executed (§6.4). */
static enum drop_reason refuse_immediate(struct transport *nic, struct qp *qp,
    const struct packet *packet, uint32_t messages, uint64_t now_ns)
{
    struct responder *responder = qp->responder;
    const struct recv_stash *stash =
        recv_queue_stash(&responder->queue, responder->queue.next_rqmsn);
    int32_t undone = serial16_distance(stash->msn, (uint16_t)responder->messages_done);
    struct packet offending = *packet;

    if (undone < 1 || undone > (int32_t)messages) /* the peer counts otherwise */
        undone = (int32_t)messages;
    responder->messages_done = serial24_add(responder->messages_done, -undone);
    offending.psn = stash->psn;
    take_back(responder, stash->psn);
    return refuse(nic, qp, &offending, ACK_SYNDROME_REMOTE_OPERATION, DROP_NONE, now_ns);
}

/* §5 step 2: only what survives for certain is looked at. */
static enum drop_reason on_trimmed(struct transport *nic, struct qp *qp,
    const struct packet *packet, enum recv_window_place place, uint64_t now_ns)
{
    uint8_t reason = packet->class == DSCP_TRIMMED ? NACK_TRIMMED : NACK_TRIMMED_LASTHOP;

    nic_count(nic, COUNTER_DATA_TRIMMED);
    if (place == RECV_WINDOW_NEW) {
        if (qp->attributes.trim_nack)
            qp_answer(nic, qp, answer_to(packet, CONTROL_NACK, reason, now_ns));
    } else if (place != RECV_WINDOW_BEYOND) {
        struct packet unmarked = *packet; /* marks on trimmed packets say nothing */

        unmarked.ecn = ECN_NOT_ECT;
        send_sack(nic, qp, &unmarked, now_ns);
    }
    return DROP_TRIMMED;
}

/* §4: not an error of the path; the requester shall wait, but need not be told each time. */
static enum drop_reason on_beyond(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    struct responder *responder = qp->responder;

    if (responder->oor_count++ % nic->config.parameters.oor_nack_every == 0 ||
        now_ns >= responder->oor_nack_ns) {
        qp_answer(nic, qp, answer_to(packet, CONTROL_NACK, NACK_PSN_OOR_WINDOW, now_ns));
        responder->oor_nack_ns = now_ns + qp->cc.base_rtt_ns;
    }
    return DROP_BEYOND_WINDOW;
}

static enum drop_reason on_duplicate(struct transport *nic, struct qp *qp,
    const struct packet *packet, enum recv_window_place place, uint64_t now_ns)
{
    nic_count(nic, COUNTER_DATA_DUPLICATE);
    send_sack(nic, qp, packet, now_ns);
    if (place == RECV_WINDOW_OLD && packet->flags & PACKET_ACK_REQUEST)
        send_ack(nic, qp, packet, now_ns);
    return DROP_DUPLICATE;
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
    uint32_t least_bytes = (uint32_t)nic->config.parameters.sack_min_charge;
    bool asks = packet->flags & PACKET_ACK_REQUEST;
    bool gap_below_request;

    responder->unreported_bytes += nominal_bytes > least_bytes ? nominal_bytes : least_bytes;
    responder->last_psn = packet->psn;
    responder->last_ev = packet->ev;
    responder->last_port = packet->port;
    responder->last_was_again = packet->flags & PACKET_RETRANSMISSION;
    if (!fills_gap)
        responder->highest_requested = asks;
    gap_below_request = responder->highest_requested && fills_gap;
    if (psn_equal(window->cack, window->highest))
        responder->highest_requested = false;
    if (!responder->received_any) {
        responder->received_any = true;
        return true;
    }
    return asks || gap_below_request || packet->flags & PACKET_RETRANSMISSION ||
           packet->ecn == ECN_CE || responder->unreported_bytes >= qp->sack_threshold_bytes;
}

static enum drop_reason on_new(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    struct responder *responder = qp->responder;
    struct recv_window_progress progress;
    bool fills_gap = psn_before(packet->psn, responder->window.highest);
    bool was_reported;
    uint32_t nominal_bytes = packet_nominal_bytes(packet);

    if (!length_fits_opcode(packet, qp->attributes.pmtu_bytes))
        return refuse(nic, qp, packet, ACK_SYNDROME_INVALID_REQUEST, DROP_INVALID_REQUEST, now_ns);
    if (exceeds_write_imm_limit(qp, packet))
        return refuse(
            nic, qp, packet, nic->config.nak_write_imm_limit, DROP_WRITE_IMM_LIMIT, now_ns);
    progress = recv_window_take(&responder->window, packet->psn,
        opcode_ends_message(packet->opcode), packet->flags & PACKET_ACK_REQUEST);
    responder->received_bytes += nominal_bytes;
    nic_count(nic, COUNTER_DATA_RECEIVED);
    if (packet->write.payload.length > 0 &&
        nic->config.memory.place(nic->config.memory.context, qp->qpn, packet->write.rkey,
            packet->write.va, &packet->write.payload) != TRANSPORT_ACCESS_OK)
        return refuse_access(nic, qp, packet, now_ns);
    nic->counters[COUNTER_BYTES_PLACED] += packet->write.payload.length;
    stash_immediate(qp, packet);
    if (!deliver(nic, qp, &progress))
        return refuse_immediate(nic, qp, packet, progress.messages, now_ns);
    was_reported = responder->unreported_bytes == 0;
    if (sack_is_due(nic, qp, packet, nominal_bytes, fills_gap))
        send_sack(nic, qp, packet, now_ns);
    else if (was_reported) /* else its timer runs since the first one not reported */
        qp_arm(nic, qp, now_ns + responder->idle_ns);
    /* Asked for in the middle of a message it would tell nothing new. */
    if (progress.ack_requested && responder->messages_done != responder->messages_acked)
        send_ack(nic, qp, packet, now_ns);
    return DROP_NONE;
}

static void note_arrival(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct responder *responder = qp->responder;

    responder->last_arrival_ns = now_ns;
    responder->heard = true;
    if (responder->reverse_probe_ns == UINT64_MAX)
        responder_begin_probing(nic, qp, now_ns);
}

enum drop_reason responder_on_write(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    struct responder *responder = qp->responder;
    enum recv_window_place place =
        recv_window_place(&responder->window, packet->psn, responder->range_psns);

    if (dscp_is_trimmed((enum dscp_class)packet->class))
        return on_trimmed(nic, qp, packet, place, now_ns);
    if (packet->ecn == ECN_CE)
        nic_count(nic, COUNTER_DATA_MARKED);
    note_arrival(nic, qp, now_ns);
    switch (place) {
    case RECV_WINDOW_NEW:
        return on_new(nic, qp, packet, now_ns);
    case RECV_WINDOW_BEYOND:
        return on_beyond(nic, qp, packet, now_ns);
    default:
        return on_duplicate(nic, qp, packet, place, now_ns);
    }
}

enum drop_reason responder_on_probe(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    struct responder *responder = qp->responder;
    struct control_record answer = { .kind = CONTROL_PROBE_ANSWER,
        .code = packet->ecn == ECN_CE ? SACK_MARK_SKIP_ONCE : SACK_MARK_NONE,
        .entropy = packet->ev,
        .arrival_ns = (uint32_t)now_ns,
        .tx_timestamp = packet->probe.tx_timestamp,
        .probe_id = packet->probe.probe_id,
        .port = packet->port };

    /* Probes of all planes arrive together: that many may. */
    if (!rate_allows(&responder->probe_answers, nic->config.parameters.probe_answer_gap,
            PATH_PLANE_COUNT_MAX, now_ns))
        return DROP_RATE_LIMIT;
    responder->unreported_bytes = 0;
    qp_answer(nic, qp, answer);
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
