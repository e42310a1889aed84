/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the events of the transport to the application. */
#include "host/engine.h"
#include "host/ev_profile.h"
#include "host/queue.h"

static void report_send(
    struct engine *engine, struct host_qp *qp, const struct transport_event *event)
{
    uint32_t position = (uint32_t)event->id;
    const struct qp_send_slot *slot = &qp->send.slots[position & qp->send.mask];
    struct host_completion completion = { .id = slot->id,
        .qp_user = qp->config.user,
        .qpn = qp->qpn,
        .status = slot->is_faulty ? COMPLETION_LOCAL_PROTECTION : event->status,
        .length_bytes = event->length_bytes };

    /* Free the slot first: the application may repost as soon as it polls. */
    atomic_store_explicit(&qp->send.completed, position + 1, memory_order_release);
    queue_push_completion(engine, qp->config.send_cq, &completion, false);
}

static void report_receive(
    struct engine *engine, struct host_qp *qp, const struct transport_event *event)
{
    uint32_t completed = atomic_load_explicit(&qp->recv.completed, memory_order_relaxed);

    atomic_store_explicit(&qp->recv.completed, completed + 1, memory_order_release);
    queue_push_completion(engine, qp->config.recv_cq,
        &(struct host_completion){ .id = event->id,
            .qp_user = qp->config.user,
            .qpn = qp->qpn,
            .status = event->status,
            .length_bytes = event->length_bytes,
            .immediate = event->immediate,
            .is_recv = true },
        event->solicited);
}

static void report_ev(
    struct engine *engine, const struct host_qp *qp, const struct transport_event *event)
{
    const struct host_ev_profile *profile = qp->config.ev_profile;
    const struct path_change *change = &event->change;
    struct host_ev_event out = { .profile_id = profile->id,
        .qpn = qp->qpn,
        .ev = profile->entries[change->ev_index].ev,
        .index = profile->theirs[change->ev_index],
        .plane = profile->entries[change->ev_index].plane,
        .from = change->from,
        .to = change->to,
        .cause = change->cause };

    if (!(profile->event_mask >> change->to & 1))
        return;
    for (struct host_cq *queue = engine->nic->ev_queues; queue; queue = queue->next)
        queue_push_ev_event(engine, queue, &out);
}

static void report_async(struct engine *engine, enum host_async_kind kind, const struct host_qp *qp,
    const struct transport_event *event)
{
    engine_async(engine, &(struct host_async){ .kind = kind,
                             .user = qp ? qp->config.user : NULL,
                             .qpn = event->qpn,
                             .port = event->port });
}

/* All engines have the same ports: only engine 0 reports them. */
static void report_port(struct engine *engine, const struct transport_event *event)
{
    bool up = event->kind == TRANSPORT_PORT_UP;

    if (engine->index > 0)
        return;
    status_on_port(engine, event->port, up ? STATUS_USABLE : STATUS_UNUSABLE, host_now_ns());
    report_async(engine, up ? HOST_ASYNC_PORT_UP : HOST_ASYNC_PORT_DOWN, NULL, event);
}

static void report_answer(struct engine *engine, const struct transport_event *event)
{
    if (engine->nic->answer_tail - engine->nic->answer_head == ENGINE_PROBES)
        engine->nic->answer_head++; /* the oldest was not fetched */
    engine->nic->answers[engine->nic->answer_tail++ % ENGINE_PROBES] = (struct host_probe_answer){
        .request_id = (uint16_t)event->request_id, .port = event->port, .rtt_ns = event->rtt_ns
    };
}

static void report_event(
    struct engine *engine, struct host_qp *qp, const struct transport_event *event)
{
    switch (event->kind) {
    case TRANSPORT_SEND_DONE:
        report_send(engine, qp, event);
        break;
    case TRANSPORT_RECV_DONE:
        report_receive(engine, qp, event);
        break;
    case TRANSPORT_QP_REQUEST_ERROR:
        report_async(engine, HOST_ASYNC_QP_REQUEST_ERROR, qp, event);
        break;
    case TRANSPORT_QP_ACCESS_ERROR:
        report_async(engine, HOST_ASYNC_QP_ACCESS_ERROR, qp, event);
        break;
    case TRANSPORT_QP_FATAL:
        report_async(engine, HOST_ASYNC_QP_FATAL, qp, event);
        break;
    case TRANSPORT_PORT_UP:
    case TRANSPORT_PORT_DOWN:
        report_port(engine, event);
        break;
    case TRANSPORT_EV_CHANGED:
        report_ev(engine, qp, event);
        break;
    case TRANSPORT_ENDPOINT_ANSWER:
        report_answer(engine, event);
        break;
    }
}

static bool needs_qp(enum transport_event_kind kind)
{
    return kind != TRANSPORT_PORT_UP && kind != TRANSPORT_PORT_DOWN &&
           kind != TRANSPORT_ENDPOINT_ANSWER;
}

static uint32_t report_each(
    struct engine *engine, bool (*next)(struct transport *, struct transport_event *))
{
    struct transport_event event;
    uint32_t count = 0;

    for (; next(engine->transport, &event); count++) {
        if (event.owner || !needs_qp(event.kind)) /* EV events may outlive their QP */
            report_event(engine, event.owner, &event);
    }
    return count;
}

uint32_t engine_report(struct engine *engine)
{
    return report_each(engine, transport_next_answered_event);
}

uint32_t engine_report_all(struct engine *engine)
{
    return report_each(engine, transport_next_event);
}
