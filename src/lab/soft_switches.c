/* SPDX-License-Identifier: Apache-2.0 */
/* The switches of a soft fabric: tables, queues, and the hosts of their ports. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lab/soft_state.h"

enum { SLOTS_PER_SWITCH = 65536 };

/* Memory to create one switch. */
struct scratch {
    struct plan_range *routes;
    uint32_t route_max;
    struct ipv6_addr *hosts;
};

static struct port_config port_of(const struct soft *soft, bool faces_host)
{
    const struct topology_config *config = &soft->fabric.topology.config;
    const struct topology_buffers *buffers = &config->buffers;

    return (struct port_config){
        .rate_bps = faces_host ? config->host_link.rate_bps : config->uplink.rate_bps,
        .data = { .bytes = faces_host ? buffers->host_data_bytes : buffers->data_bytes },
        .control = { .bytes = buffers->control_bytes },
        .red_min_bytes = buffers->red_min_bytes,
        .red_max_bytes = buffers->red_max_bytes,
        .trimmed_bytes = buffers->trimmed_bytes,
        .framing_bytes = config->framing_bytes,
        .marks = buffers->marks,
        .trims = buffers->trims,
        .faces_host = faces_host,
    };
}

/* Finds the host of each port of a switch. A port without a cable has the host ::, which is never
 * the source of a frame. */
static void find_hosts(
    const struct soft *soft, uint32_t index, uint32_t count, struct ipv6_addr *hosts)
{
    memset(hosts, 0, count * sizeof(*hosts));
    for (uint32_t port = 0; port < count; port++) {
        struct topology_end nic;

        if (topology_peer(
                &soft->fabric.topology, (struct topology_end){ .node = index, .port = port }, &nic))
            hosts[port] = plan_nic_address(&soft->fabric, nic.node);
    }
}

/* Computes the routes of the switch, which its table may keep. */
static void init_table(const struct soft *soft, const struct scratch *scratch, uint32_t index,
    struct switch_table *table)
{
    struct topology_element element = topology_switch_at(&soft->fabric.topology, index);
    struct plan_names names = plan_names(&soft->fabric, &element);
    struct switch_range *ranges = &soft->routes[(size_t)index * scratch->route_max];
    uint32_t count = plan_routes(&soft->fabric, index, scratch->routes, scratch->route_max);

    for (uint32_t i = 0; i < count; i++)
        ranges[i] = (struct switch_range){ scratch->routes[i].first_usid,
            scratch->routes[i].last_usid, scratch->routes[i].first_port };
    switch_table_init(table, plan_block(&soft->fabric, element.plane), names.first, ranges, count);
    if (names.count > 1)
        switch_table_add_names(table, names.step, names.count - 1);
}

/* Ports of links that do not mark packets. */
static void set_marks(struct soft *soft, uint32_t index)
{
    struct switch_node *node = &soft->switches[index];

    for (uint32_t port = 0; port < node->port_count; port++) {
        struct topology_end end = { .node = index, .port = port };

        switch_set_marks(node, port, topology_marks(&soft->fabric.topology, end));
    }
}

static void init_switch(
    struct soft *soft, const struct scratch *scratch, struct arena *arena, uint32_t index)
{
    const struct topology *topology = &soft->fabric.topology;
    struct switch_config config = {
        .port_count = topology_port_count(topology, index),
        .host_port_count = topology_host_port_count(topology, index),
        .host = port_of(soft, true),
        .uplink = port_of(soft, false),
        .marks_hosts = topology->config.buffers.marks_hosts,
        .buffer = { .size_bytes = topology->config.buffers.shared_bytes,
            .cell_bytes = topology->config.buffers.cell_bytes,
            .alpha_log2 = topology->config.buffers.alpha - TOPOLOGY_ALPHA_ONE },
        .slot_count = SLOTS_PER_SWITCH,
        .seed = soft->config.seed + index,
    };
    struct switch_node measured;

    config.exception_max = config.port_count;
    if (config.host_port_count > 0 && topology->config.checks_source) {
        find_hosts(soft, index, config.host_port_count, scratch->hosts);
        config.hosts = scratch->hosts;
    }
    if (config.uplink.rate_bps == 0)
        config.uplink.rate_bps = config.host.rate_bps;
    init_table(soft, scratch, index, &config.table);
    switch_init(arena->memory ? &soft->switches[index] : &measured, arena, &config);
    if (arena->memory)
        set_marks(soft, index);
}

static bool make_all(struct soft *soft, const struct scratch *scratch)
{
    struct arena arena;

    arena_init(&arena, NULL, 0);
    for (uint32_t i = 0; i < soft->fabric.topology.switch_count; i++)
        init_switch(soft, scratch, &arena, i);
    soft->memory = aligned_alloc(4096, (arena.used_bytes + 4095) & ~(size_t)4095);
    if (!soft->memory)
        return false;
    arena_init(&arena, soft->memory, arena.used_bytes);
    for (uint32_t i = 0; i < soft->fabric.topology.switch_count; i++)
        init_switch(soft, scratch, &arena, i);
    return true;
}

bool soft_switches_make(struct soft *soft)
{
    uint32_t count = soft->fabric.topology.switch_count;
    struct scratch scratch = { .route_max = plan_routes_max(&soft->fabric) };
    bool is_made;

    assert(count > 0);
    scratch.routes = calloc(scratch.route_max, sizeof(*scratch.routes));
    scratch.hosts = calloc(soft->fabric.topology.config.radix, sizeof(*scratch.hosts));
    soft->routes = calloc(count, scratch.route_max * sizeof(*soft->routes));
    soft->switches = calloc(count, sizeof(*soft->switches));
    is_made = scratch.routes && scratch.hosts && soft->routes && soft->switches &&
              make_all(soft, &scratch);
    free(scratch.routes);
    free(scratch.hosts);
    return is_made;
}
