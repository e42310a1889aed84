/* SPDX-License-Identifier: Apache-2.0 */
/* The rates of flows that are apart, for sets that are parts of a set that was solved. */
#include "capacity/capacity_apart.h"

#include <stdlib.h>

#include "capacity/capacity_ring.h"

static bool are_apart(const struct capacity_track *track)
{
    uint32_t nic_count = track->config->fabric->topology.nic_count;
    bool *sends = calloc(2 * (size_t)nic_count + 1, sizeof(*sends));
    bool *receives = sends ? sends + nic_count : NULL;
    bool result = sends != NULL;

    for (uint32_t i = 0; result && i < track->pair_count; i++) {
        const struct capacity_pair *pair = &track->pairs[i];

        result = !sends[pair->from_nic] && !receives[pair->to_nic];
        sends[pair->from_nic] = true;
        receives[pair->to_nic] = true;
    }
    free(sends);
    return result;
}

/* With faults or links that differ, the names of links depend on all flows of a set. */
static bool may_hold_for_parts(
    const struct capacity_cache *cache, const struct capacity_track *track)
{
    const struct topology *topology = &track->config->fabric->topology;

    return cache->in_force_count == 0 && topology->config.exception_count == 0 && !topology->graph;
}

int capacity_apart_init(struct capacity_track *track)
{
    struct capacity_cache *cache = track->cache;
    const struct capacity_entry *entry;

    if (!are_apart(track))
        return 0;
    cache->apart_bps = allocator_take(&track->memory, track->pair_count, sizeof(double));
    if (!cache->apart_bps || !may_hold_for_parts(cache, track))
        return 0;
    for (uint32_t i = 0; i < track->pair_count; i++)
        cache->is_outstanding[i] = true;
    return capacity_cache_find(cache, track, true, &entry);
}

static bool holds_for_parts(const struct capacity_cache *cache, const struct capacity_track *track,
    const struct capacity_entry *entry)
{
    return may_hold_for_parts(cache, track) && entry->method == CAPACITY_WATER_FILLING &&
           entry->limits.cut_off == 0 && entry->limits.by_uplinks == 0;
}

void capacity_apart_note(struct capacity_cache *cache, const struct capacity_track *track,
    const struct capacity_entry *entry)
{
    if (!cache->apart_bps || !holds_for_parts(cache, track, entry))
        return;
    for (uint32_t i = 0; i < cache->pair_count; i++)
        if (cache->is_tied[i])
            return;
    for (uint32_t i = 0; i < cache->pair_count; i++)
        cache->apart_bps[i] = entry->rate_bps[i];
}

static bool is_known(
    const struct capacity_cache *cache, const struct capacity_track *track, uint32_t pair)
{
    double rate_bps = cache->apart_bps[pair];

    return rate_bps > 0 && (!cache->is_tied[pair] ||
                               cache->apart_bps[track->forwards[pair].feeder - 1] >= rate_bps);
}

bool capacity_apart_covers(const struct capacity_cache *cache, const struct capacity_track *track)
{
    if (!cache->apart_bps || cache->in_force_count > 0)
        return false;
    for (uint32_t i = 0; i < cache->pair_count; i++)
        if (cache->is_outstanding[i] && !is_known(cache, track, i))
            return false;
    return true;
}

void capacity_apart_complete(const struct capacity_cache *cache, struct capacity_entry *entry)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < cache->pair_count; i++) {
        entry->rate_bps[i] = cache->is_outstanding[i] ? cache->apart_bps[i] : 0;
        count += cache->is_outstanding[i];
    }
    entry->limits.flow_count = count;
    entry->limits.link_count = count;
}
