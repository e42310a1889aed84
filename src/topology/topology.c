/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a description into a fabric: defaults, times, buffers (docs/fabric.md §15). */
#include "topology/topology.h"

#include "base/byte_time.h"
#include "topology/topology_check.h"

#define BDP_BYTES_MAX (UINT64_C(1) << 28)
/* On slow links one BDP is only a few packets; real switches have larger queues. */
#define QUEUE_PACKETS_MIN UINT64_C(24)
/* Holds the control packets that remain queued after the first round trip of 1,000 senders to one
 * port. */
#define CONTROL_BYTES (UINT32_C(4) << 20)
/* Times within a window of the simulator have 32 bits: at most 4.29 ms. */
#define LOOKAHEAD_MAX_PS UINT64_C(4000000000)

const char *const topology_alpha_words[] = { "1/128", "1/64", "1/32", "1/16", "1/8", "1/4", "1/2",
    "1", "2", "4", "8", NULL };

void topology_config_init(struct topology_config *config)
{
    *config = (struct topology_config){
        .name = "fabric",
        .plane_count = 4,
        .t0_count = 8,
        .t1_count = 8,
        .hosts_per_t0 = 8,
        .host_link = { .rate_bps = UINT64_C(100000000000), .delay_ps = 500000 },
        .uplink = { .rate_bps = UINT64_C(100000000000), .delay_ps = 500000 },
        .switch_latency_ps = 500000,
        .nic_latency_ps = 500000,
        .framing_bytes = TOPOLOGY_FRAMING_BYTES,
        .buffers = { .trims = true,
            .marks = true,
            .trimmed_bytes = 128,
            .alpha = TOPOLOGY_ALPHA_ONE },
        .usid_block = 0xfc000042,
        .checks_source = true,
    };
}

/* ---- times ----------------------------------------------------------------------------------- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t crossing_ps(const struct topology_link_kind *kind, uint64_t bytes)
{
    return kind->delay_ps + byte_time_ps(byte_time_at(kind->rate_bps), bytes);
}

/* Store and forward: each link carries the whole packet before the next link begins. With
 * cut-through, links to switches carry its head. */
static uint64_t way_ps(const struct topology_config *config, uint32_t switch_count, uint64_t bytes)
{
    uint64_t wire_bytes = bytes + config->framing_bytes;
    uint64_t fastest_bps = larger(config->host_link.rate_bps, config->uplink.rate_bps);
    uint64_t host_head =
        topology_head_bytes(config, fastest_bps, config->host_link.rate_bps, wire_bytes);
    uint64_t uplink_head =
        topology_head_bytes(config, fastest_bps, config->uplink.rate_bps, wire_bytes);
    uint64_t hosts_ps = 2 * config->nic_latency_ps + crossing_ps(&config->host_link, host_head) +
                        crossing_ps(&config->host_link, wire_bytes);
    uint64_t uplink_ps = config->switch_latency_ps + crossing_ps(&config->uplink, uplink_head);

    return hosts_ps + config->switch_latency_ps + (switch_count - 1) * uplink_ps;
}

static uint64_t one_way_ps(const struct topology_config *config, bool is_local, uint64_t bytes)
{
    return way_ps(config, is_local ? 1 : 3, bytes);
}

uint64_t topology_one_way_ps(
    const struct topology *topology, uint32_t from, uint32_t to, uint64_t bytes)
{
    bool is_local = topology_leaf_of(topology, from) == topology_leaf_of(topology, to);

    if (topology->graph)
        return way_ps(&topology->config, is_local ? 1 : topology->switches_max, bytes);
    return one_way_ps(&topology->config, is_local, bytes);
}

static uint64_t lookahead_ps(const struct topology_config *config)
{
    uint64_t host_ps =
        config->host_link.delay_ps + smaller(config->switch_latency_ps, config->nic_latency_ps);
    uint64_t least_ps = config->t1_count == 0
                            ? host_ps
                            : smaller(host_ps, config->uplink.delay_ps + config->switch_latency_ps);

    return smaller(least_ps, LOOKAHEAD_MAX_PS);
}

/* ---- defaults -------------------------------------------------------------------------------- */

/* Computed in ns and Mb/s, so that the product fits. */
static uint64_t bdp_bytes(uint64_t rtt_ps, uint64_t rate_bps)
{
    return smaller(rtt_ps / 1000 * (rate_bps / 1000000) / 8000, BDP_BYTES_MAX);
}

static uint32_t queue_bytes(uint64_t bytes)
{
    return (uint32_t)larger(bytes, QUEUE_PACKETS_MIN * TOPOLOGY_PACKET_BYTES);
}

