/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric as it is emulated: slower or unpaced, and with queues for software. */
#include <errno.h>
#include <stdlib.h>

#include "config/config.h"
#include "lab/devices.h"
#include "lab/slow_graph.h"
#include "lab/soft_state.h"

/* The highest possible rate: such a port never delays frames. */
#define UNPACED_BPS UINT64_C(8000000000000)

/* Returns the size of a queue for the round trip of software. */
static uint32_t buffer_bytes(uint64_t rate_bps, uint32_t permille)
{
    uint64_t bytes =
        rate_bps / 8000 * (CONFIG_NIC_SOFTWARE_RTT_PS / 1000) / 1000000 * permille / 1000;

    return bytes > UINT32_MAX / 4 ? UINT32_MAX / 4 : (uint32_t)bytes;
}

/* Keeps sizes of the file, and raises those that the file does not give. */
static void widen_size(uint32_t *bytes, uint32_t chosen, uint32_t wanted)
{
    if (*bytes == chosen && *bytes < wanted)
        *bytes = wanted;
}

static void widen_buffers(struct topology_config *config, const struct topology_buffers *chosen)
{
    struct topology_buffers *buffers = &config->buffers;
    uint64_t rate_bps =
        config->uplink.rate_bps ? config->uplink.rate_bps : config->host_link.rate_bps;

    widen_size(&buffers->data_bytes, chosen->data_bytes, buffer_bytes(rate_bps, 1000));
    widen_size(&buffers->host_data_bytes, chosen->host_data_bytes,
        buffer_bytes(config->host_link.rate_bps, 1500));
    widen_size(&buffers->red_min_bytes, chosen->red_min_bytes, buffer_bytes(rate_bps, 200));
    widen_size(&buffers->red_max_bytes, chosen->red_max_bytes, buffer_bytes(rate_bps, 800));
    if (buffers->red_min_bytes > buffers->red_max_bytes)
        buffers->red_min_bytes = buffers->red_max_bytes;
}

/* Returns the sizes that the fabric chooses by default. */
static bool choose_buffers(
    const struct topology *topology, uint32_t *scratch, struct topology_buffers *out)
{
    struct topology_config config = topology->config;
    struct topology_problem problem;
    struct topology chosen;
    bool is_fine;

    config.exceptions = NULL;
    config.exception_count = 0;
    config.buffers.data_bytes = 0;
    config.buffers.host_data_bytes = 0;
    config.buffers.red_min_bytes = 0;
    config.buffers.red_max_bytes = 0;
    is_fine = topology->graph
                  ? topology_init_graph(&chosen, &config, topology->graph, scratch, &problem)
                  : topology_init(&chosen, &config, NULL, &problem);
    *out = chosen.config.buffers;
    return is_fine;
}

static void slow_down(struct topology_config *config, uint32_t slower)
{
    config->host_link.rate_bps /= slower;
    config->uplink.rate_bps /= slower;
    config->host_link.delay_ps *= slower;
    config->uplink.delay_ps *= slower;
    config->switch_latency_ps *= slower;
    config->nic_latency_ps *= slower;
}

static void take_pace_away(struct topology_config *config)
{
    config->host_link = (struct topology_link_kind){ .rate_bps = UNPACED_BPS };
    config->uplink = config->host_link;
    config->switch_latency_ps = 1;
    config->nic_latency_ps = 1;
}

static bool copy_exceptions(struct soft *soft, struct topology_config *config)
{
    soft->exceptions = calloc(config->exception_count + 1, sizeof(*soft->exceptions));
    if (!soft->exceptions)
        return false;
    for (uint32_t i = 0; i < config->exception_count; i++) {
        soft->exceptions[i] = config->exceptions[i];
        soft->exceptions[i].rate_bps /= soft->config.slower;
        if (soft->config.is_unpaced && soft->exceptions[i].rate_bps)
            soft->exceptions[i].rate_bps = UNPACED_BPS;
    }
    config->exceptions = soft->exceptions;
    return true;
}

static void remove_link_rates(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->link_count; i++) {
        graph->links[i].rate_bps = UNPACED_BPS;
        graph->links[i].delay_ps = 0;
    }
}

static int plan_graph(struct soft *soft, const struct topology_config *config, uint32_t *scratch)
{
    const struct plan *fabric = soft->config.fabric;
    struct topology_problem problem;

    soft->graph = slow_graph_copy(fabric->topology.graph, soft->config.slower);
    if (!soft->graph)
        return -ENOMEM;
    if (soft->config.is_unpaced)
        remove_link_rates(soft->graph);
    if (!plan_init_graph(
            &soft->fabric, config, soft->graph, fabric->graph.detour, scratch, &problem))
        return -ERANGE;
    soft->fabric.graph.choice = fabric->graph.choice;
    return 0;
}

static int plan_tiers(struct soft *soft, struct topology_config *config)
{
    struct topology_problem problem;

    if (!copy_exceptions(soft, config))
        return -ENOMEM;
    return plan_init(&soft->fabric, config, soft->exceptions, &problem) ? 0 : -ERANGE;
}

int soft_scale(struct soft *soft)
{
    const struct topology *topology = &soft->config.fabric->topology;
    struct topology_config config = topology->config;
    uint32_t nodes = topology->nic_count + topology->switch_count;
    uint32_t *scratch = calloc(nodes, 2 * sizeof(*scratch));
    struct topology_buffers chosen;
    int err = -ENOMEM;

    if (!scratch || !choose_buffers(topology, scratch, &chosen))
        goto free_scratch;
    slow_down(&config, soft->config.slower);
    widen_buffers(&config, &chosen);
    if (soft->config.is_unpaced)
        take_pace_away(&config);
    err = topology->graph ? plan_graph(soft, &config, scratch) : plan_tiers(soft, &config);
    soft->fabric.topology.groups = topology->groups;
    soft->fabric.topology.group_count = topology->group_count;
free_scratch:
    free(scratch);
    return err;
}
