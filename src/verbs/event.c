/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous events. */
#include <errno.h>
#include <stdbool.h>

#include "verbs/objects.h"

/* The single port of verbs stands for the device: a plane that fails or returns is not reported
 * while another plane is up. */
static bool port_changed(struct verbs_device_context *own, const struct mrc_async_event *event)
{
    bool is_down = event->event_type == IBV_EVENT_PORT_ERR;
    struct mrc_private_port all;

    if (mrc_private_port(own->device, 0, &all) != 0 || !all.is_up != is_down)
        return false;
    return atomic_exchange(&own->is_down, is_down) != is_down;
}

/* Returns false if verbs have no such event. */
static bool translate_event(struct verbs_device_context *own, const struct mrc_async_event *from,
    struct ibv_async_event *event)
{
    *event = (struct ibv_async_event){ .event_type = from->event_type };
    switch (from->event_type) {
    case IBV_EVENT_CQ_ERR:
        event->element.cq = objects_ibv_cq(mrc_private_cq_user(from->element.cq));
        return true;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
        event->element.qp = mrc_private_qp_user(from->element.qp);
        event->element.qp->state = IBV_QPS_ERR;
        return true;
    case IBV_EVENT_PORT_ACTIVE:
    case IBV_EVENT_PORT_ERR:
        event->element.port_num = 1;
        return port_changed(own, from);
    default:
        return true;
    }
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
    struct verbs_device_context *own = verbs_device_context(context);
    struct mrc_async_event from;

    do {
        int err = mrc_private_get_async_event(own->mrc, &from);

        if (err) {
            errno = -err;
            return -1;
        }
    } while (!translate_event(own, &from, event));
    return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
    struct mrc_async_event to = { .event_type = event->event_type };

    switch (event->event_type) {
    case IBV_EVENT_CQ_ERR:
        to.element.cq = objects_cq(event->element.cq)->mrc;
        break;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
        to.element.qp = objects_qp(event->element.qp)->mrc;
        break;
    default:
        return;
    }
    mrc_ack_async_event(&to);
}
