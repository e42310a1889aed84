/* SPDX-License-Identifier: Apache-2.0 */
/* The ways of probes. Host d of a switch with u uplinks takes uplink d + t in period t, so that the
 * hosts together take all of them. Neighbours in loops rotate with other periods, so that no two
 * links share all their probes. */
#include <assert.h>
#include <stddef.h>

#include "map/map_site.h"

const char *const map_probe_kind_words[MAP_PROBE_KIND_COUNT + 1] = { "near", "far", "loop", "deep",
    "one-way", NULL };

/* A way under construction: the switch it has reached. */
struct way {
    const struct map_schedule *schedule;
    struct map_probe *probe;
    uint32_t at;
    bool exists;
};

static void leave_by(struct way *way, uint32_t port)
{
    struct topology_end leaves = { .node = way->at, .port = port };
    struct topology_end next = { 0 };

    way->exists = way->exists && map_site_peer(way->schedule, leaves, &next);
    if (!way->exists)
        return;
    way->probe->trail.ports[way->probe->trail.switch_count++] = leaves;
    if (next.is_nic) {
        way->probe->to_nic = next.node;
        way->probe->to_port = next.port;
    }
    way->at = next.node;
}

/* Tries a port first: uplinks with the same number often lead to the same switch. */
static void leave_to(struct way *way, uint32_t switch_index, uint32_t port)
{
    struct topology_end next;
    bool is_there = way->exists && port < way->schedule->sites[way->at].port_count &&
                    map_site_next(way->schedule, way->at, port, &next) && next.node == switch_index;

    if (way->exists && !is_there)
        way->exists =
            topology_port_to(map_site_topology(way->schedule), way->at, switch_index, &port);
    leave_by(way, port);
}

/* Returns a port of the switch that leads on, rotating: not the one that the packet came by. */
static uint32_t port_beside(const struct map_site *site, uint32_t in_port, uint64_t turn)
{
    uint32_t count = map_site_uplinks(site);

    if (count < 2)
        return in_port;
    return site->first_port +
           (in_port - site->first_port + 1 + (uint32_t)(turn % (count - 1))) % count;
}

/* Goes up by `uplink`, on to a neighbour b of that switch, and back from b over another switch. */
static void go_around(struct way *way, uint32_t uplink, uint64_t period)
{
    const struct map_schedule *schedule = way->schedule;
    uint32_t home = way->at;
    const struct map_site *site = &schedule->sites[home];
    struct topology_end above = { 0 };
    struct topology_end back = { 0 };
    uint32_t other = port_beside(site, uplink, period / map_site_uplinks(site));

    way->exists = way->exists && map_site_next(schedule, home, uplink, &above) &&
                  map_site_next(schedule, home, other, &back) && back.node != above.node;
    leave_by(way, uplink);
    if (!way->exists)
        return;
    leave_by(way, port_beside(&schedule->sites[above.node], above.port, period));
    way->exists = way->exists && way->at != home;
    leave_to(way, back.node, other);
    leave_by(way, back.port);
}

/* Goes up by `uplink`, on by one of the ports that lead further up, and back the same way. */
static void go_deep(struct way *way, uint32_t uplink, uint64_t turn)
{
    const struct map_schedule *schedule = way->schedule;
    struct topology_end above;
    struct topology_end top;
    uint32_t left;
    uint32_t port = 0;

    way->exists = way->exists && map_site_next(schedule, way->at, uplink, &above);
    if (!way->exists || schedule->sites[above.node].deep_ports == 0) {
        way->exists = false;
        return;
    }
    left = (uint32_t)((above.port + turn) % schedule->sites[above.node].deep_ports);
    while (!map_site_next(schedule, above.node, port, &top) ||
           schedule->sites[top.node].first_port > 0 || left-- > 0)
        port++;
    leave_by(way, uplink);
    leave_by(way, port);
    leave_by(way, top.port);
    leave_by(way, above.port);
}

/* Returns the kind of a slot, and its number among those of its kind. */
static enum map_probe_kind kind_of(const struct map_site *site, uint32_t number, uint32_t *within)
{
    uint32_t counts[MAP_PROBE_KIND_COUNT] = { 1, site->far_count, site->loop_count,
        site->deep_count, site->one_way_count };
    uint32_t kind = 0;

    while (number >= counts[kind])
        number -= counts[kind++];
    *within = number;
    return (enum map_probe_kind)kind;
}

