/* SPDX-License-Identifier: Apache-2.0 */
/* EV events of a device: written by the process that has its QPs, read by any number of others.
 *
 * The ring is in the mapped file `events` and keeps the last EVENT_RING_SLOTS events. Each reader
 * has its own position. Events that were overwritten before a reader read them are lost for this
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

/* Returns 0 or a negative errno. Creates the files if they do not exist. */
int event_ring_open(struct event_ring *, const struct folder *);
void event_ring_close(struct event_ring *);

/* There is one writer at a time: the owner of the device. */
void event_ring_push(struct event_ring *, const struct event_ring_event *);
void event_ring_touch_bell(struct event_ring *);

/* Returns the position at which a new reader begins. */
uint64_t event_ring_end(const struct event_ring *);

/* Returns the event at *position, or the oldest one of the last `depth` that is still there; *lost
 * is the number of events that were skipped. Returns false if there is no event yet; *lost is set
 * in this case too. */
bool event_ring_next(const struct event_ring *, uint64_t *position, uint32_t depth,
    struct event_ring_event *, uint64_t *lost);

/* Returns a descriptor that becomes readable when the bell is touched, or a negative errno. */
int event_ring_watch(const struct folder *);
