/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the switches, ports and links of an existing fabric. */
#include "study/size.h"

struct walk {
    const struct topology *topology;
    struct size_fabric *fabric;
};

static uint32_t tier_of(const struct topology *topology, uint32_t switch_index)
{
    struct topology_element element = topology_switch_at(topology, switch_index);

    return topology_place_of(&element).tier;
}

static void raise_to(uint32_t *most, uint32_t value)
{
    if (value > *most)
        *most = value;
}

/* A link at a port belongs to its lower switch; links within a tier to the first of both. */
static void count_switch(const struct walk *walk, uint32_t index)
{
    uint32_t tier = tier_of(walk->topology, index);
    struct size_tier *of = &walk->fabric->tiers[tier];
    uint32_t host = 0;
    uint32_t down = 0;
    uint32_t up = 0;

    of->switches++;
    for (uint32_t port = 0; port < topology_port_count(walk->topology, index); port++) {
        struct topology_end peer;

        if (!topology_peer(
                walk->topology, (struct topology_end){ .node = index, .port = port }, &peer))
            continue;
        if (peer.is_nic)
            host++;
        else if (tier_of(walk->topology, peer.node) > tier ||
                 (tier_of(walk->topology, peer.node) == tier && peer.node > index))
            up++;
        else
            down++;
    }
    of->host_links += host;
    of->up_links += up;
    raise_to(&of->host_ports, host);
    raise_to(&of->down_ports, down);
    raise_to(&of->up_ports, up);
    raise_to(&walk->fabric->tier_count, tier + 1);
}

static uint32_t planes_of(const struct topology *topology)
{
    return topology->graph ? topology->graph->plane_count : topology->config.plane_count;
}

static bool levels_have_nics(const struct size_fabric *fabric)
{
    return fabric->tier_count > 1 && fabric->tiers[1].host_links > 0;
}

/* Counts of planes are those of all planes, divided; what remains belongs to a larger plane. */
static void share_among_planes(struct size_fabric *fabric)
{
    for (uint32_t tier = 0; tier < fabric->tier_count; tier++) {
        struct size_tier *of = &fabric->tiers[tier];
        uint64_t *counts[] = { &of->switches, &of->host_links, &of->up_links };

        for (uint32_t i = 0; i < 3; i++) {
            fabric->is_estimated = fabric->is_estimated || *counts[i] % fabric->plane_count > 0;
            *counts[i] = (*counts[i] + fabric->plane_count - 1) / fabric->plane_count;
        }
        of->units = tier == 0 ? of->host_ports : of->down_ports;
        of->parallel = 1;
    }
}

void size_count(const struct topology *topology, struct size_fabric *fabric)
{
    const struct topology_config *config = &topology->config;
    struct walk walk = { topology, fabric };
    struct size_request request;

    size_request_init(&request);
    request.gpus = topology->nic_count;
    request.switch_bps = topology_switch_bps(topology);
    request.uplink_bps = config->uplink.rate_bps;
    request.lane_bps = config->host_link.rate_bps < request.lane_bps ? config->host_link.rate_bps
                                                                     : request.lane_bps;
    *fabric = (struct size_fabric){ .request = request,
        .plane_count = planes_of(topology),
        .nic_ports = config->plane_count,
        .port_bps = config->host_link.rate_bps,
        .uplink_bps = config->uplink.rate_bps,
        .places = topology->nic_count };
    for (uint32_t i = 0; i < topology->switch_count; i++)
        count_switch(&walk, i);
    share_among_planes(fabric);
    if (levels_have_nics(fabric))
        fabric->request.kind = SIZE_ZCUBE;
    else if (fabric->nic_ports < fabric->plane_count)
        fabric->request.kind = SIZE_RAIL_ONLY;
    fabric->request.planes = fabric->plane_count;
    fabric->request.rails = fabric->plane_count;
    fabric->request.tiers = fabric->tier_count;
    fabric->request.nic_bps = fabric->port_bps * fabric->nic_ports;
    fabric->switch_lanes = (uint32_t)(request.switch_bps / request.lane_bps);
    fabric->port_lanes = (uint32_t)((fabric->port_bps + request.lane_bps - 1) / request.lane_bps);
    fabric->uplink_lanes =
        (uint32_t)((fabric->uplink_bps + request.lane_bps - 1) / request.lane_bps);
}
