/* SPDX-License-Identifier: Apache-2.0 */
/* Completion and EV queues, channels, asynchronous events. */
#include "host/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/power.h"
#include "host/engine.h"

/* ---- the engine's side ------------------------------------------------------------------------
 */

static void count_up(int fd)
{
    uint64_t one = 1;

    if (write(fd, &one, sizeof(one)) < 0)
        return;
}

static void signal_reader(struct host_cq *cq, bool solicited)
{
    uint32_t armed = atomic_load(&cq->armed);

    if (armed == QUEUE_NOT_ARMED || (armed == QUEUE_ARMED_SOLICITED && !solicited))
        return;
    atomic_store(&cq->armed, QUEUE_NOT_ARMED);
    atomic_fetch_add(&cq->events, 1);
    if (cq->channel)
        count_up(cq->channel->fd);
}

void queue_push_completion(
    struct host_cq *cq, const struct host_completion *completion, bool solicited)
{
    uint32_t slot;

    if (!ring_reserve(&cq->ring, &slot)) {
        if (!atomic_exchange(&cq->is_overrun, true))
            engine_async(
                cq->nic, &(struct host_async){ .kind = HOST_ASYNC_CQ_ERROR, .user = cq->user });
        return;
    }
    cq->completions[slot] = *completion;
    ring_push(&cq->ring);
    signal_reader(cq, solicited || completion->status != COMPLETION_SUCCESS);
}

void queue_push_ev_event(struct host_cq *cq, const struct host_ev_event *event)
{
    uint32_t slot;

    if (!ring_reserve(&cq->ring, &slot)) {
        cq->lost++;
        return;
    }
    cq->ev_events[slot] = *event;
    cq->ev_events[slot].lost_before = cq->lost;
    cq->lost = 0;
    ring_push(&cq->ring);
    signal_reader(cq, true);
}

void engine_async(struct host_nic *nic, const struct host_async *event)
{
    uint32_t slot;

    if (!ring_reserve(&nic->async.ring, &slot)) {
        nic->async_lost++;
        return;
    }
    nic->async.slots[slot] = *event;
    ring_push(&nic->async.ring);
    count_up(nic->async.fd);
}

/* ---- queues -----------------------------------------------------------------------------------
 */

static int create(struct host_nic *nic, const struct host_cq *like, struct host_cq **out)
{
    uint32_t slot_count = power_of_two_at_least(like->depth ? like->depth : 1);
    size_t entry_bytes = like->is_ev_queue ? sizeof(*like->ev_events) : sizeof(*like->completions);
    struct host_cq *cq = aligned_alloc(64, (sizeof(*cq) + 63) / 64 * 64);
    struct host_cq **list;
    int err = -ENOMEM;

    if (!cq)
        return -ENOMEM;
    *cq = *like;
    cq->completions = calloc(slot_count, entry_bytes);
    if (!cq->completions)
        goto free_queue;
    cq->nic = nic;
    cq->depth = slot_count;
    ring_init(&cq->ring, slot_count);
    err = engine_own(nic);
    if (err)
        goto free_entries;
    list = cq->is_ev_queue ? &nic->ev_queues : &nic->cqs;
    cq->next = *list;
    *list = cq;
    nic->queue_count++;
    if (cq->channel)
        cq->channel->user_count++;
    engine_release(nic);
    *out = cq;
    return 0;

free_entries:
    free(cq->completions);
free_queue:
    free(cq);
    return err;
}

int host_cq_create(struct host_nic *nic, uint32_t depth, struct host_channel *channel, void *user,
    struct host_cq **out)
{
    return create(nic, &(struct host_cq){ .depth = depth, .channel = channel, .user = user }, out);
}

int host_ev_queue_create(struct host_nic *nic, uint32_t depth, struct host_channel *channel,
    void *user, struct host_cq **out)
{
    return create(nic,
        &(struct host_cq){ .depth = depth, .channel = channel, .user = user, .is_ev_queue = true },
        out);
}

