/* SPDX-License-Identifier: Apache-2.0 */
/* What a shared-memory port is, for the two files that make it. */
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
    _Atomic bool peer_is_gone;
};

extern const struct pktio_ops shm_ops;
