/* SPDX-License-Identifier: Apache-2.0 */
/* The links, flows and paths of a graph while faults are in force. */
#include "capacity/capacity_graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capacity/link_rates.h"

enum { HOPS_MAX = PLAN_SWITCHES_MAX + 1 };

/* An EV of which a link direction loses packets. */
struct ev_loss {
    uint32_t link;
    uint32_t ev;
    bool is_dead; /* false: only lossy */
};

struct building {
    const struct plan *fabric;
    struct link_rate *rates; /* by link: 2 * cable + the sending end */
    struct ev_loss *losses;
    uint32_t loss_count;
    uint32_t loss_max;
    struct plan_route *routes;
    uint32_t route_max;
    uint32_t *scratch;
    struct capacity_flow *flows;
    struct capacity_path *paths;
    uint32_t *hops;
    uint32_t flow_count;
    uint32_t path_count;
    uint32_t path_room;
    uint32_t hop_count;
    bool is_out_of_memory;
};

/* ---- links ----------------------------------------------------------------------------------- */

static uint32_t link_number(const struct graph *graph, struct graph_end from)
{
    struct graph_end peer;
    const struct graph_link *link = graph_link_at(graph, from, &peer);
    uint32_t side = link->ends[1].node == from.node && link->ends[1].port == from.port;

    return 2 * (uint32_t)(link - graph->links) + side;
}

struct spreading {
    struct building *building;
    const struct fault *fault;
};

static void spread_fault(void *context, struct topology_end from)
{
    const struct spreading *spreading = context;
    struct building *building = spreading->building;
    const struct fault *fault = spreading->fault;
    const struct graph *graph = building->fabric->topology.graph;
    uint32_t node = from.is_nic ? from.node : graph->size.nic_count + from.node;
    uint32_t link = link_number(graph, (struct graph_end){ node, from.port });
    struct link_rate alone = { .bps = 1, .kept = 1 };

    if (!fault->of_ev) {
        link_rates_harm(&building->rates[link], fault);
        return;
    }
    link_rates_harm(&alone, fault);
    if (building->loss_count < building->loss_max &&
        (alone.bps <= 0 || link_rates_is_lossy(&alone)))
        building->losses[building->loss_count++] =
            (struct ev_loss){ .link = link, .ev = fault->ev, .is_dead = alone.bps <= 0 };
}

static void set_rates(
    struct building *building, const struct fault *const *in_force, uint32_t in_force_count)
{
    const struct graph *graph = building->fabric->topology.graph;

    for (uint32_t i = 0; i < 2 * graph->link_count; i++) {
        const struct graph_link *cable = &graph->links[i / 2];

        building->rates[i] = (struct link_rate){ .bps = (double)cable->rate_bps, .kept = 1 };
    }
    for (uint32_t i = 0; i < in_force_count; i++)
        fault_cover(&building->fabric->topology, in_force[i], spread_fault,
            &(struct spreading){ building, in_force[i] });
}

/* ---- paths ----------------------------------------------------------------------------------- */

static bool is_allowed(const struct capacity_demand *demand, uint32_t ev)
{
    for (uint32_t i = 0; i < demand->ev_count; i++)
        if (demand->evs[i] == ev)
            return true;
    if (demand->profile)
        return path_profile_find(demand->profile, ev) != PATH_NONE;
    return demand->ev_count == 0;
}

static bool loses_ev(const struct building *building, uint32_t link, uint32_t ev, bool takes_lossy)
{
    for (uint32_t i = 0; i < building->loss_count; i++)
        if (building->losses[i].link == link && building->losses[i].ev == ev &&
            (building->losses[i].is_dead || !takes_lossy))
            return true;
    return false;
}

