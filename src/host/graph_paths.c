/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of paths, planned on the first request for a destination. */
#include "host/graph_paths.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/ev_profile.h"
#include "host/plan_file.h"
#include "plan/plan.h"

struct graph_paths {
    struct plan plan;
    struct graph graph;
    void *memory; /* memory of the graph */
    uint32_t self;
    pthread_mutex_t lock;            /* protects everything below */
    struct graph_paths_peer **peers; /* by NIC; NULL if not requested yet */
    uint32_t *scratch;
    struct plan_route *routes;
    uint64_t *weights; /* 2 * route_max of them */
    uint32_t route_max;
};

/* ---- the file -------------------------------------------------------------------------------- */

static int take_graph(struct graph_paths *paths, const struct graph_size *size)
{
    struct arena arena;
    size_t bytes;

    arena_init(&arena, NULL, 0);
    graph_init(&paths->graph, &arena, size);
    bytes = (arena.used_bytes + 63) / 64 * 64;
    paths->memory = aligned_alloc(64, bytes);
    if (!paths->memory)
        return -ENOMEM;
    arena_init(&arena, paths->memory, bytes);
    graph_init(&paths->graph, &arena, size);
    return 0;
}

static int take_tables(struct graph_paths *paths)
{
    const struct topology *topology = &paths->plan.topology;

    paths->route_max = topology->config.plane_count * PLAN_PORT_PATHS;
    free(paths->scratch);
    paths->scratch = calloc(plan_pair_scratch(&paths->plan), sizeof(*paths->scratch));
    paths->routes = calloc(paths->route_max, sizeof(*paths->routes));
    paths->weights = calloc(paths->route_max, 2 * sizeof(*paths->weights));
    paths->peers = calloc(topology->nic_count, sizeof(struct graph_paths_peer *));
    return paths->scratch && paths->routes && paths->weights && paths->peers ? 0 : -ENOMEM;
}

static int read_plan(struct graph_paths *paths, const char *text, const struct ipv6_addr *self)
{
    struct graph_size size;
    int err;

    if (!plan_text_size(text, &size))
        return -EINVAL;
    err = take_graph(paths, &size);
    paths->scratch = calloc(size.nic_count + size.switch_count, 2 * sizeof(*paths->scratch));
    if (err || !paths->scratch)
        return -ENOMEM;
    if (!plan_text_read(text, &paths->graph, paths->scratch, &paths->plan) ||
        paths->plan.topology.config.plane_count > PATH_PLANE_COUNT_MAX ||
        !plan_nic_of(&paths->plan, self, &paths->self))
        return -EINVAL;
    return take_tables(paths);
}

int graph_paths_open(const char *path, const struct ipv6_addr *self, struct graph_paths **out)
{
    struct graph_paths *paths = calloc(1, sizeof(*paths));
    char *text;
    int err;

    if (!paths)
        return -ENOMEM;
    pthread_mutex_init(&paths->lock, NULL);
    text = plan_file_read(path, &err);
    if (text)
        err = read_plan(paths, text, self);
    free(text);
    if (err) {
        graph_paths_close(paths);
        return err;
    }
    *out = paths;
    return 0;
}

static void free_peer(struct graph_paths_peer *peer)
{
    if (!peer)
        return;
    ev_profile_free(peer->profile);
    free((void *)peer->list.destinations);
    free((void *)peer->list.segments);
    free(peer->switch_counts);
    free(peer->weights);
    free(peer->extras);
    free(peer);
}

void graph_paths_close(struct graph_paths *paths)
{
    if (!paths)
        return;
    for (uint32_t i = 0; paths->peers && i < paths->plan.topology.nic_count; i++)
        free_peer(paths->peers[i]);
    pthread_mutex_destroy(&paths->lock);
    free(paths->peers);
    free(paths->routes);
    free(paths->weights);
    free(paths->scratch);
    free(paths->memory);
    free(paths);
}

/* ---- destinations ---------------------------------------------------------------------------- */

bool graph_paths_cross(const struct graph_paths *paths)
{
    return paths->plan.topology.ports_cross;
}

/* Returns a destination with room for `count` paths; NULL: no memory. */
static struct graph_paths_peer *take_peer(uint32_t count, bool with_segments)
{
    struct graph_paths_peer *peer = calloc(1, sizeof(*peer));

    if (!peer)
        return NULL;
    peer->list.destinations = calloc(count + 1, sizeof(struct ipv6_addr));
    if (with_segments)
        peer->list.segments = calloc(count + 1, sizeof(struct ipv6_addr));
    peer->switch_counts = calloc(count + 1, 1);
    peer->weights = calloc(count + 1, 1);
    peer->extras = calloc(count + 1, sizeof(*peer->extras));
    if (peer->list.destinations && !(with_segments && !peer->list.segments) &&
        peer->switch_counts && peer->weights && peer->extras)
        return peer;
    free_peer(peer);
    return NULL;
}

/* The routes are in the order of ports. */
static struct graph_paths_peer *keep_routes(
    const struct graph_paths *paths, uint32_t nic, uint32_t count)
{
    struct graph_paths_peer *peer = take_peer(count, paths->plan.uses_srh);
    struct ipv6_addr *destinations;
    struct ipv6_addr *segments;
    uint64_t fastest_ps;

    if (!peer)
        return NULL;
    peer->nic = nic;
    destinations = (struct ipv6_addr *)peer->list.destinations;
    segments = (struct ipv6_addr *)peer->list.segments;
    plan_weigh(paths->routes, count, paths->weights);
    fastest_ps = plan_fastest_ps(paths->routes, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_route *route = &paths->routes[i];

        for (uint32_t port = route->hops[0].port; port < PATH_PLANE_COUNT_MAX; port++)
            peer->list.first[port + 1] = (uint16_t)(i + 1);
        destinations[i] = route->outer;
        if (segments)
            segments[i] = route->segment;
        peer->switch_counts[i] = (uint8_t)route->switch_count;
        peer->weights[i] = (uint8_t)paths->weights[i];
        peer->extras[i] = plan_extra(route, fastest_ps);
    }
    return peer;
}

struct graph_paths_peer *graph_paths_find(
    struct graph_paths *paths, const struct ipv6_addr *address)
{
    struct graph_paths_peer *peer;
    uint32_t nic;

    if (!plan_nic_of(&paths->plan, address, &nic))
        return NULL;
    pthread_mutex_lock(&paths->lock);
    if (!paths->peers[nic])
        paths->peers[nic] = keep_routes(paths, nic,
            plan_pair_routes(
                &paths->plan, paths->self, nic, paths->scratch, paths->routes, paths->route_max));
    peer = paths->peers[nic];
    pthread_mutex_unlock(&paths->lock);
    return peer;
}

uint32_t graph_paths_entries(const struct graph_paths *paths, const struct graph_paths_peer *peer,
    uint32_t port, struct path_entry *entries, struct prng *prng)
{
    uint32_t first = peer->list.first[port];
    uint32_t count = peer->list.first[port + 1] - first;

    plan_profile_port(&paths->plan, port, &peer->switch_counts[first], count, entries, prng);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t route = first + plan_ev_path(&paths->plan, entries[i].ev).uplink;

        entries[i].weight = peer->weights[route];
        entries[i].extra = peer->extras[route];
    }
    return count;
}

int graph_paths_route(void *context, const struct ipv6_addr *address, struct host_route *out)
{
    const struct graph_paths_peer *peer = graph_paths_find(context, address);

    if (!peer)
        return -EHOSTUNREACH;
    out->is_encapsulated = true;
    template_init_list(&out->template, &peer->list);
    return 0;
}
