/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous events: how programs get and acknowledge them. */
#include <errno.h>

#include "api/api_objects.h"
#include "api/error.h"

/* Returns the counters of the object of an event, NULL if it has none. */
static struct event_count *count_of(const struct mrc_async_event *event)
{
    switch (event->event_type) {
    case IBV_EVENT_CQ_ERR:
        return &event->element.cq->async_events;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
        return &event->element.qp->async_events;
    default:
        return NULL;
    }
}

int mrc_private_get_async_event(struct mrc_context *context, struct mrc_async_event *event)
{
    int err = async_queue_pop(&context->async, event);

    if (!err && count_of(event))
        async_queue_got(count_of(event));
    return err;
}

/* Claims the NIC, because its events come from it. */
int mrc_get_async_event(struct mrc_context *mrc_ctx, struct mrc_async_event *event)
{
    struct host_nic *nic;
    int err;

    if (!mrc_ctx || !event)
        return error_minus_one(-EINVAL);
    err = device_claim(mrc_ctx->device, &nic);
    return error_minus_one(err ? err : mrc_private_get_async_event(mrc_ctx, event));
}

void mrc_ack_async_event(struct mrc_async_event *event)
{
    if (event && count_of(event))
        async_queue_acknowledge(count_of(event), 1);
}

int mrc_private_async_fd(struct mrc_context *context)
{
    return context->async.fd;
}