static void complete_buffers(struct topology_buffers *buffers, uint64_t bdp, uint64_t host_bdp)
{
    if (buffers->data_bytes == 0)
        buffers->data_bytes = queue_bytes(buffers->trims ? bdp : 5 * bdp);
    if (buffers->host_data_bytes == 0)
        buffers->host_data_bytes = queue_bytes(buffers->trims ? host_bdp * 3 / 2 : 5 * host_bdp);
    bdp = larger(bdp, QUEUE_PACKETS_MIN / 2 * TOPOLOGY_PACKET_BYTES);
    if (buffers->control_bytes == 0)
        buffers->control_bytes = CONTROL_BYTES;
    if (buffers->red_max_bytes == 0)
        buffers->red_max_bytes = (uint32_t)larger(bdp * 4 / 5, buffers->red_min_bytes);
    if (buffers->red_min_bytes == 0)
        buffers->red_min_bytes = (uint32_t)smaller(bdp / 5, buffers->red_max_bytes);
}

static void complete_counts(struct topology_config *config)
{
    if (config->nic_count == 0)
        config->nic_count = config->t0_count * config->hosts_per_t0;
    if (config->radix == 0)
        config->radix = (uint32_t)larger(
            config->hosts_per_t0 + config->t1_count, config->t1_count ? config->t0_count : 0);
}

static void complete_queues(struct topology *topology)
{
    struct topology_config *config = &topology->config;

    complete_buffers(&config->buffers, bdp_bytes(topology->base_rtt_ps, config->uplink.rate_bps),
        bdp_bytes(topology->base_rtt_ps, config->host_link.rate_bps));
}

bool topology_init(struct topology *topology, const struct topology_config *description,
    struct topology_exception *exceptions, struct topology_problem *problem)
{
    struct topology_config *config = &topology->config;

    if (!topology_check(description, problem))
        return false;
    *topology = (struct topology){ .config = *description, .has_leaves = true };
    complete_counts(config);
    topology->nic_count = config->nic_count;
    topology->switch_count = config->plane_count * (config->t0_count + config->t1_count);
    topology->leaf_reciprocal =
        ((UINT64_C(1) << 32) + config->hosts_per_t0 - 1) / config->hosts_per_t0;
    if (!topology_check_exceptions(topology, description, exceptions, problem))
        return false;
    config->exceptions = exceptions;
    topology->base_rtt_ps = one_way_ps(config, config->t0_count == 1, TOPOLOGY_PACKET_BYTES) +
                            one_way_ps(config, config->t0_count == 1, TOPOLOGY_SACK_BYTES);
    topology->lookahead_ps = lookahead_ps(config);
    complete_queues(topology);
    return true;
}

uint64_t topology_slowest_bps(const struct topology *topology)
{
    const struct topology_config *config = &topology->config;
    bool has_uplinks = topology->graph ? topology->switches_max > 1 : config->t0_count > 1;

    return has_uplinks ? smaller(config->host_link.rate_bps, config->uplink.rate_bps)
                       : config->host_link.rate_bps;
}

/* Returns the sum of the rates of the uplinks of a leaf in a plane, without exceptions. */
static uint64_t leaf_bps(const struct topology_config *config)
{
    return config->uplink.rate_bps * config->t1_count;
}

uint64_t topology_share_bps(const struct topology *topology)
{
    const struct topology_config *config = &topology->config;

    if (topology->graph || config->t0_count == 1)
        return 0;
    return config->plane_count *
           smaller(leaf_bps(config) / config->hosts_per_t0, config->host_link.rate_bps);
}

uint64_t topology_arrival_bps(const struct topology *topology, uint32_t nic, uint32_t port)
{
    const struct topology_config *config = &topology->config;
    struct topology_end end = { .is_nic = true, .node = nic, .port = port };
    uint64_t port_bps = topology_port_bps(topology, end);
    bool is_alone = !topology->graph && config->t0_count > 1 && config->hosts_per_t0 == 1;

    return is_alone ? smaller(port_bps, leaf_bps(config)) : port_bps;
}

uint64_t topology_narrowest_bps(const struct topology *topology)
{
    const struct topology_config *config = &topology->config;
    const struct graph *graph = topology->graph;
    uint64_t bps = config->host_link.rate_bps;

    if (config->t1_count > 0)
        bps = smaller(bps, config->uplink.rate_bps);
    for (uint32_t i = 0; graph && i < graph->link_count; i++)
        bps = smaller(bps, graph->links[i].rate_bps);
    for (uint32_t i = 0; i < config->exception_count; i++)
        if (!config->exceptions[i].missing && config->exceptions[i].rate_bps > 0)
            bps = smaller(bps, config->exceptions[i].rate_bps);
    return bps;
}

uint64_t topology_fastest_bps(const struct topology *topology)
{
    const struct topology_config *config = &topology->config;
    const struct graph *graph = topology->graph;
    uint64_t bps = larger(config->host_link.rate_bps, config->uplink.rate_bps);

    for (uint32_t i = 0; graph && i < graph->link_count; i++)
        bps = larger(bps, graph->links[i].rate_bps);
    for (uint32_t i = 0; i < config->exception_count; i++)
        bps = larger(bps, config->exceptions[i].rate_bps);
    return bps;
}

