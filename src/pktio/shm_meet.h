/* SPDX-License-Identifier: Apache-2.0 */
/* Private declarations of shared-memory ports. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>

#include "pktio/frame_ring.h"
#include "pktio/pktio_port.h"
#include "pktio/shm_port.h"

/* What the two ends share. */
struct shm_rings {
    struct frame_ring out;
    struct frame_ring in;
    void *memory;
    size_t memory_bytes;
    int own_bell;  /* wakes this end */
    int peer_bell; /* wakes the other end */
    uint32_t mtu_bytes;
    uint64_t rate_bps;
};

struct shm_client;

struct shm_port {
    struct pktio_port port; /* data_fd: our doorbell; link_fd: the socket, or a client's timer */
    struct shm_rings rings;
    bool defers_calls;
    bool owes_call;                   /* frames were sent since the last call */
    bool holds;                       /* sent frames are not published yet */
    struct shm_client *client;        /* NULL for a server */
    _Atomic(struct shm_rings *) next; /* client: rings of a server that has returned */
    bool link_wanted;                 /* server: the state of the cable */
    bool link_told;                   /* server: the state that the client knows */
    bool peer_is_gone;
};

/* In shm_port.c: makes a port with these rings and this socket, which it then owns. */
struct shm_port *shm_port_make(const struct shm_rings *, int sock, bool link_up);

/* In shm_attach.c, for clients. The owner of the port adopts the rings of a server that has
 * returned, if there are any. */
void shm_attach_adopt(struct shm_port *);
void shm_attach_update(struct shm_port *);
void shm_attach_close(struct shm_port *);

/* The descriptors that are sent with a welcome. */
enum {
    SHM_MEET_MEMORY,
    SHM_MEET_CLIENT_BELL,
    SHM_MEET_SERVER_BELL,
    SHM_MEET_COUNT,
};

enum {
    SHM_MEET_WAIT_MS = 10000, /* unless the configuration gives another time */
    SHM_MEET_MTU_MAX = 16384,
};
#define SHM_MEET_RING_BYTES_MAX (UINT64_C(128) << 20)

extern const char shm_meet_hello[8];
extern const char shm_meet_welcome[8];

/* Maps both rings: `memory` has twice `ring_bytes`. Keeps the doorbells. */
int shm_meet_map(struct shm_rings *, const int descriptors[SHM_MEET_COUNT],
    const struct shm_welcome *, bool is_server);
void shm_meet_unmap(struct shm_rings *);
