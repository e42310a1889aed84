/* SPDX-License-Identifier: Apache-2.0 */
/* What a shared-memory port is, for the files that make it. */
#pragma once

#include <stddef.h>

#include "pktio/frame_ring.h"
#include "pktio/pktio_port.h"
#include "pktio/shm_port.h"

struct shm_port {
    struct pktio_port port; /* data_fd: our doorbell; link_fd: the socket */
    struct frame_ring out;
    struct frame_ring in;
    void *memory;
    size_t memory_bytes;
    bool is_server;
    bool defers_calls;
    bool owes_call; /* something was sent since the last */
    _Atomic bool peer_is_gone;
};

/* In shm_port.c. */
extern const struct pktio_ops shm_ops;

/* The descriptors that travel with a welcome. */
enum {
    SHM_MEET_MEMORY,
    SHM_MEET_CLIENT_BELL,
    SHM_MEET_SERVER_BELL,
    SHM_MEET_COUNT,
};

enum { SHM_MEET_WAIT_MS = 10000 }; /* unless the configuration says otherwise */

extern const char shm_meet_hello[8];
extern const char shm_meet_welcome[8];

void shm_meet_close(int descriptors[SHM_MEET_COUNT]);

/* Socket and descriptors are the port's if it succeeds, the caller's if not. */
int shm_meet_make_port(int socket, int descriptors[SHM_MEET_COUNT], const struct shm_welcome *,
    bool is_server, struct pktio_port **);
