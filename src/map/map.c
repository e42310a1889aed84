/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a map, and the evidence of the data path. */
#include "map/map.h"

#include <assert.h>

void map_init(struct map *map, struct arena *arena, const struct map_config *config)
{
    const struct topology *topology = &config->fabric->topology;
    enum { LINE = 64 };

    assert(config->round_periods > 0);
    assert(config->round_periods <= MAP_ROUND_PERIODS_MAX);
    *map = (struct map){ .config = *config,
        .link_count = (uint32_t)topology_link_count(topology),
        .nic_links = 0,
        .next_verdict = 1 };
    map_schedule_init(&map->schedule, arena, config->fabric);
    map_schedule_wire(&map->schedule, arena);
    map->links = arena_take(arena, map->link_count, sizeof(*map->links), LINE);
    map->active = arena_take(arena, map->link_count, sizeof(*map->active), LINE);
    map->lost = arena_take(arena, config->lost_max, sizeof(*map->lost), LINE);
    map->sites = arena_take(arena, topology->switch_count, sizeof(*map->sites), LINE);
    map->evs_of_nics = arena_take(arena, topology->nic_count, sizeof(*map->evs_of_nics), LINE);
    map->verdicts = arena_take(arena, config->verdict_max, sizeof(*map->verdicts), LINE);
    if (!arena->memory)
        return;
    for (uint32_t i = 0; i < topology->switch_count; i++)
        map->nic_links += map->schedule.sites[i].host_count;
}

static void count_ev(struct map_link *link, bool is_bad)
{
    if (is_bad && link->evs_bad < UINT16_MAX)
        link->evs_bad++;
    else if (!is_bad && link->evs_bad > 0)
        link->evs_bad--;
}

void map_ev_changed(struct map *map, uint32_t from, uint32_t to, uint32_t ev, bool is_bad)
{
    const struct plan *plan = map->config.fabric;
    struct plan_step steps[PLAN_LINKS_MAX];
    uint32_t count;

    if (plan->topology.graph || from >= plan->topology.nic_count ||
        to >= plan->topology.nic_count || !plan_ev_exists(plan, ev))
        return;
    count = plan_steps(plan, from, to, ev, steps);
    for (uint32_t i = 0; i < count; i++)
        count_ev(&map->links[steps[i].link], is_bad);
}