/* Links of NICs may be lossy, because all paths of a port cross them, unless they lose much. */
static bool is_open(
    const struct building *building, const struct plan_route *route, bool takes_lossy)
{
    double kept = 1;

    for (uint32_t i = 0; i <= route->switch_count; i++) {
        uint32_t link = link_number(building->fabric->topology.graph, route->hops[i]);
        const struct link_rate *rate = &building->rates[link];
        bool is_of_nic = i == 0 || i == route->switch_count;

        if (rate->bps <= 0 || (!takes_lossy && !is_of_nic && link_rates_is_lossy(rate)) ||
            loses_ev(building, link, route->ev, takes_lossy))
            return false;
        kept *= rate->kept;
    }
    return takes_lossy || !link_rates_loses_much(kept);
}

static uint32_t arrival_port(const struct building *building, const struct plan_route *route)
{
    struct graph_end end;

    graph_link_at(building->fabric->topology.graph, route->hops[route->switch_count], &end);
    return end.port;
}

/* Answers leave by the port where packets arrive. Returns the ports of the receiver that have a way
 * back over the cables of some path. */
static uint32_t answering_ports(const struct building *building, uint32_t route_count)
{
    const struct graph *graph = building->fabric->topology.graph;
    uint32_t ports = 0;

    for (uint32_t r = 0; r < route_count; r++) {
        const struct plan_route *route = &building->routes[r];
        uint32_t hop = 0;

        while (hop <= route->switch_count &&
               building->rates[link_number(graph, route->hops[hop]) ^ 1].bps > 0)
            hop++;
        if (hop > route->switch_count)
            ports |= UINT32_C(1) << arrival_port(building, route);
    }
    return ports;
}

/* Reserves as many hops for each path as a path can have. */
static bool make_room(struct building *building)
{
    uint32_t room = building->path_room > 0 ? 2 * building->path_room : 1024;
    void *paths;
    void *hops;

    if (building->path_count < building->path_room)
        return true;
    paths = realloc(building->paths, room * sizeof(*building->paths));
    if (paths)
        building->paths = paths;
    hops = realloc(building->hops, (size_t)room * HOPS_MAX * sizeof(*building->hops));
    if (hops)
        building->hops = hops;
    building->is_out_of_memory = !paths || !hops;
    if (paths && hops)
        building->path_room = room;
    return paths && hops;
}

static void add_path(
    struct building *building, const struct capacity_demand *demand, const struct plan_route *route)
{
    uint32_t count = route->switch_count + 1;
    bool has_srh = plan_route_srh_bytes(route) > 0;

    if (!make_room(building))
        return;
    building->paths[building->path_count++] = (struct capacity_path){
        .first_hop = building->hop_count,
        .hop_count = count,
        .payload_share = has_srh ? demand->srh_payload_share : demand->payload_share,
    };
    for (uint32_t i = 0; i < count; i++)
        building->hops[building->hop_count++] =
            link_number(building->fabric->topology.graph, route->hops[i]);
}

/* Flows that leave lossy paths use them only if they have no others. */
static void add_flow(struct building *building, const struct capacity_demand *demand)
{
    uint32_t first_path = building->path_count;
    uint32_t count = plan_pair_routes(building->fabric, demand->from_nic, demand->to_nic,
        building->scratch, building->routes, building->route_max);
    uint32_t ports = answering_ports(building, count);

    for (int takes_lossy = demand->keeps_lossy;
         takes_lossy < 2 && building->path_count == first_path; takes_lossy++)
        for (uint32_t i = 0; i < count; i++)
            if (ports >> arrival_port(building, &building->routes[i]) & 1 &&
                is_allowed(demand, building->routes[i].ev) &&
                is_open(building, &building->routes[i], takes_lossy))
                add_path(building, demand, &building->routes[i]);
    building->flows[building->flow_count++] = (struct capacity_flow){ .first_path = first_path,
        .path_count = building->path_count - first_path,
        .weight = 1,
        .feeds = demand->feeds };
}

/* ---- the result ------------------------------------------------------------------------------ */

static struct capacity_name name_of(const struct topology *topology, uint32_t link)
{
    const struct graph *graph = topology->graph;
    const struct graph_link *cable = &graph->links[link / 2];
    struct topology_element element = topology_component_at(topology, TOPOLOGY_LINK, link / 2);

