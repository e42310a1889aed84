/* SPDX-License-Identifier: Apache-2.0 */
/* Sends and receives datagrams, several per message. */
#include "pktio/udp_batch.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>

enum {
    MESSAGE_BYTES_MAX = 65487, /* over IPv6 without jumbograms; IPv4 takes a little more */
    SEGMENTS_MAX = 64,         /* per message, the limit of every kernel with UDP_SEGMENT */
    SLOT_BYTES = 65536,
    LATE_ERRORS_MAX = 64,
};

_Static_assert(PKTIO_BATCH_MAX <= SEGMENTS_MAX, "a batch fits into one message");
_Static_assert(CMSG_SPACE(sizeof(int)) <= UDP_BATCH_CONTROL_BYTES, "a segment length fits");

int udp_batch_init(struct udp_batch *batch, int fd, uint32_t frame_bytes_max)
{
    int on = 1;
    int err = frame_backlog_init(&batch->backlog, frame_bytes_max);

    if (err)
        return err;
    batch->fd = fd;
    batch->joins = setsockopt(fd, IPPROTO_UDP, UDP_GRO, &on, sizeof(on)) == 0;
    batch->in_wanted = 1;
    batch->slots = aligned_alloc(64, (size_t)UDP_BATCH_MESSAGES_MAX * SLOT_BYTES);
    batch->pieces = calloc(UDP_BATCH_PIECES_MAX, sizeof(*batch->pieces));
    if (!batch->slots || !batch->pieces) {
        udp_batch_fini(batch);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < UDP_BATCH_MESSAGES_MAX; i++) {
        batch->in_pieces[i] = (struct iovec){ .iov_base = batch->slots + (size_t)i * SLOT_BYTES,
            .iov_len = SLOT_BYTES };
        batch->in[i].msg_hdr = (struct msghdr){
            .msg_iov = &batch->in_pieces[i], .msg_iovlen = 1, .msg_control = batch->in_control[i]
        };
    }
    return 0;
}

void udp_batch_fini(struct udp_batch *batch)
{
    frame_backlog_fini(&batch->backlog);
    free(batch->slots);
    free(batch->pieces);
}

/* ---- sending --------------------------------------------------------------------------------- */

/* Returns the number of frames that fit into one message: all have the length of the first, except
 * that the last may be shorter. */
static uint32_t joinable(const struct udp_batch *batch, const struct pktio_frame *frames,
    uint32_t count, uint32_t pieces_left)
{
    uint32_t length = frames[0].length_bytes;
    uint32_t total = length;
    uint32_t pieces = frames[0].piece_count;
    uint32_t joined = 1;

    while (batch->joins && joined < count && frames[joined - 1].length_bytes == length &&
           frames[joined].length_bytes <= length) {
        total += frames[joined].length_bytes;
        pieces += frames[joined].piece_count;
        if (total > MESSAGE_BYTES_MAX || pieces > pieces_left)
            break;
        joined++;
    }
    return joined;
}

static void say_length(struct msghdr *message, uint8_t *control, uint32_t length_bytes)
{
    uint16_t length = (uint16_t)length_bytes;
    struct cmsghdr *header;

    message->msg_control = control;
    message->msg_controllen = CMSG_SPACE(sizeof(length));
    header = CMSG_FIRSTHDR(message);
    header->cmsg_level = IPPROTO_UDP;
    header->cmsg_type = UDP_SEGMENT;
    header->cmsg_len = CMSG_LEN(sizeof(length));
    memcpy(CMSG_DATA(header), &length, sizeof(length));
}

/* Composes as many messages as there are pieces for. Returns the number of messages. */
static uint32_t compose_messages(
    struct udp_batch *batch, const struct pktio_frame *frames, uint32_t count)
{
    uint32_t message_count = 0;
    uint32_t piece_count = 0;
    uint32_t joined = 1;

    for (uint32_t i = 0; i < count; i += joined, message_count++) {
        struct msghdr *message = &batch->out[message_count].msg_hdr;
        struct iovec *pieces = batch->pieces + piece_count;

        if (piece_count + frames[i].piece_count > UDP_BATCH_PIECES_MAX)
            break;
        joined = joinable(batch, frames + i, count - i, UDP_BATCH_PIECES_MAX - piece_count);
        *message = (struct msghdr){ .msg_iov = pieces };
        for (uint32_t frame = i; frame < i + joined; frame++) {
            memcpy(pieces + message->msg_iovlen, frames[frame].pieces,
                frames[frame].piece_count * sizeof(*pieces));
            message->msg_iovlen += frames[frame].piece_count;
        }
        piece_count += (uint32_t)message->msg_iovlen;
        if (joined > 1)
            say_length(message, batch->out_control[message_count], frames[i].length_bytes);
        batch->out_frames[message_count] = joined;
    }
    return message_count;
}

