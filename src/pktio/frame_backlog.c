/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that wait for room in a socket. */
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

static void add_frames(
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

/* Lists all waiting frames, one piece each. Returns their number. */
static uint32_t all_waiting(
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

uint32_t frame_backlog_room(struct frame_backlog *backlog,
    uint32_t (*push)(void *to, const struct pktio_frame *, uint32_t count), void *to)
{
    struct iovec pieces[PKTIO_BATCH_MAX];
    struct pktio_frame frames[PKTIO_BATCH_MAX];

    if (frame_backlog_count(backlog) > 0)
        backlog->first += push(to, frames, all_waiting(backlog, pieces, frames));
    return frame_backlog_count(backlog) == 0 ? PKTIO_BATCH_MAX : 0;
}

void frame_backlog_send(struct frame_backlog *backlog,
    uint32_t (*push)(void *to, const struct pktio_frame *, uint32_t count), void *to,
    const struct pktio_frame *frames, uint32_t count)
{
    uint32_t gone = frame_backlog_count(backlog) == 0 ? push(to, frames, count) : 0;

    add_frames(backlog, frames + gone, count - gone);
}
