/* SPDX-License-Identifier: Apache-2.0 */
/* What the receiving half answers to a packet: that it came, that it did not get through, or that
 * it must not (docs/protocol.md §4, §6, §8). */
#include "transport/responder_answer.h"

#include "base/serial.h"

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

void responder_answer_sack(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    uint8_t mark = responder_answer_mark(nic, packet);

    qp->responder->unreported_bytes = 0;
    nic_answer(nic, qp, answer_to(packet, CONTROL_SACK, mark, now_ns));
}

void responder_answer_ack(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    qp->responder->messages_acked = qp->responder->messages_done;
    nic_answer(nic, qp, answer_to(packet, CONTROL_ACK, ACK_SYNDROME_ACK, now_ns));
}

enum drop_reason responder_answer_nak(struct transport *nic, struct qp *qp,
    const struct packet *packet, uint8_t syndrome, enum drop_reason reason, uint64_t now_ns)
{
    enum transport_event_kind async =
        syndrome == ACK_SYNDROME_INVALID_REQUEST ? TRANSPORT_QP_REQUEST_ERROR
        : syndrome == ACK_SYNDROME_REMOTE_ACCESS ? TRANSPORT_QP_ACCESS_ERROR
                                                 : TRANSPORT_QP_FATAL;

    nic_answer(nic, qp, answer_to(packet, CONTROL_NAK, syndrome, now_ns));
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

/* §8: nothing that the requester did or could do better. */
static enum drop_reason fail_internally(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    nic_answer(nic, qp, answer_to(packet, CONTROL_NACK, NACK_UNEXP_EVENT, now_ns));
    qp_fail(nic, qp, qp->requester ? qp->requester->queue.done : 0, COMPLETION_FLUSHED,
        TRANSPORT_QP_FATAL, now_ns);
    return DROP_MEMORY_FAILED;
}

enum drop_reason responder_answer_access(struct transport *nic, struct qp *qp,
    const struct packet *packet, enum transport_access access, uint64_t now_ns)
{
    take_back(qp->responder, packet->psn);
    if (access == TRANSPORT_ACCESS_FAILED)
        return fail_internally(nic, qp, packet, now_ns);
    return responder_answer_nak(
        nic, qp, packet, ACK_SYNDROME_REMOTE_ACCESS, DROP_REMOTE_ACCESS, now_ns);
}

/* The next WriteImm, one of `messages` just received, finds no receive request: neither it nor what
 * is behind it counts as executed (§6.4). */
enum drop_reason responder_answer_no_receive(struct transport *nic, struct qp *qp,
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
    return responder_answer_nak(
        nic, qp, &offending, ACK_SYNDROME_REMOTE_OPERATION, DROP_NONE, now_ns);
}

/* §5 step 2: only what survives for certain is looked at. */
enum drop_reason responder_answer_trimmed(struct transport *nic, struct qp *qp,
    const struct packet *packet, enum recv_window_place place, uint64_t now_ns)
{
    uint8_t reason = packet->class == DSCP_TRIMMED ? NACK_TRIMMED : NACK_TRIMMED_LASTHOP;

    nic_count(nic, COUNTER_DATA_TRIMMED);
    if (place == RECV_WINDOW_NEW) {
        if (qp->attributes.trim_nack)
            nic_answer(nic, qp, answer_to(packet, CONTROL_NACK, reason, now_ns));
    } else if (place != RECV_WINDOW_BEYOND) {
        struct packet unmarked = *packet; /* marks on trimmed packets say nothing */

        unmarked.ecn = ECN_NOT_ECT;
        responder_answer_sack(nic, qp, &unmarked, now_ns);
    }
    return DROP_TRIMMED;
}

/* §4: not an error of the path; the requester shall wait, but need not be told each time. Within
 * what the attributes promise, it is the pool that is short (§4.1). */
enum drop_reason responder_answer_beyond(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    struct responder *responder = qp->responder;
    bool is_promised = recv_window_place(&responder->window, packet->psn,
                           responder_full_range_psns(qp)) == RECV_WINDOW_NEW;

    if (is_promised)
        nic_count(nic, COUNTER_NO_BITMAP);
    if (responder->oor_count++ % nic->parameters->oor_nack_every == 0 ||
        now_ns >= responder->oor_nack_ns) {
        nic_answer(nic, qp,
            answer_to(
                packet, CONTROL_NACK, is_promised ? NACK_NO_BITMAP : NACK_PSN_OOR_WINDOW, now_ns));
        responder->oor_nack_ns = now_ns + qp->cc.base_rtt_ns;
    }
    return DROP_BEYOND_WINDOW;
}

enum drop_reason responder_answer_duplicate(struct transport *nic, struct qp *qp,
    const struct packet *packet, enum recv_window_place place, uint64_t now_ns)
{
    nic_count(nic, COUNTER_DATA_DUPLICATE);
    responder_answer_sack(nic, qp, packet, now_ns);
    if (place == RECV_WINDOW_OLD && packet->flags & PACKET_ACK_REQUEST)
        responder_answer_ack(nic, qp, packet, now_ns);
    return DROP_DUPLICATE;
}

/* §8: before anything is recorded of the packet, so that it can come again. */
enum drop_reason responder_answer_no_room(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    nic_answer(nic, qp, answer_to(packet, CONTROL_NACK, NACK_NO_PKT_BUFFER, now_ns));
    return DROP_NO_BUFFER;
}
