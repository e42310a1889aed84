/* SPDX-License-Identifier: Apache-2.0 */
/* All future events in one order: the plain engine, which serves as reference for the fast one.
 * Arrivals are in an event heap, the times at which nodes act by themselves in a list. Events of
 * one time are ordered by node; of a node, arrivals come first, by port, then its own action. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "network/network.h"
#include "switch/switch.h"

struct heap_event {
    uint64_t time_ps;
    uint32_t node;
    uint32_t order; /* port of arrival; HEAP_WAKE: the node acts by itself */
    struct port_entry packet;
};
#define HEAP_WAKE UINT32_MAX

struct heap {
    struct event_heap arrivals; /* ordered by node and port; subjects are indexes of `packets` */
    struct port_entry *packets;
    uint32_t *free_places;
    uint32_t free_count;
    uint32_t node_count;
    uint64_t *wake_ps; /* of each node */
};

/* Measures if there is no memory. `packet_count`: the maximum number of arrivals at a time. */
struct heap *heap_init(struct arena *, uint32_t node_count, uint32_t packet_count);
void heap_post(
    struct heap *, uint32_t node, uint32_t port, uint64_t time_ps, struct port_entry packet);

static inline void heap_wake(struct heap *heap, uint32_t node, uint64_t time_ps)
{
    if (time_ps < heap->wake_ps[node])
        heap->wake_ps[node] = time_ps;
}

/* Removes the first event if it is before `before_ps`. */
bool heap_pop(struct heap *, uint64_t before_ps, struct heap_event *);
/* Returns the time of the first event; UINT64_MAX: there is none. */
uint64_t heap_next_ps(const struct heap *);
