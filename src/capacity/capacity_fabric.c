/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a fabric, its faults and a list of demands into links, flows and paths. */
#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>

#include "base/power.h"
#include "capacity/capacity_bounds.h"
#include "capacity/capacity_graph.h"
#include "capacity/route.h"

/* A link that a flow uses, in one direction. */
struct used_link {
    size_t direction; /* 2 * its number in the fabric + enum link_way, plus 1; 0: a free place */
    uint32_t number;  /* here */
};

/* Everything is built twice; the first pass only counts paths and hops. */
struct building {
    const struct plan *fabric;
    const struct link_rates *rates;
    const struct link_merge *merge;
    struct used_link *used; /* open addressing */
    uint32_t place_count;   /* a power of two */
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
    building->link_bps[building->link_count] = bps;
    building->names[building->link_count] = *name;
    return building->link_count++;
}

/* Returns the place of a link direction, or a free place for it. */
static struct used_link *place_of(const struct building *building, size_t direction)
{
    uint32_t mask = building->place_count - 1;
    uint32_t place = (uint32_t)(direction * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

    while (building->used[place].direction != 0 && building->used[place].direction != direction + 1)
        place = (place + 1) & mask;
    return &building->used[place];
}

/* Returns the links that a step represents, and their number. */
static struct capacity_name name_of(
    const struct building *building, const struct route *route, const struct plan_step *step)
{
    const struct topology *topology = &building->fabric->topology;
    const struct link_merge_plane *plane = plane_of(building, route->plane);
    struct capacity_name name = { .goes_up = step->goes_up, .plane_mask = plane->mask };
    struct topology_link_kind kind;
    bool is_of_nic;

    topology_link_numbered(topology, step->link, &name.link, &kind);
    is_of_nic = name.link.kind == TOPOLOGY_HOST_LINK;
    kind = is_of_nic ? topology->config.host_link : topology->config.uplink;
    name.plane_links = is_of_nic ? 1 : plane->uplinks[route->uplinks].count;
    name.healthy_bps = (double)kind.rate_bps * plane->count * name.plane_links;
    return name;
}

static uint32_t link_of(
    struct building *building, const struct route *route, const struct plan_step *step)
{
    enum link_way way = step->goes_up ? LINK_UP : LINK_DOWN;
    size_t direction = LINK_WAY_COUNT * step->link + way;
    struct used_link *used = place_of(building, direction);

    if (used->direction == 0) {
        struct capacity_name name = name_of(building, route, step);
        double times = (double)plane_of(building, route->plane)->count * name.plane_links;
        double bps = link_rates_of(building->rates, step->link, way).bps;

        *used = (struct used_link){ .direction = direction + 1,
            .number = new_link(building, times * bps, &name) };
    }
    return used->number;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void add_path(struct building *building, const struct route *route)
{
    struct plan_step steps[PLAN_LINKS_MAX];
    uint32_t count = route_steps(building->merge, route, steps);

    if (building->paths)
        building->paths[building->path_count] =
            (struct capacity_path){ .first_hop = building->hop_count,
                .hop_count = count,
                .payload_share = route->demand->payload_share };
    for (uint32_t i = 0; building->hops && i < count; i++)
        building->hops[building->hop_count + i] = link_of(building, route, &steps[i]);
    building->path_count++;
    building->hop_count += count;
}

static void add_paths(
    struct building *building, const struct capacity_demand *demand, bool takes_lossy)
{
    struct route route = { .demand = demand,
        .is_local = plan_is_local(building->fabric, demand->from_nic, demand->to_nic) };

    for (; route.plane < building->merge->plane_count; route.plane++) {
        uint32_t uplinks_count =
            route.is_local ? 1 : plane_of(building, route.plane)->uplinks_count;

        if (!route_leads_back(building->merge, &route))
            continue;
        for (route.uplinks = 0; route.uplinks < uplinks_count; route.uplinks++)
            if (route_is_open(building->merge, &route, takes_lossy))
                add_path(building, &route);
    }
}

/* Flows that leave lossy paths use them only if they have no others. */
static void add_flow(struct building *building, const struct capacity_demand *demand)
{
    uint32_t first_path = building->path_count;

    add_paths(building, demand, demand->keeps_lossy);
    if (building->path_count == first_path)
        add_paths(building, demand, true);
    if (building->flows)
        building->flows[building->flow_count] = (struct capacity_flow){ .first_path = first_path,
            .path_count = building->path_count - first_path,
            .weight = 1,
            .feeds = demand->feeds };
    building->flow_count++;
}

/* ---- all of it ------------------------------------------------------------------------------- */

struct parts {
    struct link_rates rates;
    struct link_merge merge;
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
    link_rates_init(
        &parts->rates, arena, request->fabric, request->in_force, request->in_force_count);
    link_merge_init(&parts->merge, arena, &parts->rates, request->demands, request->demand_count);
}

static void add_flows(
    struct building *building, const struct parts *parts, const struct request *request)
{
    building->fabric = request->fabric;
    building->rates = &parts->rates;
    building->merge = &parts->merge;
    for (uint32_t i = 0; i < request->demand_count; i++)
        add_flow(building, &request->demands[i]);
}

/* Returns an upper bound of the number of link directions that flows use. */
static uint32_t links_max(const struct building *counted)
{
    size_t all = LINK_WAY_COUNT * topology_link_count(&counted->fabric->topology);

    return counted->hop_count < all ? counted->hop_count : (uint32_t)all;
}

static void take_result(
    struct building *building, struct arena *arena, const struct building *counted)
{
    uint32_t links = links_max(counted);

    building->flows = arena_take(
        arena, counted->flow_count, sizeof(*building->flows), alignof(struct capacity_flow));
    building->paths = arena_take(
        arena, counted->path_count, sizeof(*building->paths), alignof(struct capacity_path));
    building->hops =
        arena_take(arena, counted->hop_count, sizeof(*building->hops), alignof(uint32_t));
    building->link_bps = arena_take(arena, links, sizeof(*building->link_bps), alignof(double));
    building->names =
        arena_take(arena, links, sizeof(*building->names), alignof(struct capacity_name));
    building->place_count = 2 * power_of_two_at_least(links);
    building->used = arena_take(
        arena, building->place_count, sizeof(*building->used), alignof(struct used_link));
}

static int build_result(
    struct capacity_fabric *out, const struct parts *parts, const struct request *request)
{
    struct building counted = { 0 };
    struct building built = { 0 };
    struct arena arena;

    add_flows(&counted, parts, request);
    arena_init(&arena, NULL, 0);
    take_result(&built, &arena, &counted);
    out->memory = malloc(arena.used_bytes + 1);
    if (!out->memory)
        return -ENOMEM;
    arena_init(&arena, out->memory, arena.used_bytes);
    take_result(&built, &arena, &counted);
    add_flows(&built, parts, request);
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
