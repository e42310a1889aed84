/* SPDX-License-Identifier: Apache-2.0 */
/* Events of running NICs, line by line as they are told. */
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
    /* An event is JSON on one line; false: there is no point in going on. */
    bool (*on_event)(void *context, const char *line);
    void *context;
    bool is_over; /* on_event() said so */
};

/* Follows the process that has the device open, if there is one and it is not followed yet. `all`:
 * also EVs that are skipped for a while and return. */
void event_watch_follow(struct event_watch *, const char *device, bool all);

/* Waits for events, at most so long, and hands them on. A device that was closed is forgotten. */
void event_watch_wait(struct event_watch *, int timeout_ms);
