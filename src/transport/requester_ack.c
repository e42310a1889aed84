/* SPDX-License-Identifier: Apache-2.0 */
/* What the sending half learns from a Transport ACK or NAK (docs/protocol.md §6). */
#include "base/serial.h"
#include "transport/feedback.h"
#include "transport/nic.h"
#include "wire/ack.h"

static void complete_messages(struct transport *nic, struct qp *qp, uint32_t count)
{
    struct requester *requester = qp->requester;

    for (; count > 0; count--) {
        nic->counters[COUNTER_BYTES_ACKNOWLEDGED] +=
            send_queue_at(&requester->queue, requester->queue.done)->work.length_bytes;
        nic_count(nic, COUNTER_MESSAGES_SENT);
        send_queue_complete(&requester->queue);
        requester->messages_done = serial24_add(requester->messages_done, 1);
    }
    qp_has_event(nic, qp);
}

static enum completion_status status_of(uint8_t syndrome)
{
    switch (syndrome) {
    case ACK_SYNDROME_INVALID_REQUEST:
        return COMPLETION_REMOTE_INVALID_REQUEST;
    case ACK_SYNDROME_REMOTE_ACCESS:
        return COMPLETION_REMOTE_ACCESS;
    default:
        return COMPLETION_REMOTE_OPERATION;
    }
}

/* §6.4: the message with the offending packet fails, or the oldest if it cannot be told. */
static void on_nak(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    const struct send_queue *queue = &qp->requester->queue;
    const struct send_request *offending = send_queue_find(queue, packet->psn);
    uint32_t failed = queue->done;

    if (offending)
        failed += ((uint32_t)(offending - queue->requests) - failed) & (queue->slot_count - 1);
    qp_fail(nic, qp, failed, status_of(packet->ack.syndrome), -1, now_ns);
}

enum drop_reason requester_on_ack(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    int32_t newly = serial24_distance(requester->messages_done, packet->ack.messages_done);
    bool is_nak = ack_is_nak(packet->ack.syndrome);

    if (newly > (int32_t)send_queue_unacknowledged(&requester->queue) ||
        psn_distance(packet->psn, requester->window.next) <= 0)
        return DROP_FEEDBACK_RANGE;
    nic_count(nic, COUNTER_ACK_RECEIVED);
    if (!is_nak && feedback_cack_is_plausible(qp, packet->psn)) {
        feedback_acknowledge_up_to(qp, packet->psn, now_ns);
        feedback_advance(nic, qp, now_ns);
        if (psn_before(requester->newest_cack, packet->psn))
            requester->newest_cack = packet->psn;
    }
    if (newly > 0) {
        /* Executed messages are received messages, whatever the ACK's PSN says. */
        struct psn last = send_queue_last_psn(
            send_queue_at(&requester->queue, requester->queue.done + (uint32_t)newly - 1));

        feedback_acknowledge_up_to(qp, last, now_ns);
        feedback_advance(nic, qp, now_ns);
        complete_messages(nic, qp, (uint32_t)newly);
        requester->timeouts = 0;
        requester_arm_timeout(nic, qp, now_ns);
        requester_arm_tail(nic, qp, now_ns);
    }
    if (is_nak)
        on_nak(nic, qp, packet, now_ns);
    return DROP_NONE;
}
