/* SPDX-License-Identifier: Apache-2.0 */
/* Two transports and a wire between them: struct to struct, in virtual time, without loss.
 *
 * The left transport writes, the right one receives. Both are driven as by an engine: once in 8
 * packet times each takes its arrivals, expires timers, sends one packet per port, and fetches
 * events. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "transport/transport.h"

struct duplex_config {
    uint32_t ev_count; /* over 8 planes */
    uint32_t qp_count;
    uint32_t write_bytes;
    uint32_t outstanding; /* writes of each QP */
    uint32_t packet_ps;   /* time of a packet on the wire; the delay is about 5 us more */
    bool in_order;        /* all planes have the same delay */
    bool is_empty;        /* stand-ins instead of transports, to measure the driver */
};

struct duplex;

struct duplex *duplex_open(const struct duplex_config *);
void duplex_close(struct duplex *);

/* Runs until `packet_count` more data packets have been received. */
void duplex_run(struct duplex *, uint64_t packet_count);

/* Returns the sum of both sides; 0 without transports. */
uint64_t duplex_counter(const struct duplex *, enum counter);

/* Returns the memory of a QP that sends and receives, without the queues whose size the application
 * chooses. */
size_t duplex_qp_bytes(const struct duplex *);
