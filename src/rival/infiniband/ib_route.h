/* SPDX-License-Identifier: Apache-2.0 */
/* The port by which a packet leaves, of those that begin a shortest path: by its destination, or
 * the least loaded one. */
#pragma once

#include <stdint.h>

#include "base/prng.h"

/* Ports of a switch, as a bitmap. */
struct ib_ports {
    const uint64_t *words;
    uint32_t word_count;
};

/* Static routing: the destination LID modulo the number of ports. A switch of a higher tier uses
 * the quotient, so that packets that were divided below are divided again. Returns ECMP_NO_PORT if
 * there is no port. */
uint32_t ib_route_static(struct ib_ports, uint32_t lid, uint32_t tier);

/* The load of a port, for a packet: 0 is none. */
struct ib_loads {
    uint32_t (*of)(const void *context, uint32_t port);
    const void *context;
};

/* Adaptive routing: the port with the least load; of several, the first from a random one on. */
uint32_t ib_route_adaptive(struct ib_ports, const struct ib_loads *, struct prng *);
