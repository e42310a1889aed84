/* SPDX-License-Identifier: Apache-2.0 */
/* A complete switch: ports, profiles, counters, buffer. */
#include "switch/switch.h"

#include <assert.h>
#include <string.h>

enum {
    HOST_PROFILE,
    UPLINK_PROFILE,
    KIND_COUNT,
    CACHE_LINE_BYTES = 64,
};

static uint32_t kind_of(const struct switch_node *node, uint32_t port)
{
    return port < node->host_port_count ? HOST_PROFILE : UPLINK_PROFILE;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static struct port_config host_config(const struct switch_config *config)
{
    struct port_config host = config->host;

    host.faces_host = true;
    host.marks &= config->marks_hosts;
    return host;
}

static void take_hosts(
    struct switch_node *node, struct arena *arena, const struct switch_config *config)
{
    if (!config->hosts)
        return;
    node->hosts = arena_take(
        arena, node->host_port_count, sizeof(struct ipv6_addr), _Alignof(struct ipv6_addr));
    if (node->hosts)
        memcpy(node->hosts, config->hosts, node->host_port_count * sizeof(struct ipv6_addr));
}

static void take_memory(struct switch_node *node, struct arena *arena)
{
    node->ports = arena_take(arena, node->port_count, sizeof(struct port), CACHE_LINE_BYTES);
    node->profiles = arena_take(arena, (size_t)KIND_COUNT + node->exception_max,
        sizeof(struct port_profile), CACHE_LINE_BYTES);
    node->waiting =
        arena_take(arena, BITS_WORDS(node->port_count), sizeof(uint64_t), _Alignof(uint64_t));
    node->up =
        arena_take(arena, BITS_WORDS(node->port_count), sizeof(uint64_t), _Alignof(uint64_t));
    node->exception_ports =
        arena_take(arena, node->exception_max, sizeof(uint32_t), _Alignof(uint32_t));
}

static void init_ports(
    struct switch_node *node, const struct switch_config *config, struct port_counters *counters)
{
    for (uint32_t port = 0; port < node->port_count; port++) {
        uint32_t kind = kind_of(node, port);

        port_init(&node->ports[port], &node->profiles[kind],
            &counters[config->counters_by_kind ? kind : port], prng_stream(config->seed, port));
        bits_set(node->up, port);
    }
}

void switch_init(struct switch_node *node, struct arena *arena, const struct switch_config *config)
{
    struct port_config host = host_config(config);
    struct port_counters *counters;

    assert(config->host_port_count <= config->port_count);
    *node = (struct switch_node){ .table = config->table,
        .port_count = config->port_count,
        .host_port_count = config->host_port_count,
        .exception_max = config->exception_max,
        .pool = config->pool ? config->pool : &node->own_pool };
    take_memory(node, arena);
    take_hosts(node, arena, config);
    counters =
        port_counters_take(arena, config->counters_by_kind ? KIND_COUNT : config->port_count);
    if (!config->pool)
        port_pool_init(&node->own_pool, arena, config->slot_count);
    if (!node->ports)
        return;
    port_profile_init(&node->profiles[HOST_PROFILE], &host, node->pool);
    port_profile_init(&node->profiles[UPLINK_PROFILE], &config->uplink, node->pool);
    for (uint32_t i = 0; i < node->exception_max; i++)
        node->exception_ports[i] = SWITCH_NO_PORT;
    shared_buffer_init(&node->buffer, &config->buffer);
    init_ports(node, config, counters);
}

/* ---- links ----------------------------------------------------------------------------------- */

/* Returns the exception of the port, or a free one. */
static uint32_t exception_for(const struct switch_node *node, uint32_t port)
{
    uint32_t free_index = node->exception_max;

    for (uint32_t i = node->exception_max; i-- > 0;) {
        if (node->exception_ports[i] == port)
            return i;
        if (node->exception_ports[i] == SWITCH_NO_PORT)
            free_index = i;
    }
    return free_index;
}

/* Gives a port a profile that differs from that of its kind in rate or marking, if at all. */
static void change_port(struct switch_node *node, uint32_t port, uint64_t rate_bps, bool marks)
{
    const struct port_profile *kind = &node->profiles[kind_of(node, port)];
    uint32_t index = exception_for(node, port);
    struct port_config config = kind->config;

    if (rate_bps == config.rate_bps && marks == config.marks) {
        node->ports[port].profile = kind;
        if (index < node->exception_max)
            node->exception_ports[index] = SWITCH_NO_PORT;
        return;
    }
    assert(index < node->exception_max);
    config.rate_bps = rate_bps;
    config.marks = marks;
    port_profile_init(&node->profiles[KIND_COUNT + index], &config, node->pool);
    node->exception_ports[index] = port;
    node->ports[port].profile = &node->profiles[KIND_COUNT + index];
}

void switch_set_rate(struct switch_node *node, uint32_t port, uint64_t rate_bps)
{
    assert(port < node->port_count);
    change_port(node, port, rate_bps, node->ports[port].profile->config.marks);
}

void switch_set_marks(struct switch_node *node, uint32_t port, bool marks)
{
    assert(port < node->port_count);
    change_port(node, port, node->ports[port].profile->config.rate_bps, marks);
}

void switch_port_up(struct switch_node *node, uint32_t port)
{
    assert(port < node->port_count);
    bits_set(node->up, port);
}

void switch_port_down(struct switch_node *node, uint32_t port)
{
    assert(port < node->port_count);
    bits_clear(node->up, port);
}

/* ---- drops ----------------------------------------------------------------------------------- */

struct switch_outcome switch_refuse(
    struct switch_node *node, uint32_t in_port, enum drop_reason reason)
{
    assert(in_port < node->port_count);
    assert(reason != DROP_NONE);
    node->drops[reason]++;
    port_count_seldom(&node->ports[in_port], PORT_COUNTER_REFUSED);
    return (struct switch_outcome){ .at_port = { .verdict = PORT_DROPPED, .reason = reason },
        .port = SWITCH_NO_PORT };
}

bool switch_discard(struct switch_node *node, uint32_t port, struct port_entry *out)
{
    assert(port < node->port_count);
    if (!port_take_out(&node->ports[port], out))
        return false;
    if (node->buffer.config.size_bytes)
        shared_buffer_release(&node->buffer, out->length_bytes);
    port_drop(&node->ports[port], DROP_PORT_DOWN);
    node->drops[DROP_PORT_DOWN]++;
    if (port_next_ps(&node->ports[port]) == PORT_NEVER_PS)
        bits_clear(node->waiting, port);
    return true;
}
