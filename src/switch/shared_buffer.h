/* SPDX-License-Identifier: Apache-2.0 */
/* The packet memory that the ports of a switch share. A data queue may grow to alpha times what is
 * free, so queues leave room for each other: n full queues have alpha / (1 + n alpha) each. The
 * limits of each port apply in addition. */
#pragma once

#include <stdint.h>

#include "switch/port.h"

struct shared_buffer_config {
    uint64_t size_bytes; /* 0: none, only the limits of each port */
    uint32_t cell_bytes; /* a packet occupies whole cells; 0: bytes */
    int32_t alpha_log2;
};

struct shared_buffer {
    struct shared_buffer_config config;
    uint64_t used_bytes;
    uint64_t peak_bytes;
};

void shared_buffer_init(struct shared_buffer *, const struct shared_buffer_config *);

/* Admits a packet to a port of the switch, as port_admit(). All ports must have been advanced. */
struct port_outcome shared_buffer_admit(
    struct shared_buffer *, struct port *, const struct port_entry *, uint64_t now_ps);

/* A packet of this length leaves the buffer. */
void shared_buffer_release(struct shared_buffer *, uint32_t length_bytes);
