/* SPDX-License-Identifier: Apache-2.0 */
/* Two transports and a wire between them: struct to struct, in virtual time, without loss.
 *
 * The left one writes, the right one receives. Both are driven as an engine would: once in 8 packet
 * times each takes what has arrived, lets timers expire, sends a packet a port, fetches events. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "transport/transport.h"

struct duplex_config {
    uint32_t ev_count; /* over 8 planes */
    uint32_t qp_count;
    uint32_t write_bytes;
    uint32_t outstanding; /* writes of each QP */
    uint32_t packet_ps;   /* time a packet takes on the wire; the delay is about 5 us besides */
    bool in_order;        /* no plane is slower than another */
    bool is_empty;        /* no transports: the driver with stand-ins, to learn what it costs */
};

struct duplex;

struct duplex *duplex_open(const struct duplex_config *);
void duplex_close(struct duplex *);

/* Until `packet_count` more data packets have been received. */
void duplex_run(struct duplex *, uint64_t packet_count);

/* Both sides together; 0 if there are no transports. */
uint64_t duplex_counter(const struct duplex *, enum counter);

/* Of a QP that sends and receives, without the queues whose size the application chooses. */
size_t duplex_qp_bytes(const struct duplex *);