static void unlink_queue(struct host_cq **list, const struct host_cq *cq)
{
    while (*list != cq)
        list = &(*list)->next;
    *list = cq->next;
}

int host_cq_destroy(struct host_cq *cq)
{
    struct host_nic *nic = cq->nic;
    int err = engine_own(nic);

    if (!err) {
        if (cq->user_count > 0) {
            engine_release(nic);
            return -EBUSY;
        }
        unlink_queue(cq->is_ev_queue ? &nic->ev_queues : &nic->cqs, cq);
        nic->queue_count--;
        if (cq->channel)
            cq->channel->user_count--;
        engine_release(nic);
    }
    free(cq->completions);
    free(cq);
    return 0;
}

uint32_t host_cq_depth(const struct host_cq *cq)
{
    return cq->depth;
}

void *host_cq_user(const struct host_cq *cq)
{
    return cq->user;
}

struct host_nic *host_cq_nic(const struct host_cq *cq)
{
    return cq->nic;
}

static uint32_t pop_completions(struct host_cq *cq, struct host_completion *out, uint32_t max)
{
    uint32_t count = 0;
    uint32_t slot;

    while (count < max && ring_peek(&cq->ring, &slot)) {
        out[count++] = cq->completions[slot];
        ring_pop(&cq->ring);
    }
    return count;
}

int host_cq_poll(struct host_cq *cq, struct host_completion *out, uint32_t max)
{
    uint32_t count = pop_completions(cq, out, max);

    if (count == 0) {
        host_progress(cq->nic);
        count = pop_completions(cq, out, max);
    }
    if (count > 0)
        return (int)count;
    if (atomic_load_explicit(&cq->nic->is_dead, memory_order_relaxed))
        return -ENODEV;
    return atomic_load_explicit(&cq->is_overrun, memory_order_relaxed) ? -EIO : 0;
}

int host_ev_queue_poll(struct host_cq *cq, struct host_ev_event *out, uint32_t max)
{
    uint32_t count = 0;
    uint32_t slot;

    if (!ring_peek(&cq->ring, &slot))
        host_progress(cq->nic);
    while (count < max && ring_peek(&cq->ring, &slot)) {
        out[count++] = cq->ev_events[slot];
        ring_pop(&cq->ring);
    }
    return (int)count;
}

int host_cq_arm(struct host_cq *cq, bool solicited_only)
{
    if (atomic_load_explicit(&cq->nic->is_dead, memory_order_relaxed))
        return -ENODEV;
    if (atomic_load(&cq->armed) != QUEUE_ARMED)
        atomic_store(&cq->armed, solicited_only ? QUEUE_ARMED_SOLICITED : QUEUE_ARMED);
    if (atomic_load(&cq->nic->progress_state) == PROGRESS_WATCHING)
        progress_wake(cq->nic);
    return 0;
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
    err = engine_own(nic);
    if (err) {
        close(channel->fd);
        free(channel);
        return err;
    }
    nic->channel_count++;
    engine_release(nic);
    *out = channel;
    return 0;
}

int host_channel_destroy(struct host_channel *channel)
{
    struct host_nic *nic = channel->nic;

    if (engine_own(nic) == 0) {
        bool is_used = channel->user_count > 0;

        nic->channel_count -= !is_used;
        engine_release(nic);
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
        err = engine_own(nic);
        if (err)
            return err;
        cq = take_event(nic->cqs, channel);
        if (!cq)
            cq = take_event(nic->ev_queues, channel);
        engine_release(nic);
    }
    *out = cq;
    return 0;
}

/* ---- asynchronous events ----------------------------------------------------------------------
 */

int host_async_fd(const struct host_nic *nic)
{
    return nic->async.fd;
}

int host_async_next(struct host_nic *nic, struct host_async *out)
{
    uint64_t one;
    uint32_t slot;

    if (read(nic->async.fd, &one, sizeof(one)) < 0)
        return -errno;
    if (!ring_peek(&nic->async.ring, &slot))
        return -EAGAIN;
    *out = nic->async.slots[slot];
    ring_pop(&nic->async.ring);
    return 0;
}
