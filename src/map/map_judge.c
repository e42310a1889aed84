/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts (docs/fabric.md §11). A link whose evidence suffices is compared with the other links of
 * its switches and of its NIC. If most of them lose probes as well, the switch or the NIC is at
 * fault. */
#include "map/map_judge.h"

#include <assert.h>

#include "map/map_ends.h"
#include "map/map_tally.h"

static const struct topology *fabric_of(const struct map *map)
{
    return &map->config.fabric->topology;
}

/* ---- the element at fault -------------------------------------------------------------------- */

/* Returns true if a switch with NICs explains the losses of one of its links to them. If it has one
 * NIC only, probes of others that pass the switch decide. */
static bool hosts_blame_switch(const struct map *map, uint32_t switch_index)
{
    struct map_tally hosts = map_tally_hosts(map, switch_index);
    struct map_tally uplinks;

    if (hosts.count > 1)
        return map_tally_most(hosts.raised, hosts.count);
    uplinks = map_tally_uplinks(map, switch_index);
    return map_tally_most(uplinks.suspect, uplinks.count);
}

/* Returns true if a switch explains the losses of one of its links to other switches. With NICs,
 * these must be affected, too: a quarter of their links at least. */
static bool uplinks_blame_switch(const struct map *map, uint32_t switch_index)
{
    struct map_tally uplinks = map_tally_uplinks(map, switch_index);
    struct map_tally hosts = map_tally_hosts(map, switch_index);

    return map_tally_most(uplinks.raised, uplinks.count) &&
           (hosts.count == 0 || 4 * hosts.suspect > hosts.count);
}

static struct map_verdict *new_verdict(struct map *map)
{
    uint32_t oldest = map->verdict_count;

    if (map->verdict_count < map->config.verdict_max)
        return &map->verdicts[map->verdict_count++];
    for (uint32_t i = 0; i < map->verdict_count && oldest == map->verdict_count; i++)
        if (!map_verdict_is_open(&map->verdicts[i]))
            oldest = i;
    if (oldest == map->verdict_count)
        return NULL;
    for (uint32_t i = oldest; i + 1 < map->verdict_count; i++)
        map->verdicts[i] = map->verdicts[i + 1];
    return &map->verdicts[map->verdict_count - 1];
}

static void reach_verdict(struct map *map, const struct map_verdict *found)
{
    struct map_verdict *verdict = new_verdict(map);

    if (!verdict) {
        map->counts.unnamed++;
        return;
    }
    *verdict = *found;
    verdict->number = map->next_verdict++;
    verdict->named = map_period(map);
    verdict->cleared = MAP_NEVER;
}

static struct map_verdict verdict_of(const struct map_tally *tally)
{
    return (struct map_verdict){
        .loss_ppm = tally->raised ? (uint32_t)(tally->loss_ppm / tally->raised) : 0,
        .weight_nats = (uint32_t)(tally->weight / MAP_NAT),
        .evs_bad = (uint32_t)tally->evs_bad,
        .since = tally->since
    };
}

static void set_flag(struct map_link *link, bool is_named)
{
    link->flags =
        (uint8_t)(is_named ? link->flags | MAP_LINK_NAMED : link->flags & ~MAP_LINK_NAMED);
}

static void mark_switch(struct map *map, uint32_t switch_index, bool is_named)
{
    struct topology_end peer;

    map->sites[switch_index].is_named = is_named;
    for (uint32_t port = 0; port < map->schedule.sites[switch_index].port_count; port++) {
        struct topology_end at = { .node = switch_index, .port = port };

        if (topology_peer(fabric_of(map), at, &peer))
            set_flag(&map->links[topology_link_number(fabric_of(map), at)], is_named);
    }
}

static void mark_nic(struct map *map, uint32_t nic, bool is_named)
{
    for (uint32_t port = 0; port < fabric_of(map)->config.plane_count; port++) {
        struct topology_end end = { .is_nic = true, .node = nic, .port = port };
        struct topology_end peer;

        if (topology_peer(fabric_of(map), end, &peer))
            set_flag(&map->links[topology_nic_link(fabric_of(map), nic, port)], is_named);
    }
}

static void name_switch(struct map *map, uint32_t switch_index, const struct map_tally *tally)
{
    struct map_verdict verdict = verdict_of(tally);

    verdict.element = topology_switch_at(fabric_of(map), switch_index);
    reach_verdict(map, &verdict);
    mark_switch(map, switch_index, true);
}

static void name_nic(struct map *map, uint32_t nic, const struct map_tally *tally)
{
    struct map_verdict verdict = verdict_of(tally);

    verdict.element = (struct topology_element){ .kind = TOPOLOGY_NIC, .nic = nic };
    reach_verdict(map, &verdict);
    mark_nic(map, nic, true);
}

/* Losses of neighbours that have only begun to show may yet blame what the links share. Waits for
 * as long again as it took to suspect the link. */
static bool neighbours_may_tell(const struct map *map, const struct map_link *link)
{
    return map_period(map) - link->since < 2 * (uint64_t)(link->certain - link->since);
}

