/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that a socket had no room for: copies that wait for their turn. */
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

/* 0 or -ENOMEM. */
int frame_backlog_init(struct frame_backlog *, uint32_t frame_bytes_max);
void frame_backlog_fini(struct frame_backlog *);

/* At most PKTIO_BATCH_MAX frames since it was empty. */
void frame_backlog_add(struct frame_backlog *, const struct pktio_frame *, uint32_t count);

static inline uint32_t frame_backlog_count(const struct frame_backlog *backlog)
{
    return backlog->end - backlog->first;
}

/* All that wait, as frames of one piece each; yields how many. */
uint32_t frame_backlog_frames(
    struct frame_backlog *, struct iovec *pieces, struct pktio_frame *frames);
/* The first `count` of them are gone. */
void frame_backlog_drop(struct frame_backlog *, uint32_t count);
