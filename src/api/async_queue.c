/* SPDX-License-Identifier: Apache-2.0 */
/* A short queue with an eventfd, and the wait for acknowledgements. */
#include "api/async_queue.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "api/api_objects.h"

static pthread_mutex_t acknowledge_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t acknowledged = PTHREAD_COND_INITIALIZER;

int async_queue_init(struct async_queue *queue)
{
    queue->fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    if (queue->fd < 0)
        return -errno;
    pthread_mutex_init(&queue->lock, NULL);
    queue->first = 0;
    queue->count = 0;
    return 0;
}

void async_queue_fini(struct async_queue *queue)
{
    close(queue->fd);
    pthread_mutex_destroy(&queue->lock);
}

void async_queue_push(struct async_queue *queue, const struct mrc_async_event *event)
{
    const uint64_t one = 1;

    pthread_mutex_lock(&queue->lock);
    if (queue->count < ASYNC_QUEUE_SLOTS && write(queue->fd, &one, sizeof(one)) == sizeof(one)) {
        queue->events[(queue->first + queue->count) % ASYNC_QUEUE_SLOTS] = *event;
        queue->count++;
    }
    pthread_mutex_unlock(&queue->lock);
}

/* The eventfd may count more events than there are, after async_queue_forget(). */
static bool take_first(struct async_queue *queue, struct mrc_async_event *event)
{
    bool is_there;

    pthread_mutex_lock(&queue->lock);
    is_there = queue->count > 0;
    if (is_there) {
        *event = queue->events[queue->first];
        queue->first = (queue->first + 1) % ASYNC_QUEUE_SLOTS;
        queue->count--;
    }
    pthread_mutex_unlock(&queue->lock);
    return is_there;
}

int async_queue_pop(struct async_queue *queue, struct mrc_async_event *event)
{
    uint64_t one;

    do {
        if (read(queue->fd, &one, sizeof(one)) != sizeof(one))
            return -errno;
    } while (!take_first(queue, event));
    return 0;
}

void async_queue_forget(struct async_queue *queue, const void *object)
{
    uint32_t kept = 0;

    pthread_mutex_lock(&queue->lock);
    for (uint32_t i = 0; i < queue->count; i++) {
        struct mrc_async_event event = queue->events[(queue->first + i) % ASYNC_QUEUE_SLOTS];

        if ((const void *)event.element.cq != object)
            queue->events[(queue->first + kept++) % ASYNC_QUEUE_SLOTS] = event;
    }
    queue->count = kept;
    pthread_mutex_unlock(&queue->lock);
}

void async_queue_got(struct event_count *count)
{
    pthread_mutex_lock(&acknowledge_lock);
    count->got++;
    pthread_mutex_unlock(&acknowledge_lock);
}

void async_queue_acknowledge(struct event_count *count, uint32_t event_count)
{
    pthread_mutex_lock(&acknowledge_lock);
    count->acknowledged += event_count;
    pthread_cond_broadcast(&acknowledged);
    pthread_mutex_unlock(&acknowledge_lock);
}

void async_queue_wait_acknowledged(const struct event_count *count)
{
    pthread_mutex_lock(&acknowledge_lock);
    while ((int32_t)(count->got - count->acknowledged) > 0)
        pthread_cond_wait(&acknowledged, &acknowledge_lock);
    pthread_mutex_unlock(&acknowledge_lock);
}
