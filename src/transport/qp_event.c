/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a QP for the application, and its failure (docs/protocol.md §6, §22). */
#include "transport/nic.h"

void qp_fail(struct transport *nic, struct qp *qp, uint32_t failed, enum completion_status status,
    int async, uint64_t now_ns)
{
    if (qp->env.attributes.state == QP_ERR)
        return;
    nic_trace(nic, EVENT_QP_STATE, qp->env.qpn, now_ns, qp->env.attributes.state, QP_ERR, status);
    nic_count(nic, COUNTER_QP_ERRORS);
    if (qp->env.peer)
        peer_retire(nic, qp);
    qp->env.attributes.state = QP_ERR;
    qp_close_range(nic, qp);
    qp->has_received = true;
    qp->failed = failed;
    qp->failure = (uint8_t)status;
    if (async >= 0)
        qp->async = (uint8_t)(async + 1);
    qp_has_event(nic, qp);
}

/* The first error completes the request that caused it; all others are flushed, in order (§22). */
static void fill_send_event(const struct qp *qp, uint32_t position, struct transport_event *out)
{
    const struct send_request *request = send_queue_at(&qp->requester->queue, position);
    bool is_done = (int32_t)(qp->requester->queue.done - position) > 0;

    *out = (struct transport_event){ .kind = TRANSPORT_SEND_DONE,
        .qpn = qp->env.qpn,
        .owner = qp->env.owner,
        .id = request->work.id,
        .length_bytes = request->work.length_bytes,
        .status = is_done                  ? COMPLETION_SUCCESS
                  : position == qp->failed ? (enum completion_status)qp->failure
                                           : COMPLETION_FLUSHED };
}

static bool next_send_event(struct qp *qp, struct transport_event *out)
{
    struct send_queue *queue = &qp->requester->queue;
    uint32_t end = qp->env.attributes.state == QP_ERR ? queue->posted : queue->done;

    while (queue->reported != end) {
        uint32_t position = queue->reported++;

        fill_send_event(qp, position, out);
        if (out->status != COMPLETION_SUCCESS || qp->env.signal_all ||
            send_queue_at(queue, position)->work.flags & WORK_SIGNALED)
            return true;
    }
    return false;
}

static bool next_recv_event(struct qp *qp, struct transport_event *out)
{
    struct recv_queue *queue = &qp->responder->queue;
    uint32_t end = qp->env.attributes.state == QP_ERR ? queue->posted : queue->done;
    const struct recv_request *request;

    if (queue->reported == end)
        return false;
    request = recv_queue_at(queue, queue->reported);
    *out = (struct transport_event){ .kind = TRANSPORT_RECV_DONE,
        .qpn = qp->env.qpn,
        .owner = qp->env.owner,
        .id = request->id,
        .immediate = request->immediate,
        .length_bytes = request->length_bytes,
        .solicited = request->solicited,
        .status = (int32_t)(queue->done - queue->reported) > 0 ? COMPLETION_SUCCESS
                                                               : COMPLETION_FLUSHED };
    queue->reported++;
    return true;
}

bool qp_next_event(struct qp *qp, struct transport_event *out)
{
    if (qp->requester && next_send_event(qp, out))
        return true;
    if (qp->has_received && qp->responder && next_recv_event(qp, out))
        return true;
    qp->has_received = false;
    if (qp->async) {
        *out = (struct transport_event){ .kind = (enum transport_event_kind)(qp->async - 1),
            .qpn = qp->env.qpn,
            .owner = qp->env.owner };
        qp->async = 0;
        return true;
    }
    return false;
}
