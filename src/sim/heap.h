/* SPDX-License-Identifier: Apache-2.0 */
/* All that will happen, in one order: the plain way to simulate, kept as the measure of the fast
 * one. Arrivals stand in an event heap, the times at which nodes act by themselves in a list. At
 * one time, nodes come by number, and of a node first its arrivals by port, then its own doing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "network/network.h"
#include "switch/switch.h"

struct heap_event {
    uint64_t time_ps;
    uint32_t node;
    uint32_t order; /* port it comes in by; HEAP_WAKE: the node's own doing */
    struct port_entry packet;
};
#define HEAP_WAKE UINT32_MAX

struct heap {
    struct event_heap arrivals; /* ordered by node and port; subjects are places in `packets` */
    struct port_entry *packets;
    uint32_t *free_places;
    uint32_t free_count;
    uint32_t node_count;
    uint64_t *wake_ps; /* of each node */
};

/* Measures when there is no memory. `packet_count`: arrivals there can be at a time. */
struct heap *heap_init(struct arena *, uint32_t node_count, uint32_t packet_count);
void heap_post(
    struct heap *, uint32_t node, uint32_t port, uint64_t time_ps, struct port_entry packet);

static inline void heap_wake(struct heap *heap, uint32_t node, uint64_t time_ps)
{
    if (time_ps < heap->wake_ps[node])
        heap->wake_ps[node] = time_ps;
}

/* The first event, if it comes before `before_ps`. */
bool heap_pop(struct heap *, uint64_t before_ps, struct heap_event *);
/* When it comes; UINT64_MAX: nothing will ever happen. */
uint64_t heap_next_ps(const struct heap *);
