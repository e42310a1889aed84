/* SPDX-License-Identifier: Apache-2.0 */
/* Rates, limits and thresholds of a test network's ports, and the delay of its links. */
#include "ports.h"

#include <assert.h>
#include <stdlib.h>

enum {
    SACK_BYTES = 100,
    SLOTS_PER_HOST = 8192,
    FIRST_STREAM = 0x10000,
};

static uint32_t bdp_bytes(const struct network_config *config)
{
    return (uint32_t)(config->port_bps / 8 * (config->base_rtt_ps / 1000) / 1000000000);
}

static uint32_t chosen(uint32_t configured, uint32_t otherwise)
{
    return configured ? configured : otherwise;
}

static void init_profiles(struct ports *ports, const struct network_config *config)
{
    uint32_t bdp = bdp_bytes(config);
    struct port_config nic = { .rate_bps = config->port_bps, .data = { .bytes = UINT32_MAX / 2 } };
    struct port_config path = {
        .rate_bps = config->port_bps,
        .data = { .bytes = chosen(config->path_limit_bytes, config->trims ? bdp : 5 * bdp) },
        .red_min_bytes = bdp / 5,
        .red_max_bytes = bdp / 5 * 4,
        .trimmed_bytes = config->trimmed_bytes,
        .trims = config->trims,
        .marks = config->marks,
    };
    struct port_config host = path;

    host.data.bytes = chosen(config->host_limit_bytes, config->trims ? bdp / 2 * 3 : 5 * bdp);
    host.marks = config->marks_last_hop;
    host.faces_host = true;
    port_profile_init(&ports->nic_profile, &nic, &ports->pool);
    port_profile_init(&ports->path_profile, &path, &ports->pool);
    port_profile_init(&ports->host_profile, &host, &ports->pool);
}

static void init_pool(struct ports *ports)
{
    struct arena arena;

    arena_init(&arena, NULL, 0);
    port_pool_init(&ports->pool, &arena, SLOTS_PER_HOST * ports->host_count);
    ports->pool_memory = malloc(arena.used_bytes);
    assert(ports->pool_memory);
    arena_init(&arena, ports->pool_memory, arena.used_bytes);
    port_pool_init(&ports->pool, &arena, SLOTS_PER_HOST * ports->host_count);
}

static const struct port_profile *profile_of(const struct ports *ports, uint32_t port)
{
    if (port < ports_to_host(ports, 0, 0))
        return &ports->nic_profile;
    return port < ports_of_path(ports, 0, 0, 0) ? &ports->host_profile : &ports->path_profile;
}

/* Half of what the base RTT leaves beside transmissions, over the links of each way. */
static uint64_t delay_ps(const struct ports *ports, uint64_t base_rtt_ps)
{
    uint64_t sending_ps =
        port_transmission_ps(&ports->path_profile, PORTS_FULL_BYTES + SACK_BYTES) * PORTS_LINKS;

    assert(base_rtt_ps > sending_ps + 2 * PORTS_LINKS);
    return (base_rtt_ps - sending_ps) / (2 * PORTS_LINKS);
}

void ports_init(struct ports *ports, const struct network_config *config)
{
    *ports = (struct ports){ .host_count = config->host_count,
        .plane_count = config->plane_count,
        .uplink_count = config->uplink_count };
    ports->link = (struct link){ .delay_ps = config->base_rtt_ps / 2, .has_cable = true };
    if (config->delays_only)
        return;
    ports->count = ports_of_path(ports, config->host_count, 0, 0);
    ports->all = malloc(ports->count * sizeof(*ports->all));
    ports->counters = calloc(ports->count, sizeof(*ports->counters));
    ports->seldom = calloc(ports->count, sizeof(*ports->seldom));
    assert(ports->all && ports->counters && ports->seldom);
    init_pool(ports);
    init_profiles(ports, config);
    ports->link.delay_ps = delay_ps(ports, config->base_rtt_ps);
    for (uint32_t i = 0; i < ports->count; i++) {
        ports->counters[i].seldom = ports->seldom[i];
        port_init(&ports->all[i], profile_of(ports, i), &ports->counters[i],
            prng_stream(config->seed, FIRST_STREAM + i));
    }
}

void ports_fini(struct ports *ports)
{
    for (uint32_t i = 0; i < ports->other_count; i++)
        free(ports->other_profiles[i]);
    free(ports->other_profiles);
    free(ports->all);
    free(ports->counters);
    free(ports->seldom);
    free(ports->pool_memory);
}

/* Limits and thresholds are times, in truth: bytes at a rate. */
static uint32_t scaled(
    const struct port_config *config, uint32_t bytes, uint64_t bps, uint32_t bytes_min)
{
    uint64_t at_rate = bytes * (bps / 1000000) / (config->rate_bps / 1000000);

    return at_rate < bytes_min ? bytes_min : (uint32_t)at_rate;
}

void ports_set_path_rate(struct ports *ports, uint32_t plane, uint32_t uplink, uint64_t bps)
{
    const struct port_config *usual = &ports->path_profile.config;
    struct port_profile *profile = malloc(sizeof(*profile));
    struct port_config config = *usual;

    ports->other_profiles =
        realloc(ports->other_profiles, (ports->other_count + 1) * sizeof(profile));
    assert(profile && ports->other_profiles);
    ports->other_profiles[ports->other_count++] = profile;
    config.rate_bps = bps;
    config.data.bytes = scaled(usual, config.data.bytes, bps, 3 * PORTS_FULL_BYTES);
    config.control.bytes = scaled(usual, config.control.bytes, bps, 3 * PORTS_FULL_BYTES);
    config.red_min_bytes = scaled(usual, config.red_min_bytes, bps, PORTS_FULL_BYTES);
    config.red_max_bytes = scaled(usual, config.red_max_bytes, bps, PORTS_FULL_BYTES);
    port_profile_init(profile, &config, &ports->pool);
    for (uint32_t host = 0; host < ports->host_count; host++)
        ports->all[ports_of_path(ports, host, plane, uplink)].profile = profile;
}
