/* SPDX-License-Identifier: Apache-2.0 */
/* Completion channels. Programs wait on an epoll descriptor, because there are two kinds of events:
 * completions, from the NIC's own channel, and EV events, from the device's folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "api/channel.h"
#include "api/error.h"

int mrc_create_comp_channel(struct mrc_context *mrc_ctx, struct mrc_comp_channel **channel)
{
    struct mrc_comp_channel *made;

    if (!mrc_ctx || !channel)
        return error_minus_one(-EINVAL);
    made = calloc(1, sizeof(*made));
    if (!made)
        return error_minus_one(-ENOMEM);
    made->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (made->epoll_fd < 0) {
        int err = -errno;

        free(made);
        return error_minus_one(err);
    }
    made->context = mrc_ctx;
    atomic_fetch_add(&mrc_ctx->child_count, 1);
    *channel = made;
    return 0;
}

int mrc_get_comp_channel_fd(struct mrc_comp_channel *channel, int *fd)
{
    if (!channel || !fd)
        return error_minus_one(-EINVAL);
    *fd = channel->epoll_fd;
    return 0;
}

int mrc_destroy_comp_channel(struct mrc_comp_channel *channel)
{
    int err = 0;

    if (!channel)
        return error_number(-EINVAL);
    if (atomic_load(&channel->cq_count))
        return error_number(-EBUSY);
    if (channel->host)
        err = host_channel_destroy(channel->host);
    if (err)
        return error_number(err);
    close(channel->epoll_fd);
    atomic_fetch_sub(&channel->context->child_count, 1);
    free(channel);
    return 0;
}

/* The NIC's channel is non-blocking: mrc_get_cq_event() waits, for all kinds of events. */
static int connect_host(struct mrc_comp_channel *channel, struct host_nic *nic)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = channel };
    struct host_channel *host;
    int err = host_channel_create(nic, &host);
    int flags;

    if (err)
        return err;
    flags = fcntl(host_channel_fd(host), F_GETFL);
    if (flags < 0 || fcntl(host_channel_fd(host), F_SETFL, flags | O_NONBLOCK) < 0 ||
        epoll_ctl(channel->epoll_fd, EPOLL_CTL_ADD, host_channel_fd(host), &event) != 0) {
        err = -errno;
        host_channel_destroy(host);
        return err;
    }
    channel->host = host;
    return 0;
}

int channel_host(struct mrc_comp_channel *channel, struct host_nic *nic, struct host_channel **out)
{
    int err = 0;

    pthread_mutex_lock(&channel->context->device->mutex);
    if (!channel->host)
        err = connect_host(channel, nic);
    *out = channel->host;
    pthread_mutex_unlock(&channel->context->device->mutex);
    return err;
}

/* Each arming reports one ring of the bell, so that the descriptor is readable only for events that
 * were requested. */
int channel_add_bell(struct mrc_comp_channel *channel, struct mrc_cq *cq)
{
    struct epoll_event event = { .events = 0, .data.ptr = cq };

    return epoll_ctl(channel->epoll_fd, EPOLL_CTL_ADD, cq->bell_fd, &event) == 0 ? 0 : -errno;
}

static void drain_bell(int bell_fd)
{
    char bytes[1024];

    while (read(bell_fd, bytes, sizeof(bytes)) > 0)
        ;
}

int channel_arm_bell(struct mrc_comp_channel *channel, struct mrc_cq *cq)
{
    struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT, .data.ptr = cq };

    drain_bell(cq->bell_fd);
    return epoll_ctl(channel->epoll_fd, EPOLL_CTL_MOD, cq->bell_fd, &event) == 0 ? 0 : -errno;
}

static int take_event(struct mrc_comp_channel *channel, void *source, struct mrc_cq **cq)
{
    struct host_cq *host;
    int err;

    if (source != channel) {
        *cq = source;
        return 0;
    }
    err = host_channel_next(channel->host, &host);
    if (!err)
        *cq = host_cq_user(host);
    return err;
}

int mrc_get_cq_event(struct mrc_comp_channel *channel, struct mrc_cq **cq, void **cq_context)
{
    struct epoll_event event;
    int flags;
    int err;

    if (!channel || !cq || !cq_context)
        return error_minus_one(-EINVAL);
    flags = fcntl(channel->epoll_fd, F_GETFL);
    do {
        int count = epoll_wait(channel->epoll_fd, &event, 1, flags & O_NONBLOCK ? 0 : -1);

        if (count < 0)
            return error_minus_one(-errno);
        if (count == 0)
            return error_minus_one(-EAGAIN);
        err = take_event(channel, event.data.ptr, cq);
    } while (err == -EAGAIN);
    if (err)
        return error_minus_one(err);
    *cq_context = (*cq)->user_context;
    async_queue_got(&(*cq)->comp_events);
    return 0;
}

void mrc_ack_cq_events(struct mrc_cq *cq, unsigned int nevents)
{
    if (cq)
        async_queue_acknowledge(&cq->comp_events, nevents);
}
