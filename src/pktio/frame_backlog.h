/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that a socket had no room for: copies that are sent later. */
#pragma once

#include <stdint.h>

#include "pktio/pktio_port.h"

struct frame_backlog {
    uint8_t *bytes; /* PKTIO_BATCH_MAX slots of slot_bytes */
    uint32_t slot_bytes;
    uint32_t lengths[PKTIO_BATCH_MAX];
    uint32_t first;
    uint32_t end;
};

/* Returns 0 or -ENOMEM. */
int frame_backlog_init(struct frame_backlog *, uint32_t frame_bytes_max);
void frame_backlog_fini(struct frame_backlog *);

static inline uint32_t frame_backlog_count(const struct frame_backlog *backlog)
{
    return backlog->end - backlog->first;
}

/* `push` hands frames to the system and returns the number it took. Tries to send the waiting
 * frames. Returns the number of frames that may follow: PKTIO_BATCH_MAX, or 0 while frames wait. */
uint32_t frame_backlog_room(struct frame_backlog *,
    uint32_t (*push)(void *to, const struct pktio_frame *, uint32_t count), void *to);
/* Sends frames in order, after those that wait: at most PKTIO_BATCH_MAX since there was room. */
void frame_backlog_send(struct frame_backlog *,
    uint32_t (*push)(void *to, const struct pktio_frame *, uint32_t count), void *to,
    const struct pktio_frame *, uint32_t count);
