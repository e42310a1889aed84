/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table with linear probing. A removal moves later entries back, so that there are no holes
 * and no marks of removed entries. */
#include "map/map_evs.h"

#include <assert.h>

#include "map/map_ends.h"

enum { NIC_SHARE = 64 }; /* a NIC may hold one place in 64 */

void map_evs_init(struct map_evs *evs, struct arena *arena, uint32_t place_count)
{
    enum { LINE = 64 };

    assert((place_count & (place_count - 1)) == 0);
    *evs = (struct map_evs){ .place_count = place_count };
    evs->places = arena_take(arena, place_count, sizeof(*evs->places), LINE);
}

static uint32_t home_of(const struct map_evs *evs, const struct map_avoided *avoided)
{
    uint64_t hash = (uint64_t)avoided->from << 32 ^ avoided->to;

    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    hash ^= (uint64_t)avoided->qpn << 32 ^ avoided->ev;
    hash = (hash ^ hash >> 32) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(hash >> 32) & (evs->place_count - 1);
}

static bool is_same(const struct map_avoided *a, const struct map_avoided *b)
{
    return a->from == b->from && a->to == b->to && a->qpn == b->qpn && a->ev == b->ev;
}

/* Returns the place of the entry, or the one where it belongs. */
static uint32_t find_place(const struct map_evs *evs, const struct map_avoided *avoided)
{
    uint32_t at = home_of(evs, avoided);

    while (evs->places[at].is_used && !is_same(&evs->places[at].avoided, avoided))
        at = (at + 1) & (evs->place_count - 1);
    return at;
}

/* An entry may move to `hole` unless that is before its home. */
static void close_hole(struct map_evs *evs, uint32_t hole)
{
    uint32_t mask = evs->place_count - 1;

    for (uint32_t at = (hole + 1) & mask; evs->places[at].is_used; at = (at + 1) & mask) {
        uint32_t home = home_of(evs, &evs->places[at].avoided);

        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        evs->places[hole] = evs->places[at];
        hole = at;
    }
    evs->places[hole].is_used = false;
}

static void remove_at(struct map_evs *evs, struct map *map, uint32_t place)
{
    const struct map_avoided *avoided = &evs->places[place].avoided;

    map_ev_changed(map, avoided->from, avoided->to, avoided->ev, false);
    map->evs_of_nics[avoided->from]--;
    close_hole(evs, place);
    evs->count--;
}

/* One NIC must not take the room of the others. */
static bool has_room(const struct map_evs *evs, const struct map *map, uint32_t from)
{
    return evs->count < evs->place_count / 4 * 3 &&
           map->evs_of_nics[from] < evs->place_count / NIC_SHARE;
}

void map_evs_change(
    struct map_evs *evs, struct map *map, const struct map_avoided *avoided, bool is_bad)
{
    uint32_t at = find_place(evs, avoided);

    if (!is_bad) {
        if (evs->places[at].is_used)
            remove_at(evs, map, at);
        return;
    }
    if (!evs->places[at].is_used) {
        if (!has_room(evs, map, avoided->from)) {
            evs->dropped++;
            return;
        }
        evs->count++;
        map->evs_of_nics[avoided->from]++;
        map_ev_changed(map, avoided->from, avoided->to, avoided->ev, true);
    }
    evs->places[at] = (struct map_evs_place){ .avoided = *avoided, .is_used = true };
}

/* A removal may move an entry that was not looked at to the same place. */
void map_evs_forget_qp(struct map_evs *evs, struct map *map, uint32_t from, uint32_t qpn)
{
    for (uint32_t i = 0; map->evs_of_nics[from] > 0 && i < evs->place_count; i++)
        while (evs->places[i].is_used && evs->places[i].avoided.from == from &&
               evs->places[i].avoided.qpn == qpn)
            remove_at(evs, map, i);
}

void map_evs_forget_nic(struct map_evs *evs, struct map *map, uint32_t from)
{
    for (uint32_t i = 0; map->evs_of_nics[from] > 0 && i < evs->place_count; i++)
        while (evs->places[i].is_used && evs->places[i].avoided.from == from)
            remove_at(evs, map, i);
}

void map_evs_expire(struct map_evs *evs, struct map *map, uint64_t before_ms)
{
    for (uint32_t i = 0; evs->count > 0 && i < evs->place_count; i++)
        while (evs->places[i].is_used && evs->places[i].avoided.time_ms < before_ms)
            remove_at(evs, map, i);
}

static bool step_implicates(const struct map *map, uint32_t link, const struct map_verdict *verdict)
{
    const struct topology *topology = &map->config.fabric->topology;
    struct map_ends ends;
    uint32_t at;

    if (topology_is_link(verdict->element.kind))
        return link == topology_link_number(topology, verdict->lower);
    if (!topology_is_switch(verdict->element.kind))
        return false;
    ends = map_ends_of(map, link);
    at = topology_switch_index(topology, &verdict->element);
    return ends.upper.node == at || (!ends.lower.is_nic && ends.lower.node == at);
}

bool map_evs_implicates(
    const struct map *map, const struct map_avoided *avoided, const struct map_verdict *verdict)
{
    const struct plan *plan = map->config.fabric;
    struct plan_step steps[PLAN_LINKS_MAX];
    uint32_t count;

    if (plan->topology.graph)
        return false;
    if (verdict->element.kind == TOPOLOGY_NIC)
        return avoided->from == verdict->element.nic || avoided->to == verdict->element.nic;
    count = plan_steps(plan, avoided->from, avoided->to, avoided->ev, steps);
    for (uint32_t i = 0; i < count; i++)
        if (step_implicates(map, (uint32_t)steps[i].link, verdict))
            return true;
    return false;
}
