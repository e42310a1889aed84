/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the links of switches and NICs. */
#include "map/map_tally.h"

#include "map/map_ends.h"

static const struct topology *fabric_of(const struct map *map)
{
    return &map->config.fabric->topology;
}

static bool is_raised(const struct map_link *link, enum map_probe_kind bounce)
{
    int64_t bounced = (int64_t)link->bounces_lost * map_link_gain(bounce) -
                      (int64_t)link->bounces * map_link_drain(bounce);

    return link->score >= MAP_SCORE_RAISED && 2 * bounced >= MAP_SCORE_RAISED;
}

static void tally_link(
    const struct map *map, uint32_t number, enum map_probe_kind bounce, struct map_tally *tally)
{
    const struct map_link *link = &map->links[number];

    tally->count++;
    tally->suspect += link->score >= MAP_SCORE_SUSPECT;
    if (!is_raised(link, bounce))
        return;
    if (tally->raised == 0 || link->since < tally->since)
        tally->since = link->since;
    tally->raised++;
    tally->loss_ppm += map_link_loss_ppm(link, map_link_direction(link));
    tally->evs_bad += link->evs_bad;
    if ((uint64_t)map_link_weight(link) > tally->weight)
        tally->weight = (uint64_t)map_link_weight(link);
}

/* Tallies the links of ports [first, end) of a switch. */
static struct map_tally tally_ports(
    const struct map *map, uint32_t switch_index, uint32_t first, uint32_t end)
{
    struct map_tally tally = { 0 };

    for (uint32_t port = first; port < end; port++) {
        struct topology_end at = { .node = switch_index, .port = port };
        struct topology_end peer;
        uint32_t link;

        if (!topology_peer(fabric_of(map), at, &peer))
            continue;
        link = (uint32_t)topology_link_number(fabric_of(map), at);
        tally_link(map, link, map_ends_of(map, link).bounce, &tally);
    }
    return tally;
}

struct map_tally map_tally_hosts(const struct map *map, uint32_t switch_index)
{
    return tally_ports(map, switch_index, 0, map->schedule.sites[switch_index].host_count);
}

struct map_tally map_tally_uplinks(const struct map *map, uint32_t switch_index)
{
    const struct map_site *site = &map->schedule.sites[switch_index];

    return tally_ports(map, switch_index, site->first_port, site->port_count);
}

struct map_tally map_tally_nic(const struct map *map, uint32_t nic)
{
    struct map_tally tally = { 0 };

    for (uint32_t port = 0; port < fabric_of(map)->config.plane_count; port++) {
        struct topology_end end = { .is_nic = true, .node = nic, .port = port };
        struct topology_end peer;

        if (topology_peer(fabric_of(map), end, &peer))
            tally_link(
                map, (uint32_t)topology_nic_link(fabric_of(map), nic, port), MAP_NEAR, &tally);
    }
    return tally;
}
