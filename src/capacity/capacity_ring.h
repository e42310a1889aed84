/* SPDX-License-Identifier: Apache-2.0 */
/* What the flows of a ring are due. A rank forwards what it receives, so its flow cannot carry more
 * than its rank began with and what the flow before it carried, however fast its own links are. */
#pragma once

#include <stdint.h>

#include "capacity/capacity.h"

/* Flow i leads from rank i to the next one, the last flow to rank 0. */
struct capacity_ring {
    double *placed_bits; /* by flow: what it has carried */
    double *due_bps;     /* by flow, in the last step */
    double *next_bps;    /* for capacity_ring_advance() */
    double chunk_bits;   /* what each rank begins with */
    uint32_t count;
};

/* Returns NULL if there is no memory. */
struct capacity_ring *capacity_ring_new(
    const struct allocator *, uint32_t count, double chunk_bits);
void capacity_ring_delete(struct capacity_ring *, const struct allocator *); /* NULL is allowed */

/* Makes the ring of a simulation whose only workload is a reduce-scatter, an all-gather or an
 * all-reduce; otherwise NULL. With others, the rates that its flows leave to them would have to be
 * solved, too. Returns 0 or -ENOMEM. */
int capacity_ring_find(
    struct capacity_ring **, const struct allocator *, const struct sim_config *);

/* Sets placed_bits. Pair i is flow i. */
void capacity_ring_look(
    struct capacity_ring *, const struct sim *, const struct capacity_pair *pairs);

/* Sets due_bps for a step in which the links allow `rate_bps` (0: the flow has nothing under way).
 * `due_bits`: what each flow was due before. */
void capacity_ring_advance(
    struct capacity_ring *, const double *rate_bps, const double *due_bits, double time_s);
