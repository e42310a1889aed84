/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that wait. */
#include "pktio/frame_backlog.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int frame_backlog_init(struct frame_backlog *backlog, uint32_t frame_bytes_max)
{
    *backlog = (struct frame_backlog){ .bytes = calloc(PKTIO_BATCH_MAX, frame_bytes_max),
        .slot_bytes = frame_bytes_max };
    return backlog->bytes ? 0 : -ENOMEM;
}

void frame_backlog_fini(struct frame_backlog *backlog)
{
    free(backlog->bytes);
    backlog->bytes = NULL;
}

void frame_backlog_add(
    struct frame_backlog *backlog, const struct pktio_frame *frames, uint32_t count)
{
    if (frame_backlog_count(backlog) == 0)
        backlog->first = backlog->end = 0;
    assert(backlog->end + count <= PKTIO_BATCH_MAX);
    for (uint32_t i = 0; i < count; i++, backlog->end++) {
        uint8_t *to = backlog->bytes + (size_t)backlog->end * backlog->slot_bytes;

        backlog->lengths[backlog->end] = frames[i].length_bytes;
        for (uint32_t piece = 0; piece < frames[i].piece_count; piece++) {
            memcpy(to, frames[i].pieces[piece].iov_base, frames[i].pieces[piece].iov_len);
            to += frames[i].pieces[piece].iov_len;
        }
    }
}

uint32_t frame_backlog_frames(
    struct frame_backlog *backlog, struct iovec *pieces, struct pktio_frame *frames)
{
    uint32_t count = frame_backlog_count(backlog);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = backlog->first + i;

        pieces[i] = (struct iovec){ .iov_base = backlog->bytes + (size_t)slot * backlog->slot_bytes,
            .iov_len = backlog->lengths[slot] };
        frames[i] = (struct pktio_frame){
            .pieces = &pieces[i], .piece_count = 1, .length_bytes = backlog->lengths[slot]
        };
    }
    return count;
}

void frame_backlog_drop(struct frame_backlog *backlog, uint32_t count)
{
    backlog->first += count;
}
