/* SPDX-License-Identifier: Apache-2.0 */
/* EV events of a device: written by the process that has its QPs, read by any number of others.
 *
 * The ring lies in the mapped file `events` and keeps the last EVENT_RING_SLOTS events. A reader
 * has a position of its own; what the ring has overwritten before the reader came is lost for this
 * reader, and counted. After each batch the writer touches `events.bell`, which readers can watch
 * with inotify. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/folder.h"
#include "mrc_ctl.h"

#define EVENT_RING_SLOTS 4096

struct event_ring_event {
    uint64_t profile_id;
    struct mrc_ctl_ev ev;
    uint32_t state; /* enum mrc_ctl_ev_state */
};

struct event_ring {
    struct event_ring_map *map;
    int bell_fd;
};

/* 0 or a negative errno. The files are made if they are not there. */
int event_ring_open(struct event_ring *, const struct folder *);
void event_ring_close(struct event_ring *);

/* One writer at a time: the device's owner. */
void event_ring_push(struct event_ring *, const struct event_ring_event *);
void event_ring_touch_bell(struct event_ring *);

/* Where a reader that comes now begins. */
uint64_t event_ring_end(const struct event_ring *);

/* The event at *position, or the oldest one kept of the last `depth`; *lost is how many were
 * skipped. False: no event yet, *lost says what is gone all the same. */
bool event_ring_next(const struct event_ring *, uint64_t *position, uint32_t depth,
    struct event_ring_event *, uint64_t *lost);

/* A descriptor that becomes readable when the bell is touched, or a negative errno. */
int event_ring_watch(const struct folder *);
