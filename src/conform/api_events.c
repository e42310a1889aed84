/* SPDX-License-Identifier: Apache-2.0 */
/* Collects asynchronous events. */
#include "conform/api_events.h"

#include <errno.h>
#include <string.h>

/* The call is not noted: if the process hangs, it is not in this one. */
static void *collect_events(void *context)
{
    struct api_events *events = context;
    struct api_side *side = events->side;

    for (;;) {
        struct mrc_async_event event;
        int result = side->run->library->calls.get_async_event(side->mrc, &event);

        pthread_mutex_lock(&events->mutex);
        events->result = result;
        if (result == 0 && events->count < API_EVENTS_MAX)
            events->events[events->count++] = event;
        pthread_mutex_unlock(&events->mutex);
        if (result != 0 && errno != EINTR)
            return NULL;
    }
}

void api_events_start(struct api_events *events, struct api_side *side)
{
    pthread_t thread;

    *events = (struct api_events){ .side = side };
    pthread_mutex_init(&events->mutex, NULL);
    api_run_must(side->run, pthread_create(&thread, NULL, collect_events, events) == 0,
        "no thread can be started");
    pthread_detach(thread);
}

struct mrc_async_event api_events_next(struct api_events *events, const char *cause)
{
    struct api_run *run = events->side->run;
    struct api_wait wait = api_run_wait(run);
    struct mrc_async_event event = { .event_type = IBV_EVENT_DEVICE_FATAL };
    bool has_event = false;

    while (!has_event) {
        pthread_mutex_lock(&events->mutex);
        has_event = events->taken < events->count;
        if (has_event)
            event = events->events[events->taken++];
        pthread_mutex_unlock(&events->mutex);
        api_run_must(run, has_event || events->result == 0, "mrc_get_async_event fails");
        if (!has_event && !api_run_goes_on(&wait))
            api_run_silent(
                run, "no asynchronous event after %lu s: %s", run->patience_ms / 1000, cause);
    }
    return event;
}

struct mrc_async_event api_events_of(
    struct api_events *events, enum ibv_event_type type, const char *cause)
{
    struct mrc_async_event event = api_events_next(events, cause);

    while (event.event_type != type) {
        API(events->side->run, ack_async_event)(&event);
        event = api_events_next(events, cause);
    }
    return event;
}