    return (struct capacity_name){ .link = element,
        .goes_up = graph_lower_side(graph, cable) == link % 2,
        .plane_mask = UINT32_C(1) << element.plane % 32,
        .plane_links = 1,
        .healthy_bps = (double)cable->rate_bps };
}

static void name_links(
    const struct building *building, double *link_bps, struct capacity_name *names)
{
    for (uint32_t i = 0; i < 2 * building->fabric->topology.graph->link_count; i++) {
        link_bps[i] = building->rates[i].bps;
        names[i] = name_of(&building->fabric->topology, i);
    }
}

/* Copies everything into one block of memory. */
static int copy_result(struct capacity_fabric *out, const struct building *building)
{
    uint32_t link_count = 2 * building->fabric->topology.graph->link_count;
    size_t flows_bytes = building->flow_count * sizeof(*building->flows);
    size_t paths_bytes = building->path_count * sizeof(*building->paths);
    size_t hops_bytes = building->hop_count * sizeof(*building->hops);
    struct capacity_flow *flows;
    struct capacity_path *paths;
    double *link_bps;
    uint32_t *hops;

    out->memory = malloc(link_count * (sizeof(*out->names) + sizeof(*link_bps)) + flows_bytes +
                         paths_bytes + hops_bytes + 1);
    if (!out->memory)
        return -ENOMEM;
    link_bps = out->memory;
    flows = (struct capacity_flow *)(link_bps + link_count);
    out->names = (struct capacity_name *)(flows + building->flow_count);
    paths = (struct capacity_path *)(out->names + link_count);
    hops = (uint32_t *)(paths + building->path_count);
    memcpy(flows, building->flows, flows_bytes);
    if (paths_bytes > 0) {
        memcpy(paths, building->paths, paths_bytes);
        memcpy(hops, building->hops, hops_bytes);
    }
    name_links(building, link_bps, out->names);
    out->input = (struct capacity_input){ .link_bps = link_bps,
        .link_count = link_count,
        .flows = flows,
        .flow_count = building->flow_count,
        .paths = paths,
        .path_count = building->path_count,
        .hops = hops,
        .hop_count = building->hop_count };
    return 0;
}

static uint32_t slots_of(const struct topology *topology, const struct fault *fault)
{
    uint32_t count = 0;

    for (uint32_t i = 0; fault->of_ev && i < fault->where_count; i++)
        count += fault_cover_slots(topology, &fault->where[i]);
    return count;
}

int capacity_graph_init(struct capacity_fabric *out, const struct plan *fabric,
    const struct fault *const *in_force, uint32_t in_force_count,
    const struct capacity_demand *demands, uint32_t demand_count)
{
    struct building building = { .fabric = fabric,
        .route_max = fabric->topology.config.plane_count * PLAN_PORT_PATHS };
    int err = -ENOMEM;

    *out = (struct capacity_fabric){ 0 };
    for (uint32_t i = 0; i < in_force_count; i++)
        building.loss_max += slots_of(&fabric->topology, in_force[i]);
    building.rates =
        calloc(2 * (size_t)fabric->topology.graph->link_count + 1, sizeof(*building.rates));
    building.losses = calloc(building.loss_max + 1, sizeof(*building.losses));
    building.routes = calloc(building.route_max, sizeof(*building.routes));
    building.scratch = calloc(plan_pair_scratch(fabric) + 1, sizeof(*building.scratch));
    building.flows = calloc(demand_count + 1, sizeof(*building.flows));
    if (building.rates && building.losses && building.routes && building.scratch &&
        building.flows) {
        set_rates(&building, in_force, in_force_count);
        for (uint32_t i = 0; i < demand_count; i++)
            add_flow(&building, &demands[i]);
        err = building.is_out_of_memory ? -ENOMEM : copy_result(out, &building);
    }
    free(building.flows);
    free(building.paths);
    free(building.hops);
    free(building.rates);
    free(building.losses);
    free(building.routes);
    free(building.scratch);
    return err;
}