/* Uses sendmsg() for a single message because it costs less. */
static int send_messages(struct udp_batch *batch, uint32_t first, uint32_t count)
{
    if (count > 1)
        return sendmmsg(batch->fd, batch->out + first, count, MSG_DONTWAIT);
    return sendmsg(batch->fd, &batch->out[first].msg_hdr, MSG_DONTWAIT) < 0 ? -1 : 1;
}

/* Returns the number of frames of the next messages that are done: sent, or refused for a reason
 * that waiting does not change. */
static uint32_t push_composed(struct udp_batch *batch, uint32_t message_count, bool *is_full)
{
    uint32_t late_errors = 0;
    uint32_t gone = 0;
    uint32_t at = 0;

    while (at < message_count) {
        int sent = send_messages(batch, at, message_count - at);

        for (; sent > 0; sent--)
            gone += batch->out_frames[at++];
        if (sent == 0)
            continue;
        if (errno == EAGAIN || errno == ENOBUFS) {
            *is_full = true;
            break;
        }
        if (errno == EINTR)
            continue;
        /* The error of an earlier datagram is reported once, so try this one again. Do not retry
         * forever. */
        batch->refused += errno == ECONNREFUSED || batch->out_frames[at] == 1;
        if (errno == ECONNREFUSED && late_errors++ < LATE_ERRORS_MAX)
            continue;
        if (batch->out_frames[at] > 1) {
            batch->joins = false; /* the path does not support it */
            break;
        }
        gone += batch->out_frames[at++];
    }
    return gone;
}

static uint32_t push_frames(void *to, const struct pktio_frame *frames, uint32_t count)
{
    struct udp_batch *batch = to;
    uint32_t gone = 0;
    bool is_full = false;

    while (gone < count && !is_full)
        gone +=
            push_composed(batch, compose_messages(batch, frames + gone, count - gone), &is_full);
    return gone;
}

uint32_t udp_batch_room(struct udp_batch *batch)
{
    return frame_backlog_room(&batch->backlog, push_frames, batch);
}

void udp_batch_send(struct udp_batch *batch, const struct pktio_frame *frames, uint32_t count)
{
    frame_backlog_send(&batch->backlog, push_frames, batch, frames, count);
}

/* ---- receiving ------------------------------------------------------------------------------- */

/* Returns the size of the datagrams in the message, except the last. */
static uint32_t segment_bytes(const struct mmsghdr *received)
{
    struct cmsghdr *header = CMSG_FIRSTHDR(&received->msg_hdr);
    int length = 0;

    if (header && header->cmsg_level == IPPROTO_UDP && header->cmsg_type == UDP_GRO)
        memcpy(&length, CMSG_DATA(header), sizeof(length));
    return length > 0 ? (uint32_t)length : received->msg_len;
}

/* Uses recvmsg() for a single message because it costs less. */
static uint32_t receive_messages(struct udp_batch *batch, uint32_t max)
{
    ssize_t got;

    for (uint32_t i = 0; i < max; i++)
        batch->in[i].msg_hdr.msg_controllen = UDP_BATCH_CONTROL_BYTES;
    if (max > 1) {
        got = recvmmsg(batch->fd, batch->in, max, MSG_DONTWAIT, NULL);
        return got > 0 ? (uint32_t)got : 0;
    }
    got = recvmsg(batch->fd, &batch->in[0].msg_hdr, MSG_DONTWAIT);
    batch->in[0].msg_len = got > 0 ? (uint32_t)got : 0;
    return got >= 0;
}

/* Requests as many messages as arrived last time, or more after that number arrived twice. If
 * messages arrive one by one, a request for two costs more and returns one. */
static void fetch_messages(struct udp_batch *batch)
{
    uint32_t wanted = batch->in_wanted;
    uint32_t count = receive_messages(batch, wanted);

    batch->in_count = count;
    batch->in_next = 0;
    batch->in_offset = 0;
    if (count < wanted) {
        batch->in_wanted = count > 0 ? count : 1;
        batch->came_all = false;
    } else if (batch->came_all) {
        batch->in_wanted =
            wanted < UDP_BATCH_MESSAGES_MAX / 2 ? wanted * 2 : UDP_BATCH_MESSAGES_MAX;
    } else {
        batch->came_all = true;
    }
}

uint32_t udp_batch_receive(struct udp_batch *batch, struct pktio_received *frames, uint32_t max)
{
    uint32_t count = 0;

    if (!udp_batch_holds_some(batch))
        fetch_messages(batch);
    while (count < max && udp_batch_holds_some(batch)) {
        const struct mmsghdr *message = &batch->in[batch->in_next];
        uint32_t left = message->msg_len - batch->in_offset;
        uint32_t length = segment_bytes(message);

        if (length > left)
            length = left;
        frames[count++] = (struct pktio_received){ .length_bytes = length,
            .bytes = batch->slots + (size_t)batch->in_next * SLOT_BYTES + batch->in_offset };
        batch->in_offset += length;
        if (batch->in_offset == message->msg_len) {
            batch->in_next++;
            batch->in_offset = 0;
        }
    }
    return count;
}
