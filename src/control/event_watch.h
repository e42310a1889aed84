/* SPDX-License-Identifier: Apache-2.0 */
/* Events of running NICs, one line each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/device_list.h"

#define EVENT_WATCH_MAX        64
#define EVENT_WATCH_LINE_BYTES 1024

struct event_source {
    char device[DEVICE_LIST_NAME_BYTES];
    int sock;
    char line[EVENT_WATCH_LINE_BYTES];
    size_t length;
};

struct event_watch {
    struct event_source sources[EVENT_WATCH_MAX];
    uint32_t count;
    /* Takes an event, which is JSON on one line. Returns false to stop. */
    bool (*on_event)(void *context, const char *line);
    void *context;
    bool is_over; /* on_event() returned false */
};

/* Follows the process that has the device open, if there is one and it is not followed yet. With
 * `all`, also reports EVs that are skipped for a while and return. */
void event_watch_follow(struct event_watch *, const char *device, bool all);

/* Waits for events for at most `timeout_ms` and passes them on. Stops following a device that was
 * closed. */
void event_watch_wait(struct event_watch *, int timeout_ms);