static uint32_t uplink_of(
    const struct map_site *site, uint32_t host_port, uint32_t within, uint64_t period)
{
    uint64_t turn = host_port + (uint64_t)within * site->host_count + period;

    return site->first_port + (uint32_t)(turn % map_site_uplinks(site));
}

/* Returns the host that gets a one-way probe: all others in turn. */
static uint32_t neighbour_of(const struct map_site *site, uint32_t host_port, uint64_t period)
{
    uint32_t count = site->host_count;

    return (host_port + 1 + (uint32_t)(period % (count - 1))) % count;
}

static void go_far(struct way *way, uint32_t uplink)
{
    struct topology_end above = { 0 };

    way->exists = way->exists && map_site_next(way->schedule, way->at, uplink, &above);
    leave_by(way, uplink);
    leave_by(way, above.port);
}

uint32_t map_schedule_count(const struct map_schedule *schedule, uint32_t nic, uint32_t port)
{
    struct topology_end from = { .is_nic = true, .node = nic, .port = port };
    struct topology_end first;

    if (!map_site_peer(schedule, from, &first) || first.is_nic)
        return 0;
    return map_site_slots(&schedule->sites[first.node]);
}

bool map_schedule_at(
    const struct map_schedule *schedule, const struct map_slot *slot, struct map_probe *probe)
{
    struct topology_end from = { .is_nic = true, .node = slot->nic, .port = slot->port };
    struct way way = { .schedule = schedule, .probe = probe };
    const struct map_site *site;
    struct topology_end first;
    uint32_t within;
    uint32_t last;

    way.exists = map_site_peer(schedule, from, &first) && !first.is_nic;
    if (!way.exists)
        return false;
    site = &schedule->sites[first.node];
    assert(slot->number < map_site_slots(site));
    probe->kind = kind_of(site, slot->number, &within);
    probe->trail.switch_count = 0;
    way.at = first.node;
    last = first.port;
    switch (probe->kind) {
    case MAP_FAR:
        go_far(&way, uplink_of(site, first.port, within, slot->period));
        break;
    case MAP_LOOP:
        go_around(&way, uplink_of(site, first.port, within, slot->period), slot->period);
        break;
    case MAP_DEEP:
        go_deep(&way, uplink_of(site, first.port, within, slot->period),
            slot->period / map_site_uplinks(site) + within);
        break;
    case MAP_ONE_WAY:
        last = neighbour_of(site, first.port, slot->period);
        break;
    default:
        break;
    }
    leave_by(&way, last);
    return way.exists;
}

static struct map_step step_by(const struct topology *topology, struct topology_end leaves)
{
    return (struct map_step){ .link = (uint32_t)topology_link_number(topology, leaves),
        .goes_up = topology_goes_up(topology, leaves) };
}

struct map_steps map_schedule_steps(
    const struct map_schedule *schedule, const struct map_slot *slot, const struct map_probe *probe)
{
    const struct topology *topology = map_site_topology(schedule);
    struct map_steps steps = { .count = 1 };

    steps.at[0] = step_by(
        topology, (struct topology_end){ .is_nic = true, .node = slot->nic, .port = slot->port });
    for (uint32_t i = 0; i < probe->trail.switch_count; i++)
        steps.at[steps.count++] = step_by(topology, probe->trail.ports[i]);
    return steps;
}

bool map_schedule_incoming(const struct map_schedule *schedule, uint32_t nic, uint32_t port,
    uint64_t period, struct map_slot *from)
{
    struct topology_end end = { .is_nic = true, .node = nic, .port = port };
    struct topology_end first;
    struct topology_end sender;
    const struct map_site *site;
    uint32_t back;

    if (!map_site_peer(schedule, end, &first) || first.is_nic)
        return false;
    site = &schedule->sites[first.node];
    if (site->one_way_count == 0 || first.port >= site->host_count)
        return false;
    back = 1 + (uint32_t)(period % (site->host_count - 1u));
    if (!map_site_peer(schedule,
            (struct topology_end){ .node = first.node,
                .port = (first.port + site->host_count - back) % site->host_count },
            &sender) ||
        !sender.is_nic)
        return false;
    *from = (struct map_slot){ .nic = sender.node,
        .port = sender.port,
        .period = period,
        .number = map_site_slots(site) - 1 };
    return true;
}
