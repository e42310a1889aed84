/* SPDX-License-Identifier: Apache-2.0 */
/* Wakes applications: channels, and asynchronous events. */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "host/engine.h"
#include "host/queue.h"

void queue_count_up(int fd)
{
    uint64_t one = 1;

    if (write(fd, &one, sizeof(one)) < 0)
        return;
}

/* ---- channels ---------------------------------------------------------------------------------
 */

int host_channel_create(struct host_nic *nic, struct host_channel **out)
{
    struct host_channel *channel = calloc(1, sizeof(*channel));
    int err;

    if (!channel)
        return -ENOMEM;
    channel->nic = nic;
    channel->fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    if (channel->fd < 0) {
        err = -errno;
        free(channel);
        return err;
    }
    err = engine_own_all(nic);
    if (err) {
        close(channel->fd);
        free(channel);
        return err;
    }
    nic->channel_count++;
    engine_release_all(nic);
    *out = channel;
    return 0;
}

int host_channel_destroy(struct host_channel *channel)
{
    struct host_nic *nic = channel->nic;

    if (engine_own_all(nic) == 0) {
        bool is_used = channel->user_count > 0;

        nic->channel_count -= !is_used;
        engine_release_all(nic);
        if (is_used)
            return -EBUSY;
    }
    close(channel->fd);
    free(channel);
    return 0;
}

int host_channel_fd(const struct host_channel *channel)
{
    return channel->fd;
}

static struct host_cq *take_event(struct host_cq *list, const struct host_channel *channel)
{
    for (struct host_cq *cq = list; cq; cq = cq->next) {
        uint32_t events = atomic_load(&cq->events);

        if (cq->channel == channel && events > 0) {
            atomic_fetch_sub(&cq->events, 1);
            return cq;
        }
    }
    return NULL;
}

int host_channel_next(struct host_channel *channel, struct host_cq **out)
{
    struct host_nic *nic = channel->nic;
    struct host_cq *cq = NULL;
    uint64_t one;
    int err;

    while (!cq) {
        if (read(channel->fd, &one, sizeof(one)) < 0)
            return -errno;
        err = engine_own_all(nic);
        if (err)
            return err;
        cq = take_event(nic->cqs, channel);
        if (!cq)
            cq = take_event(nic->ev_queues, channel);
        engine_release_all(nic);
    }
    *out = cq;
    return 0;
}

/* ---- asynchronous events ----------------------------------------------------------------------
 */

void engine_async(struct engine *engine, const struct host_async *event)
{
    uint32_t slot;

    if (!ring_reserve(&engine->async.ring, &slot)) {
        engine->async.lost++;
        return;
    }
    engine->async.slots[slot] = *event;
    ring_push(&engine->async.ring);
    queue_count_up(engine->nic->async_fd);
}

int host_async_fd(const struct host_nic *nic)
{
    return nic->async_fd;
}

int host_async_next(struct host_nic *nic, struct host_async *out)
{
    uint64_t one;
    uint32_t slot;

    if (read(nic->async_fd, &one, sizeof(one)) < 0)
        return -errno;
    for (uint32_t i = 0; i < nic->engine_count; i++) {
        struct async_queue *queue = &nic->engines[i]->async;

        if (!ring_peek(&queue->ring, &slot))
            continue;
        *out = queue->slots[slot];
        ring_pop(&queue->ring);
        return 0;
    }
    return -EAGAIN;
}