/* A few more losses may tell the direction. */
static bool may_wait(const struct map *map, const struct map_link *link)
{
    enum { PERIODS = 64 };

    return link->crossings > 0 && map_link_direction(link) == MAP_DIRECTION_UNKNOWN &&
           (link->score < MAP_SCORE_MAX || map_period(map) - link->since < PERIODS);
}

static void name_link(struct map *map, uint32_t number, const struct map_ends *ends)
{
    struct map_link *link = &map->links[number];
    enum map_direction direction = map_link_direction(link);

    if (may_wait(map, link))
        return;
    reach_verdict(map, &(struct map_verdict){ .element = ends->element,
                           .lower = ends->lower,
                           .upper = ends->upper,
                           .direction = direction,
                           .loss_ppm = map_link_loss_ppm(link, direction),
                           .weight_nats = (uint32_t)(map_link_weight(link) / MAP_NAT),
                           .evs_bad = link->evs_bad,
                           .since = link->since });
    set_flag(link, true);
}

static void judge_host_link(struct map *map, uint32_t number, const struct map_ends *ends)
{
    struct map_tally hosts = map_tally_hosts(map, ends->upper.node);
    struct map_tally nic = map_tally_nic(map, ends->lower.node);

    if (hosts_blame_switch(map, ends->upper.node))
        name_switch(map, ends->upper.node, &hosts);
    else if (nic.count > 1 && nic.raised == nic.count)
        name_nic(map, ends->lower.node, &nic);
    else if (!(map_tally_is_open(&hosts) || map_tally_is_open(&nic)) ||
             !neighbours_may_tell(map, &map->links[number]))
        name_link(map, number, ends);
}

static void judge_uplink(struct map *map, uint32_t number, const struct map_ends *ends)
{
    struct map_tally upper = map_tally_uplinks(map, ends->upper.node);
    struct map_tally lower = map_tally_uplinks(map, ends->lower.node);

    if (uplinks_blame_switch(map, ends->upper.node))
        name_switch(map, ends->upper.node, &upper);
    else if (uplinks_blame_switch(map, ends->lower.node))
        name_switch(map, ends->lower.node, &lower);
    else if (!(map_tally_is_open(&upper) || map_tally_is_open(&lower)) ||
             !neighbours_may_tell(map, &map->links[number]))
        name_link(map, number, ends);
}

static void judge_link(struct map *map, uint32_t number)
{
    struct map_link *link = &map->links[number];
    struct map_ends ends;

    if ((link->flags & MAP_LINK_NAMED) || map_link_weight(link) < MAP_SCORE_CERTAIN)
        return;
    ends = map_ends_of(map, number);
    if (!map_link_is_certain(link, ends.bounce))
        return;
    if (link->certain == 0)
        link->certain = (uint32_t)map_period(map);
    if (ends.bounce == MAP_NEAR)
        judge_host_link(map, number, &ends);
    else
        judge_uplink(map, number, &ends);
}

/* ---- recovery -------------------------------------------------------------------------------- */

static bool switch_has_recovered(const struct map *map, uint32_t switch_index)
{
    struct map_tally hosts = map_tally_hosts(map, switch_index);
    struct map_tally uplinks = map_tally_uplinks(map, switch_index);

    return 4 * hosts.raised <= hosts.count && 4 * uplinks.raised <= uplinks.count;
}

static uint32_t link_of(const struct map *map, const struct map_verdict *verdict)
{
    return (uint32_t)topology_link_number(fabric_of(map), verdict->lower);
}

static bool has_recovered(const struct map *map, const struct map_verdict *verdict)
{
    const struct topology_element *element = &verdict->element;

    if (topology_is_switch(element->kind))
        return switch_has_recovered(map, topology_switch_index(fabric_of(map), element));
    if (element->kind == TOPOLOGY_NIC)
        return map_tally_nic(map, element->nic).raised == 0;
    return map->links[link_of(map, verdict)].score < MAP_SCORE_SUSPECT;
}

static void clear_verdict(struct map *map, struct map_verdict *verdict)
{
    const struct topology_element *element = &verdict->element;

    verdict->cleared = map_period(map);
    if (topology_is_switch(element->kind))
        mark_switch(map, topology_switch_index(fabric_of(map), element), false);
    else if (element->kind == TOPOLOGY_NIC)
        mark_nic(map, element->nic, false);
    else
        set_flag(&map->links[link_of(map, verdict)], false);
}

/* Keeps the figures of a link current. */
static void update_verdict(const struct map *map, struct map_verdict *verdict)
{
    const struct map_link *link;

    if (!topology_is_link(verdict->element.kind))
        return;
    link = &map->links[link_of(map, verdict)];
    verdict->direction = map_link_direction(link);
    verdict->loss_ppm = map_link_loss_ppm(link, verdict->direction);
    verdict->evs_bad = link->evs_bad;
}

void map_judge(struct map *map)
{
    for (uint32_t i = 0; i < map->verdict_count; i++) {
        struct map_verdict *verdict = &map->verdicts[i];

        if (!map_verdict_is_open(verdict))
            continue;
        if (has_recovered(map, verdict))
            clear_verdict(map, verdict);
        else
            update_verdict(map, verdict);
    }
    for (uint32_t i = 0; i < map->active_count; i++)
        judge_link(map, map->active[i]);
}
