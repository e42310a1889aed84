/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams over one connected socket with few system calls: consecutive datagrams of equal length
 * are sent as one message, which the kernel splits (UDP_SEGMENT); consecutive datagrams are
 * received joined (UDP_GRO). */
#pragma once

#include <stdint.h>
#include <sys/socket.h>

#include "pktio/frame_backlog.h"

#define UDP_BATCH_PIECES_MAX    1024 /* per message, the limit of the kernel */
#define UDP_BATCH_MESSAGES_MAX  32   /* received at once */
#define UDP_BATCH_CONTROL_BYTES 32

struct udp_batch {
    int fd;
    bool joins; /* messages may have several datagrams */
    struct frame_backlog backlog;
    uint64_t refused; /* frames that the system refused and the port has not counted yet */

    struct mmsghdr out[PKTIO_BATCH_MAX];
    uint32_t out_frames[PKTIO_BATCH_MAX]; /* frames in each of them */
    _Alignas(struct cmsghdr) uint8_t out_control[PKTIO_BATCH_MAX][UDP_BATCH_CONTROL_BYTES];
    struct iovec *pieces; /* pieces of all messages */

    struct mmsghdr in[UDP_BATCH_MESSAGES_MAX];
    _Alignas(struct cmsghdr) uint8_t in_control[UDP_BATCH_MESSAGES_MAX][UDP_BATCH_CONTROL_BYTES];
    struct iovec in_pieces[UDP_BATCH_MESSAGES_MAX];
    uint8_t *slots;     /* one message each */
    uint32_t in_wanted; /* messages to request next */
    bool came_all;      /* the last request was filled */
    uint32_t in_count;  /* messages received */
    uint32_t in_next;   /* message that is being returned */
    uint32_t in_offset; /* position in that message */
};

int udp_batch_init(struct udp_batch *, int fd, uint32_t frame_bytes_max);
void udp_batch_fini(struct udp_batch *);

/* Returns the number of frames that it takes for certain: PKTIO_BATCH_MAX, or 0 while frames wait.
 */
uint32_t udp_batch_room(struct udp_batch *);
void udp_batch_send(struct udp_batch *, const struct pktio_frame *, uint32_t count);
uint32_t udp_batch_receive(struct udp_batch *, struct pktio_received *, uint32_t max);

/* Returns whether there are received frames that the caller has not fetched: poll() does not report
 * these. */
static inline bool udp_batch_holds_some(const struct udp_batch *batch)
{
    return batch->in_next < batch->in_count;
}
