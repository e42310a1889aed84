/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of a NIC over a fabric that is a graph: it plans them itself, by the same plan as the
 * switches, once for each destination (docs/fabric.md §5). Any thread may ask. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"
#include "path/path.h"
#include "wire/ip_address.h"

struct graph_paths;

/* What is known of one destination, as long as the NIC lives. */
struct graph_paths_peer {
    uint32_t nic;
    struct template_list list;
    uint8_t *switch_counts;          /* of each path */
    uint8_t *weights;                /* likewise */
    int16_t *extras;                 /* likewise, of the fastest: the least is measured */
    struct host_ev_profile *profile; /* of QPs to it; NULL: none yet. Changed by an owner of all
                                        engines */
};

/* Reads the file that describes the graph (plan/plan_text.h). 0 or a negative errno; -EINVAL: it
 * describes none that has this address. */
int graph_paths_open(const char *path, const struct ipv6_addr *self, struct graph_paths **);
void graph_paths_close(struct graph_paths *);

/* A path may end at another port than it left by. */
bool graph_paths_cross(const struct graph_paths *);

/* NULL: not an address of this fabric, or there is no memory. */
struct graph_paths_peer *graph_paths_find(struct graph_paths *, const struct ipv6_addr *peer);

static inline uint32_t graph_paths_count(const struct graph_paths_peer *peer)
{
    return peer->list.first[PATH_PLANE_COUNT_MAX];
}

/* The EVs of one port towards it, the shorter ones first, with their weights. `entries` has room
 * for PLAN_PORT_PATHS; returns how many there are. */
uint32_t graph_paths_entries(const struct graph_paths *, const struct graph_paths_peer *,
    uint32_t port, struct path_entry *entries, struct prng *);

/* A host_route_function; the context is a struct graph_paths. */
int graph_paths_route(void *context, const struct ipv6_addr *peer, struct host_route *out);
