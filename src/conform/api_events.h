/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous events of an end. mrc_get_async_event() waits, so a thread calls it. */
#pragma once

#include <pthread.h>

#include "conform/api_side.h"

#define API_EVENTS_MAX 64

struct api_events {
    struct api_side *side;
    pthread_mutex_t mutex;
    struct mrc_async_event events[API_EVENTS_MAX];
    uint32_t count;
    uint32_t taken;
    int result; /* of the last call */
};

/* The thread lives as long as the process. */
void api_events_start(struct api_events *, struct api_side *);

/* Waits for the next event; `cause` is what should have caused it. The caller acknowledges it. */
struct mrc_async_event api_events_next(struct api_events *, const char *cause);

/* Waits until an event of this type is there, and acknowledges those before it. */
struct mrc_async_event api_events_of(struct api_events *, enum ibv_event_type, const char *cause);
