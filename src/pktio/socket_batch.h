/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of datagrams over one socket, for packet sockets. */
#pragma once

#include <stdint.h>
#include <sys/socket.h>

#include "pktio/frame_backlog.h"
#include "pktio/link_header.h"

#define SOCKET_BATCH_PIECES_MAX 40

struct socket_batch {
    int fd;
    const struct link_header *link; /* NULL: frames are sent without a header */
    uint32_t slot_bytes;
    uint8_t *slots; /* PKTIO_BATCH_MAX of them, for received frames */
    struct frame_backlog backlog;
    struct mmsghdr out[PKTIO_BATCH_MAX];
    struct iovec pieces[PKTIO_BATCH_MAX][SOCKET_BATCH_PIECES_MAX];
    struct mmsghdr in[PKTIO_BATCH_MAX];
    struct iovec in_pieces[PKTIO_BATCH_MAX];
    uint64_t refused; /* frames that the system refused and the port has not counted yet */
};

int socket_batch_init(struct socket_batch *, int fd, uint32_t frame_bytes_max);
void socket_batch_fini(struct socket_batch *);

/* Returns the number of frames that it takes for certain: PKTIO_BATCH_MAX, or 0 while frames wait.
 */
uint32_t socket_batch_room(struct socket_batch *);
void socket_batch_send(struct socket_batch *, const struct pktio_frame *, uint32_t count);
/* Received frames include the link header. */
uint32_t socket_batch_receive(struct socket_batch *, struct pktio_received *, uint32_t max);
