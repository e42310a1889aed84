/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a fabric, its faults and a list of demands into links, flows and paths. */
#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>

#include "capacity/capacity_bounds.h"
#include "capacity/capacity_graph.h"
#include "capacity/route.h"

enum { HOPS_MAX = 4 };

/* Everything is built twice: the first time it is only counted. */
struct building {
    const struct plan *fabric;
    const struct link_rates *rates;
    const struct link_merge *merge;
    uint32_t *host_link; /* by kind of plane, NIC, way: number of the link, plus 1; 0: none yet */
    uint32_t *uplink;    /* by kind of plane, kind of T1, T0, way */
    struct capacity_flow *flows;
    struct capacity_path *paths;
    uint32_t *hops;
    double *link_bps;
    struct capacity_name *names;
    uint32_t flow_count;
    uint32_t path_count;
    uint32_t hop_count;
    uint32_t link_count;
};

/* ---- links ----------------------------------------------------------------------------------- */

static const struct link_merge_plane *plane_of(const struct building *building, uint32_t plane)
{
    return &building->merge->planes[plane];
}

static uint32_t new_link(struct building *building, double bps, const struct capacity_name *name)
{
    if (building->names) {
        building->link_bps[building->link_count] = bps;
        building->names[building->link_count] = *name;
    }
    return ++building->link_count;
}

static uint32_t host_link(
    struct building *building, const struct route *route, uint32_t nic, enum link_way way)
{
    const struct link_merge_plane *plane = plane_of(building, route->plane);
    uint32_t *link =
        &building
             ->host_link[((size_t)route->plane * building->fabric->topology.nic_count + nic) * 2 +
                         way];

    if (*link == 0)
        *link = new_link(building,
            plane->count * link_rates_host(building->rates, nic, plane->first, way)->bps,
            &(struct capacity_name){ .kind = TOPOLOGY_HOST_LINK,
                .goes_up = way == LINK_UP,
                .nic = nic,
                .plane_mask = plane->mask });
    return *link - 1;
}

static uint32_t uplink(
    struct building *building, const struct route *route, uint32_t t0, enum link_way way)
{
    const struct topology_config *config = &building->fabric->topology.config;
    const struct link_merge_plane *plane = plane_of(building, route->plane);
    const struct link_merge_t1s *t1s = &plane->t1s[route->t1s];
    size_t place = ((size_t)route->plane * config->t1_count + route->t1s) * config->t0_count + t0;
    uint32_t *link = &building->uplink[place * 2 + way];

    if (*link == 0)
        *link = new_link(building,
            (double)plane->count * t1s->count *
                link_rates_uplink(building->rates, plane->first, t0, t1s->first, way)->bps,
            &(struct capacity_name){ .kind = TOPOLOGY_UPLINK,
                .goes_up = way == LINK_UP,
                .t0 = t0,
                .plane_mask = plane->mask,
                .t1 = t1s->first,
                .t1_count = t1s->count });
    return *link - 1;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void add_path(struct building *building, const struct route *route)
{
    const struct capacity_demand *demand = route->demand;
    uint32_t from_t0 = topology_t0_of(&building->fabric->topology, demand->from_nic);
    uint32_t to_t0 = topology_t0_of(&building->fabric->topology, demand->to_nic);
    uint32_t hops[HOPS_MAX];
    uint32_t count = 0;

    hops[count++] = host_link(building, route, demand->from_nic, LINK_UP);
    if (!route->is_local) {
        hops[count++] = uplink(building, route, from_t0, LINK_UP);
        hops[count++] = uplink(building, route, to_t0, LINK_DOWN);
    }
    hops[count++] = host_link(building, route, demand->to_nic, LINK_DOWN);
    if (building->paths) {
        building->paths[building->path_count] =
            (struct capacity_path){ .first_hop = building->hop_count, .hop_count = count };
        for (uint32_t i = 0; i < count; i++)
            building->hops[building->hop_count + i] = hops[i];
    }
    building->path_count++;
    building->hop_count += count;
}

static void add_paths(
    struct building *building, const struct capacity_demand *demand, bool takes_lossy)
{
    struct route route = { .demand = demand,
        .is_local = route_is_local(&building->fabric->topology, demand) };

