/* SPDX-License-Identifier: Apache-2.0 */
/* From a description to a fabric: defaults, times, buffers (docs/fabric.md §15). */
#include "topology/topology.h"

#include "topology/topology_check.h"

#define BYTE_PS_AT_1_BPS UINT64_C(8000000000000)
#define BDP_BYTES_MAX    (UINT64_C(1) << 28)
/* On slow links a BDP is a few packets, and no switch has so small queues. */
#define QUEUE_PACKETS_MIN UINT64_C(24)
/* What is left of the first round trip of a thousand senders to one port. */
#define CONTROL_BYTES (UINT32_C(4) << 20)

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
        .buffers = { .trims = true, .marks = true, .trimmed_bytes = 128 },
        .usid_block = 0xfc000042,
        .checks_source = true,
    };
}

/* ---- times ----------------------------------------------------------------------------------- */

/* As a port of the switch reckons, to the picosecond. */
static uint64_t transmission_ps(uint64_t rate_bps, uint64_t bytes)
{
    return ((BYTE_PS_AT_1_BPS << 16) / rate_bps) * bytes >> 16;
}

static uint64_t crossing_ps(const struct topology_link_kind *kind, uint64_t bytes)
{
    return kind->delay_ps + transmission_ps(kind->rate_bps, bytes);
}

/* Store and forward: every link takes the whole packet before the next one gets any of it. */
static uint64_t one_way_ps(const struct topology_config *config, bool is_local, uint64_t bytes)
{
    uint64_t hosts_ps = 2 * (config->nic_latency_ps + crossing_ps(&config->host_link, bytes));
    uint64_t uplinks_ps = 2 * (config->switch_latency_ps + crossing_ps(&config->uplink, bytes));

    return hosts_ps + config->switch_latency_ps + (is_local ? 0 : uplinks_ps);
}

uint64_t topology_one_way_ps(const struct topology *topology, uint32_t from, uint32_t to)
{
    return one_way_ps(&topology->config,
        topology_t0_of(topology, from) == topology_t0_of(topology, to), TOPOLOGY_PACKET_BYTES);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t lookahead_ps(const struct topology_config *config)
{
    uint64_t host_ps =
        config->host_link.delay_ps + smaller(config->switch_latency_ps, config->nic_latency_ps);

    return config->t1_count == 0
               ? host_ps
               : smaller(host_ps, config->uplink.delay_ps + config->switch_latency_ps);
}

/* ---- what was left out ----------------------------------------------------------------------- */

/* In ns and Mb/s, so that the product fits. */
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

bool topology_init(struct topology *topology, const struct topology_config *description,
    struct topology_exception *exceptions, struct topology_problem *problem)
{
    struct topology_config *config = &topology->config;

    if (!topology_check(description, problem))
        return false;
    *topology = (struct topology){ .config = *description };
    complete_counts(config);
    topology->nic_count = config->nic_count;
    topology->switch_count = config->plane_count * (config->t0_count + config->t1_count);
    topology->t0_reciprocal =
        ((UINT64_C(1) << 32) + config->hosts_per_t0 - 1) / config->hosts_per_t0;
    if (!topology_check_exceptions(topology, description, exceptions, problem))
        return false;
    config->exceptions = exceptions;
    topology->base_rtt_ps = one_way_ps(config, config->t0_count == 1, TOPOLOGY_PACKET_BYTES) +
                            one_way_ps(config, config->t0_count == 1, TOPOLOGY_SACK_BYTES);
    topology->lookahead_ps = lookahead_ps(config);
    complete_buffers(&config->buffers, bdp_bytes(topology->base_rtt_ps, config->uplink.rate_bps),
        bdp_bytes(topology->base_rtt_ps, config->host_link.rate_bps));
    return true;
}
