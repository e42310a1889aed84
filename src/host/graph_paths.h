/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of a NIC over a fabric that is a graph. The NIC plans them itself, with the same plan
 * as the switches, once for each destination (docs/fabric.md §5). Any thread may call. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"
#include "path/path.h"
#include "wire/ip_address.h"

struct graph_paths;

/* The paths to one destination, kept until the NIC is closed. */
struct graph_paths_peer {
    uint32_t nic;
    struct template_list list;
    uint8_t *switch_counts; /* number of switches of each path */
    uint8_t *weights;       /* weight of each path */
    int16_t *extras;        /* extra delay of each path over the fastest, whose delay is measured */
    struct host_ev_profile *profile; /* of QPs to it; NULL if none */
};

/* Reads the file that describes the graph (plan/plan_text.h). Returns 0 or a negative errno:
 * -EINVAL if it does not describe a graph with this address. */
int graph_paths_open(const char *path, const struct ipv6_addr *self, struct graph_paths **);
void graph_paths_close(struct graph_paths *);

/* Returns whether a path may arrive at another port than it leaves from. */
bool graph_paths_cross(const struct graph_paths *);

/* Returns NULL if the address does not belong to this fabric, or if there is no memory. */
struct graph_paths_peer *graph_paths_find(struct graph_paths *, const struct ipv6_addr *address);

static inline uint32_t graph_paths_count(const struct graph_paths_peer *peer)
{
    return peer->list.first[PATH_PLANE_COUNT_MAX];
}

/* Writes the EVs of one port to this destination, shorter paths first, with their weights.
 * `entries` has room for PLAN_PORT_PATHS. Returns the number of EVs. */
uint32_t graph_paths_entries(const struct graph_paths *, const struct graph_paths_peer *,
    uint32_t port, struct path_entry *entries, struct prng *);

/* A host_route_function; the context is a struct graph_paths. */
int graph_paths_route(void *context, const struct ipv6_addr *address, struct host_route *out);
