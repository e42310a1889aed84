/* SPDX-License-Identifier: Apache-2.0 */
/* Batches over a socket: sendmmsg() sends the pieces without copying them, recvmmsg() receives into
 * slots. */
#include "pktio/socket_batch.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int socket_batch_init(struct socket_batch *batch, int fd, uint32_t frame_bytes_max)
{
    int err = frame_backlog_init(&batch->backlog, frame_bytes_max);

    if (err)
        return err;
    batch->fd = fd;
    batch->slot_bytes = (frame_bytes_max + LINK_HEADER_BYTES + 63) / 64 * 64;
    batch->slots = aligned_alloc(64, (size_t)PKTIO_BATCH_MAX * batch->slot_bytes);
    if (!batch->slots) {
        frame_backlog_fini(&batch->backlog);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < PKTIO_BATCH_MAX; i++) {
        batch->in_pieces[i] =
            (struct iovec){ .iov_base = batch->slots + (size_t)i * batch->slot_bytes,
                .iov_len = batch->slot_bytes };
        batch->in[i].msg_hdr.msg_iov = &batch->in_pieces[i];
        batch->in[i].msg_hdr.msg_iovlen = 1;
    }
    return 0;
}

void socket_batch_fini(struct socket_batch *batch)
{
    frame_backlog_fini(&batch->backlog);
    free(batch->slots);
}

static void fill_message(
    struct socket_batch *batch, uint32_t index, const struct pktio_frame *frame)
{
    struct iovec *pieces = batch->pieces[index];
    uint32_t count = 0;

    assert(frame->piece_count < SOCKET_BATCH_PIECES_MAX);
    if (batch->link)
        pieces[count++] = (struct iovec){ .iov_base = (void *)(uintptr_t)link_header_of(
                                              batch->link, frame->pieces[0].iov_base),
            .iov_len = LINK_HEADER_BYTES };
    memcpy(pieces + count, frame->pieces, frame->piece_count * sizeof(*pieces));
    batch->out[index].msg_hdr =
        (struct msghdr){ .msg_iov = pieces, .msg_iovlen = count + frame->piece_count };
}

/* Returns the number of frames that are done: sent, or refused for a reason that waiting does not
 * change. */
static uint32_t push_frames(void *to, const struct pktio_frame *frames, uint32_t count)
{
    struct socket_batch *batch = to;
    uint32_t gone = 0;

    for (uint32_t i = 0; i < count; i++)
        fill_message(batch, i, &frames[i]);
    while (gone < count) {
        int sent = sendmmsg(batch->fd, batch->out + gone, count - gone, MSG_DONTWAIT);

        if (sent > 0) {
            gone += (uint32_t)sent;
        } else if (errno == EAGAIN || errno == ENOBUFS) {
            break;
        } else if (errno != EINTR) {
            gone++;
            batch->refused++;
        }
    }
    return gone;
}

uint32_t socket_batch_room(struct socket_batch *batch)
{
    return frame_backlog_room(&batch->backlog, push_frames, batch);
}

void socket_batch_send(struct socket_batch *batch, const struct pktio_frame *frames, uint32_t count)
{
    frame_backlog_send(&batch->backlog, push_frames, batch, frames, count);
}

uint32_t socket_batch_receive(
    struct socket_batch *batch, struct pktio_received *frames, uint32_t max)
{
    int count = recvmmsg(batch->fd, batch->in, max, MSG_DONTWAIT, NULL);

    for (int i = 0; i < count; i++)
        frames[i] = (struct pktio_received){ .bytes = batch->in_pieces[i].iov_base,
            .length_bytes = batch->in[i].msg_hdr.msg_flags & MSG_TRUNC ? 0 : batch->in[i].msg_len };
    return count > 0 ? (uint32_t)count : 0;
}
