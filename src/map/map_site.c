/* SPDX-License-Identifier: Apache-2.0 */
/* How many probes of each kind the hosts of a switch send. */
#include "map/map_site.h"

enum {
    FAR_MAX = 24, /* with as many loops, the rest fits MAP_SLOTS_MAX */
    DEEP_MAX = 8,
    RATE_ONE = 256,
};

static uint32_t ratio_up(uint64_t amount, uint64_t unit)
{
    return (uint32_t)((amount + unit - 1) / unit);
}

static uint32_t at_most(uint32_t number, uint32_t limit)
{
    return number < limit ? number : limit;
}

static void count_hosts(const struct topology *topology, uint32_t index, struct map_site *site)
{
    struct topology_end peer;

    site->port_count = (uint16_t)topology_port_count(topology, index);
    site->first_port = (uint16_t)topology_host_port_count(topology, index);
    site->host_count = site->first_port;
    while (site->host_count > 0 &&
           !topology_peer(topology,
               (struct topology_end){ .node = index, .port = site->host_count - 1u }, &peer))
        site->host_count--;
}

/* Counts the ports between switches that have no NICs. */
static void count_deep_ports(struct map_schedule *schedule, uint32_t index)
{
    struct map_site *site = &schedule->sites[index];
    struct topology_end next;

    for (uint32_t port = 0; site->first_port == 0 && port < site->port_count; port++)
        if (map_site_next(schedule, index, port, &next))
            site->deep_ports =
                (uint16_t)(site->deep_ports + (schedule->sites[next.node].first_port == 0));
}

/* Spreads the probes of deep links over the hosts below. The first uplink stands for all. */
static void plan_deep(struct map_schedule *schedule, struct map_site *site)
{
    uint32_t index = (uint32_t)(site - schedule->sites);
    struct topology_end next;
    struct map_site *above;
    uint64_t links;
    uint64_t hosts;

    if (!map_site_next(schedule, index, site->first_port, &next))
        return;
    above = &schedule->sites[next.node];
    if (above->deep_ports == 0)
        return;
    links = (uint64_t)map_site_uplinks(site) * above->deep_ports;
    hosts = (uint64_t)site->host_count * (above->port_count - above->deep_ports);
    if (hosts == 0)
        return;
    site->deep_count = (uint8_t)at_most(ratio_up(links, hosts), DEEP_MAX);
}

static void plan_site(struct map_schedule *schedule, struct map_site *site)
{
    uint32_t uplinks = map_site_uplinks(site);

    if (site->host_count == 0)
        return;
    site->one_way_count = site->host_count > 1;
    if (uplinks == 0)
        return;
    site->far_count = (uint8_t)at_most(ratio_up(uplinks, site->host_count), FAR_MAX);
    site->loop_count = uplinks > 1 ? site->far_count : 0;
    plan_deep(schedule, site);
}

/* A deep link gets the probes of all hosts below the switch at its lower end; of two switches
 * without NICs that is the one with more leaves next to it. Links between switches that have no
 * leaf next to them are out of reach. */
static void rate_deep(struct map_schedule *schedule, uint32_t index)
{
    struct map_site *site = &schedule->sites[index];
    uint64_t probes = 0;
    struct topology_end next;

    if (site->deep_ports == 0)
        return;
    for (uint32_t port = 0; port < site->port_count; port++) {
        const struct map_site *below;

        if (!map_site_next(schedule, index, port, &next))
            continue;
        below = &schedule->sites[next.node];
        if (below->host_count > 0)
            probes += (uint64_t)below->deep_count * below->host_count * RATE_ONE /
                      map_site_uplinks(below);
    }
    site->deep_rate = (uint32_t)(probes / site->deep_ports);
}

static uint32_t uncovered_links(const struct map_schedule *schedule)
{
    uint32_t count = 0;
    struct topology_end next;

    for (uint32_t i = 0; i < map_site_topology(schedule)->switch_count; i++) {
        const struct map_site *site = &schedule->sites[i];

        if (site->deep_ports == 0 || site->deep_rate > 0)
            continue;
        for (uint32_t port = 0; port < site->port_count; port++)
            if (map_site_next(schedule, i, port, &next) && next.node > i)
                count += schedule->sites[next.node].first_port == 0 &&
                         schedule->sites[next.node].deep_rate == 0;
    }
    return count;
}

void map_schedule_init(struct map_schedule *schedule, struct arena *arena, const struct plan *plan)
{
    uint32_t count = plan->topology.switch_count;

    *schedule = (struct map_schedule){ .plan = plan };
    schedule->sites = arena_take(arena, count, sizeof(*schedule->sites), sizeof(uint64_t));
    if (!arena->memory)
        return;
    for (uint32_t i = 0; i < count; i++)
        count_hosts(&plan->topology, i, &schedule->sites[i]);
    for (uint32_t i = 0; i < count; i++)
        count_deep_ports(schedule, i);
    for (uint32_t i = 0; i < count; i++)
        plan_site(schedule, &schedule->sites[i]);
    for (uint32_t i = 0; i < count; i++)
        rate_deep(schedule, i);
    schedule->uncovered = uncovered_links(schedule);
}

static void wire_port(struct map_schedule *schedule, struct topology_end end, struct map_peer *out)
{
    struct topology_end peer = { 0 };

    out->has_cable = topology_peer(map_site_topology(schedule), end, &peer);
    out->is_nic = peer.is_nic;
    out->node = peer.node;
    out->port = (uint16_t)peer.port;
}

static uint32_t count_ports(const struct topology *topology)
{
    uint32_t count = topology->nic_count * topology->config.plane_count;

    for (uint32_t i = 0; i < topology->switch_count; i++)
        count += topology_port_count(topology, i);
    return count;
}

void map_schedule_wire(struct map_schedule *schedule, struct arena *arena)
{
    const struct topology *topology = map_site_topology(schedule);
    struct map_peer *peers =
        arena_take(arena, count_ports(topology), sizeof(*peers), sizeof(uint64_t));
    uint32_t next = 0;

    if (!arena->memory)
        return;
    schedule->nic_ports = topology->config.plane_count;
    for (uint32_t nic = 0; nic < topology->nic_count; nic++)
        for (uint32_t port = 0; port < schedule->nic_ports; port++)
            wire_port(schedule, (struct topology_end){ .is_nic = true, .node = nic, .port = port },
                &peers[next++]);
    for (uint32_t i = 0; i < topology->switch_count; i++) {
        schedule->sites[i].first_peer = next;
        for (uint32_t port = 0; port < schedule->sites[i].port_count; port++)
            wire_port(schedule, (struct topology_end){ .node = i, .port = port }, &peers[next++]);
    }
    schedule->peers = peers;
}
