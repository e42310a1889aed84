/* SPDX-License-Identifier: Apache-2.0 */
/* From a description to a fabric: defaults, times, buffers (docs/fabric.md §15). */
#include "fabric/fabric.h"

#include "fabric/fabric_check.h"

#define BYTE_PS_AT_1_BPS UINT64_C(8000000000000)
#define BDP_BYTES_MAX    (UINT64_C(1) << 28)
#define UPLINK_BITS_MIN  8
/* On slow links a BDP is a few packets, and no switch has so small queues. */
#define QUEUE_PACKETS_MIN UINT64_C(24)
/* What is left of the first round trip of a thousand senders to one port. */
#define CONTROL_BYTES (UINT32_C(4) << 20)

void fabric_config_init(struct fabric_config *config)
{
    *config = (struct fabric_config){
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

static uint64_t crossing_ps(const struct fabric_link_kind *kind, uint64_t bytes)
{
    return kind->delay_ps + transmission_ps(kind->rate_bps, bytes);
}

/* Store and forward: every link takes the whole packet before the next one gets any of it. */
static uint64_t one_way_ps(const struct fabric_config *config, bool is_local, uint64_t bytes)
{
    uint64_t hosts_ps = 2 * (config->nic_latency_ps + crossing_ps(&config->host_link, bytes));
    uint64_t uplinks_ps = 2 * (config->switch_latency_ps + crossing_ps(&config->uplink, bytes));

    return hosts_ps + config->switch_latency_ps + (is_local ? 0 : uplinks_ps);
}

uint64_t fabric_one_way_ps(const struct fabric *fabric, uint32_t from, uint32_t to)
{
    return one_way_ps(&fabric->config, fabric_t0_of(fabric, from) == fabric_t0_of(fabric, to),
        FABRIC_PACKET_BYTES);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t lookahead_ps(const struct fabric_config *config)
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
    return (uint32_t)larger(bytes, QUEUE_PACKETS_MIN * FABRIC_PACKET_BYTES);
}

static void complete_buffers(struct fabric_buffers *buffers, uint64_t bdp, uint64_t host_bdp)
{
    if (buffers->data_bytes == 0)
        buffers->data_bytes = queue_bytes(buffers->trims ? bdp : 5 * bdp);
    if (buffers->host_data_bytes == 0)
        buffers->host_data_bytes = queue_bytes(buffers->trims ? host_bdp * 3 / 2 : 5 * host_bdp);
    bdp = larger(bdp, QUEUE_PACKETS_MIN / 2 * FABRIC_PACKET_BYTES);
    if (buffers->control_bytes == 0)
        buffers->control_bytes = CONTROL_BYTES;
    if (buffers->red_max_bytes == 0)
        buffers->red_max_bytes = (uint32_t)larger(bdp * 4 / 5, buffers->red_min_bytes);
    if (buffers->red_min_bytes == 0)
        buffers->red_min_bytes = (uint32_t)smaller(bdp / 5, buffers->red_max_bytes);
}

/* Enough for R/2 uplinks, and for all T1s where these are more. */
static uint32_t uplink_bits(const struct fabric_config *config)
{
    uint64_t uplinks = larger(config->radix / 2, config->t1_count);
    uint32_t bits = UPLINK_BITS_MIN;

    while (UINT64_C(1) << bits < uplinks)
        bits++;
    return bits;
}

static void complete_counts(struct fabric_config *config)
{
    if (config->nic_count == 0)
        config->nic_count = config->t0_count * config->hosts_per_t0;
    if (config->radix == 0)
        config->radix = (uint32_t)larger(
            config->hosts_per_t0 + config->t1_count, config->t1_count ? config->t0_count : 0);
}

bool fabric_init(struct fabric *fabric, const struct fabric_config *description,
    struct fabric_exception *exceptions, struct fabric_problem *problem)
{
    struct fabric_config *config = &fabric->config;

    if (!fabric_check(description, problem))
        return false;
    *fabric = (struct fabric){ .config = *description };
    complete_counts(config);
    fabric->nic_count = config->nic_count;
    fabric->switch_count = config->plane_count * (config->t0_count + config->t1_count);
    fabric->uplink_bits = uplink_bits(config);
    fabric->t0_reciprocal = ((UINT64_C(1) << 32) + config->hosts_per_t0 - 1) / config->hosts_per_t0;
    fabric->outer_high = (uint64_t)config->usid_block << 32 | (uint64_t)FABRIC_USID_T0
                                                                  << (FABRIC_USID_TYPE_SHIFT + 16);
    if (!fabric_check_exceptions(fabric, description, exceptions, problem))
        return false;
    config->exceptions = exceptions;
    fabric->base_rtt_ps = one_way_ps(config, config->t0_count == 1, FABRIC_PACKET_BYTES) +
                          one_way_ps(config, config->t0_count == 1, FABRIC_SACK_BYTES);
    fabric->lookahead_ps = lookahead_ps(config);
    complete_buffers(&config->buffers, bdp_bytes(fabric->base_rtt_ps, config->uplink.rate_bps),
        bdp_bytes(fabric->base_rtt_ps, config->host_link.rate_bps));
    return true;
}