    for (; route.plane < building->merge->plane_count; route.plane++) {
        uint32_t t1s_count = route.is_local ? 1 : plane_of(building, route.plane)->t1s_count;

        if (!route_leads_back(building->merge, &route))
            continue;
        for (route.t1s = 0; route.t1s < t1s_count; route.t1s++)
            if (route_is_open(building->merge, &route, takes_lossy))
                add_path(building, &route);
    }
}

/* Lossy paths are taken by those that have no others. */
static void add_flow(struct building *building, const struct capacity_demand *demand)
{
    uint32_t first_path = building->path_count;

    add_paths(building, demand, false);
    if (building->path_count == first_path)
        add_paths(building, demand, true);
    if (building->flows)
        building->flows[building->flow_count] = (struct capacity_flow){ .first_path = first_path,
            .path_count = building->path_count - first_path,
            .weight = 1,
            .payload_share = demand->payload_share };
    building->flow_count++;
}

/* ---- all of it ------------------------------------------------------------------------------- */

struct parts {
    struct link_rates rates;
    struct link_merge merge;
    uint32_t *host_link;
    uint32_t *uplink;
    size_t host_links;
    size_t uplinks;
};

struct request {
    const struct plan *fabric;
    const struct fault *const *in_force;
    uint32_t in_force_count;
    const struct capacity_demand *demands;
    uint32_t demand_count;
};

static void take_parts(struct parts *parts, struct arena *arena, const struct request *request)
{
    const struct plan *fabric = request->fabric;
    const struct topology_config *config = &fabric->topology.config;

    parts->host_links = (size_t)config->plane_count * fabric->topology.nic_count * 2;
    parts->uplinks = (size_t)config->plane_count * config->t1_count * config->t0_count * 2;
    link_rates_init(&parts->rates, arena, fabric, request->in_force, request->in_force_count);
    link_merge_init(&parts->merge, arena, &parts->rates, request->demands, request->demand_count);
    parts->host_link =
        arena_take(arena, parts->host_links, sizeof(*parts->host_link), alignof(uint32_t));
    parts->uplink = arena_take(arena, parts->uplinks, sizeof(*parts->uplink), alignof(uint32_t));
}

static void build(
    struct building *building, const struct parts *parts, const struct request *request)
{
    for (size_t i = 0; i < parts->host_links; i++)
        parts->host_link[i] = 0;
    for (size_t i = 0; i < parts->uplinks; i++)
        parts->uplink[i] = 0;
    building->fabric = request->fabric;
    building->rates = &parts->rates;
    building->merge = &parts->merge;
    building->host_link = parts->host_link;
    building->uplink = parts->uplink;
    for (uint32_t i = 0; i < request->demand_count; i++)
        add_flow(building, &request->demands[i]);
}

static void take_result(
    struct building *building, struct arena *arena, const struct building *counted)
{
    building->flows = arena_take(
        arena, counted->flow_count, sizeof(*building->flows), alignof(struct capacity_flow));
    building->paths = arena_take(
        arena, counted->path_count, sizeof(*building->paths), alignof(struct capacity_path));
    building->hops =
        arena_take(arena, counted->hop_count, sizeof(*building->hops), alignof(uint32_t));
    building->link_bps =
        arena_take(arena, counted->link_count, sizeof(*building->link_bps), alignof(double));
    building->names = arena_take(
        arena, counted->link_count, sizeof(*building->names), alignof(struct capacity_name));
}

static int build_result(
    struct capacity_fabric *out, const struct parts *parts, const struct request *request)
{
    struct building counted = { 0 };
    struct building built = { 0 };
    struct arena arena;

    build(&counted, parts, request);
    arena_init(&arena, NULL, 0);
    take_result(&built, &arena, &counted);
    out->memory = malloc(arena.used_bytes + 1);
    if (!out->memory)
        return -ENOMEM;
    arena_init(&arena, out->memory, arena.used_bytes);
    take_result(&built, &arena, &counted);
    build(&built, parts, request);
    out->names = built.names;
    out->input = (struct capacity_input){ .link_bps = built.link_bps,
        .link_count = built.link_count,
        .flows = built.flows,
        .flow_count = built.flow_count,
        .paths = built.paths,
        .path_count = built.path_count,
        .hops = built.hops,
        .hop_count = built.hop_count };
    return 0;
}

int capacity_fabric_init(struct capacity_fabric *out, const struct plan *fabric,
    const struct fault *const *in_force, uint32_t in_force_count,
    const struct capacity_demand *demands, uint32_t demand_count)
{
    struct request request = { fabric, in_force, in_force_count, demands, demand_count };
    struct parts parts;
    struct arena arena;
    void *memory;
    int err;

    if (fabric->topology.graph)
        return capacity_graph_init(out, fabric, in_force, in_force_count, demands, demand_count);
    *out = (struct capacity_fabric){ 0 };
    arena_init(&arena, NULL, 0);
    take_parts(&parts, &arena, &request);
    memory = malloc(arena.used_bytes + 1);
    if (!memory)
        return -ENOMEM;
    arena_init(&arena, memory, arena.used_bytes);
    take_parts(&parts, &arena, &request);
    err = build_result(out, &parts, &request);
    free(memory);
    return err;
}

void capacity_fabric_fini(struct capacity_fabric *fabric)
{
    free(fabric->memory);
    *fabric = (struct capacity_fabric){ 0 };
}

int capacity_fabric_solve(const struct capacity_fabric *network, const struct topology *topology,
    struct capacity_rates *rates)
{
    int err = capacity_solve(&network->input, rates);

    return err == -E2BIG || err == -EIO ? capacity_bounds_solve(topology, network, rates) : err;
}
