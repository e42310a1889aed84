/* SPDX-License-Identifier: Apache-2.0 */
/* How the requester processes a Transport ACK or NAK (docs/protocol.md §6). */
#include "base/serial.h"
#include "transport/feedback.h"
#include "wire/ack.h"

static void complete_messages(struct requester *requester, const struct env *env, uint32_t count)
{
    for (; count > 0; count--) {
        env_add(env, COUNTER_BYTES_ACKNOWLEDGED,
            send_queue_at(&requester->queue, requester->queue.done)->work.length_bytes);
        env_count(env, COUNTER_MESSAGES_SENT);
        send_queue_complete(&requester->queue);
        requester->messages_done = serial24_add(requester->messages_done, 1);
    }
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

/* The message that contains the offending packet fails (§6.4). */
static void on_nak(const struct requester *requester, const struct packet *packet,
    struct requester_decision *decision)
{
    const struct send_queue *queue = &requester->queue;
    const struct send_request *offending = send_queue_find(queue, packet->psn);
    uint32_t place = (uint32_t)(offending - queue->requests);

    decision->failed = queue->done + ((place - queue->done) & (queue->slot_count - 1));
    decision->failure = status_of(packet->ack.syndrome);
}

static struct psn last_psn_of(const struct send_queue *queue, int32_t newly)
{
    return send_queue_last_psn(send_queue_at(queue, queue->done + (uint32_t)newly - 1));
}

/* An ACK must concern packets in flight, and it must not count a message whose packets it does not
 * all acknowledge. A NAK must concern a packet that was sent and a message that is not done, and
 * the messages that it counts must come before. */
static bool is_plausible(
    const struct requester *requester, const struct packet *packet, int32_t newly)
{
    const struct send_queue *queue = &requester->queue;

    if (newly > (int32_t)send_queue_unacknowledged(queue) ||
        psn_distance(packet->psn, requester->window.next) <= 0)
        return false;
    if (ack_is_nak(packet->ack.syndrome))
        return send_queue_find(queue, packet->psn) &&
               (newly <= 0 || psn_before(last_psn_of(queue, newly), packet->psn));
    return feedback_cack_is_plausible(requester, packet->psn) &&
           (newly <= 0 || !psn_before(packet->psn, last_psn_of(queue, newly)));
}

struct requester_decision requester_on_ack(struct requester *requester, const struct env *env,
    const struct packet *packet, uint64_t now_ns)
{
    struct requester_decision decision = { .due_ns = UINT64_MAX, .reason = DROP_FEEDBACK_RANGE };
    int32_t newly = serial24_distance(requester->messages_done, packet->ack.messages_done);
    bool is_nak = ack_is_nak(packet->ack.syndrome);

    if (!is_plausible(requester, packet, newly))
        return decision;
    decision.reason = DROP_NONE;
    env_count(env, COUNTER_ACK_RECEIVED);
    if (!is_nak) { /* all packets of the messages that are done are below */
        feedback_acknowledge_up_to(requester, env, packet->psn, now_ns);
        if (psn_before(requester->newest_cack, packet->psn))
            requester->newest_cack = packet->psn;
    } else if (newly > 0) {
        feedback_acknowledge_up_to(requester, env, last_psn_of(&requester->queue, newly), now_ns);
    }
    feedback_advance(requester, env, now_ns);
    if (newly > 0) {
        complete_messages(requester, env, (uint32_t)newly);
        decision.has_event = true;
        requester->timeouts = 0;
        requester_arm_timeout(requester, env, now_ns);
        requester_arm_tail(requester, env, now_ns);
    }
    if (is_nak)
        on_nak(requester, packet, &decision);
    decision.due_ns = requester_timer_ns(requester);
    return decision;
}
