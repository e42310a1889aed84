/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams over one connected socket, as few system calls as the kernel allows: neighbours of one
 * length leave as one message that it takes apart again (UDP_SEGMENT), and what follows each other
 * arrives joined (UDP_GRO). */
#pragma once

#include <stdint.h>
#include <sys/socket.h>

#include "pktio/frame_backlog.h"

#define UDP_BATCH_PIECES_MAX    1024 /* of one message: what the kernel takes */
#define UDP_BATCH_MESSAGES_MAX  32   /* received at once */
#define UDP_BATCH_CONTROL_BYTES 32

struct udp_batch {
    int fd;
    bool joins; /* messages of several datagrams may leave */
    struct frame_backlog backlog;
    uint64_t refused; /* frames that the system did not take, not counted by the port yet */

    struct mmsghdr out[PKTIO_BATCH_MAX];
    uint32_t out_frames[PKTIO_BATCH_MAX]; /* how many each of them carries */
    _Alignas(struct cmsghdr) uint8_t out_control[PKTIO_BATCH_MAX][UDP_BATCH_CONTROL_BYTES];
    struct iovec *pieces; /* of all of them */

    struct mmsghdr in[UDP_BATCH_MESSAGES_MAX];
    _Alignas(struct cmsghdr) uint8_t in_control[UDP_BATCH_MESSAGES_MAX][UDP_BATCH_CONTROL_BYTES];
    struct iovec in_pieces[UDP_BATCH_MESSAGES_MAX];
    uint8_t *slots;     /* a message each */
    uint32_t in_wanted; /* messages to ask for next */
    bool came_all;      /* all that were asked for, last time */
    uint32_t in_count;  /* received, */
    uint32_t in_next;   /* of which this one is being handed out */
    uint32_t in_offset; /* from here on */
};

int udp_batch_init(struct udp_batch *, int fd, uint32_t frame_bytes_max);
void udp_batch_fini(struct udp_batch *);

/* Frames it takes for certain: PKTIO_BATCH_MAX, or none while some wait. */
uint32_t udp_batch_room(struct udp_batch *);
void udp_batch_send(struct udp_batch *, const struct pktio_frame *, uint32_t count);
uint32_t udp_batch_receive(struct udp_batch *, struct pktio_received *, uint32_t max);

/* Frames were received that nobody has fetched: the socket does not tell of them. */
static inline bool udp_batch_holds_some(const struct udp_batch *batch)
{
    return batch->in_next < batch->in_count;
}