uint64_t topology_switch_bps(const struct topology *topology)
{
    uint64_t most_bps = 0;

    for (uint32_t i = 0; i < topology->switch_count; i++) {
        uint32_t port_count = topology_port_count(topology, i);
        uint64_t bps = 0;

        for (uint32_t port = 0; port < port_count; port++)
            bps += topology_port_bps(topology, (struct topology_end){ .node = i, .port = port });
        most_bps = larger(most_bps, bps);
    }
    return most_bps;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Takes the usual kinds of links from the graph, and limits the lookahead to the fastest crossing
 * of a link. */
static bool take_links(struct topology *topology, struct topology_problem *problem)
{
    const struct graph *graph = topology->graph;
    struct topology_config *config = &topology->config;
    bool has_uplink = false;

    for (uint32_t i = graph->link_count; i > 0; i--) {
        const struct graph_link *link = &graph->links[i - 1];
        bool is_host = graph->nodes[link->ends[graph_lower_side(graph, link)].node].is_nic;
        struct topology_config one = *config;

        one.t1_count = !is_host;
        *(is_host ? &one.host_link : &one.uplink) =
            (struct topology_link_kind){ .rate_bps = link->rate_bps, .delay_ps = link->delay_ps };
        if (!topology_check_common(&one, problem))
            return false;
        topology->lookahead_ps = smaller(topology->lookahead_ps, lookahead_ps(&one));
        has_uplink |= !is_host;
        config->host_link = one.host_link;
        config->uplink = one.uplink;
    }
    if (!has_uplink)
        config->uplink = config->host_link;
    return true;
}

/* Returns false if port p of every NIC is in plane p and no link connects two planes. */
static bool ports_cross(const struct topology *topology)
{
    const struct graph *graph = topology->graph;

    for (uint32_t i = 0; topology->config.plane_count > 1 && i < graph->link_count; i++) {
        const struct graph_link *link = &graph->links[i];
        uint32_t lower = graph_lower_side(graph, link);
        const struct graph_node *below = &graph->nodes[link->ends[lower].node];
        uint32_t plane = below->is_nic ? link->ends[lower].port : below->plane;

        if (graph->nodes[link->ends[!lower].node].plane != plane)
            return true;
    }
    return false;
}

static bool has_leaves(const struct topology *topology)
{
    const struct graph *graph = topology->graph;

    for (uint32_t i = 0; i < graph->link_count; i++) {
        const struct graph_link *link = &graph->links[i];
        uint32_t side = graph_lower_side(graph, link);
        uint32_t below = link->ends[side].node;
        const struct graph_node *lower = &graph->nodes[below];
        const struct graph_node *upper = &graph->nodes[link->ends[!side].node];

        if (lower->is_nic &&
            (upper->tier > 0 ||
                upper->index !=
                    graph->nodes[topology->nic_count + topology_leaf_of(topology, below)].index))
            return false;
        if (!lower->is_nic && (upper->tier == lower->tier || upper->plane != lower->plane))
            return false;
    }
    return true;
}

/* Returns the configuration with the usual rates and the longest delays of the graph. */
static struct topology_config with_longest_cables(const struct topology *topology)
{
    struct topology_config config = topology->config;

    for (uint32_t i = 0; i < topology->graph->link_count; i++) {
        const struct graph_link *link = &topology->graph->links[i];
        uint32_t below = link->ends[graph_lower_side(topology->graph, link)].node;
        bool is_host = topology->graph->nodes[below].is_nic;
        uint64_t *delay_ps = is_host ? &config.host_link.delay_ps : &config.uplink.delay_ps;

        *delay_ps = larger(*delay_ps, link->delay_ps);
    }
    return config;
}

static void take_ports(struct topology *topology)
{
    const struct graph *graph = topology->graph;
    struct topology_config *config = &topology->config;

    config->plane_count = config->radix = 1;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        uint32_t *most = graph->nodes[i].is_nic ? &config->plane_count : &config->radix;

        *most = graph->nodes[i].port_count > *most ? graph->nodes[i].port_count : *most;
    }
}

bool topology_init_graph(struct topology *topology, const struct topology_config *description,
    const struct graph *graph, uint32_t *scratch, struct topology_problem *problem)
{
    struct topology_config *config = &topology->config;
    struct topology_config longest;

    *topology = (struct topology){ .config = *description,
        .graph = graph,
        .nic_count = graph->size.nic_count,
        .switch_count = graph->node_count - graph->size.nic_count,
        .lookahead_ps = UINT64_MAX };
    config->nic_count = topology->nic_count;
    config->t0_count = config->t1_count = config->hosts_per_t0 = 0;
    take_ports(topology);
    if (!take_links(topology, problem))
        return false;
    topology->ports_cross = ports_cross(topology);
    topology->has_leaves = has_leaves(topology);
    topology->switches_max = graph_longest(graph, scratch);
    longest = with_longest_cables(topology);
    topology->base_rtt_ps = way_ps(&longest, topology->switches_max, TOPOLOGY_PACKET_BYTES) +
                            way_ps(&longest, topology->switches_max, TOPOLOGY_SACK_BYTES);
    complete_queues(topology);
    return true;
}
