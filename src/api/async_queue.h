/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous events of one context that wait to be read, and the number of events of an object
 * that a program has not acknowledged. */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "mrc.h"

#define ASYNC_QUEUE_SLOTS 256 /* if all are in use, new events are lost */

struct event_count;

struct async_queue {
    pthread_mutex_t lock;
    int fd; /* eventfd, a semaphore: readable while events wait */
    uint32_t first;
    uint32_t count;
    struct mrc_async_event events[ASYNC_QUEUE_SLOTS];
};

int async_queue_init(struct async_queue *); /* 0 or a negative errno */
void async_queue_fini(struct async_queue *);

void async_queue_push(struct async_queue *, const struct mrc_async_event *);
/* Waits for an event unless the descriptor is non-blocking. Returns 0, -EAGAIN or -EINTR. */
int async_queue_pop(struct async_queue *, struct mrc_async_event *);
/* Discards the events of an object that is destroyed. */
void async_queue_forget(struct async_queue *, const void *object);

/* Received and acknowledged events of any object. One lock protects all of them, because they are
 * rare. */
void async_queue_got(struct event_count *);
void async_queue_acknowledge(struct event_count *, uint32_t event_count);
void async_queue_wait_acknowledged(const struct event_count *);
