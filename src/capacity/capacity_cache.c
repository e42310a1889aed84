/* SPDX-License-Identifier: Apache-2.0 */
/* A table of solutions, emptied when it is full. */
#include "capacity/capacity_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capacity/capacity_apart.h"
#include "capacity/capacity_ring.h"

#define MEMORY_BYTES  ((size_t)64 << 20)
#define ENTRIES_MOST  4096
#define ENTRIES_LEAST 16

/* Depends on all values so far and on their order; no value cancels another. */
static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash * UINT64_C(0xd1342543de82ef95) + value + 1) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 32;
}

static void key_of(const struct capacity_cache *cache, uint64_t key[2])
{
    key[0] = 1;
    key[1] = 2;
    for (uint32_t i = 0; i < cache->in_force_count; i++)
        key[0] = mix(key[0], cache->in_force_index[i] + UINT64_C(1));
    for (uint32_t i = 0; i < cache->pair_count; i++)
        key[1] = mix(key[1], cache->is_outstanding[i] + 2u * cache->is_tied[i]);
    key[0] = mix(key[0], key[1]);
}

static void forget_all(struct capacity_cache *cache)
{
    for (uint32_t i = 0; i < cache->entry_max; i++) {
        allocator_free(&cache->memory, cache->entries[i].rate_bps);
        cache->entries[i] = (struct capacity_entry){ 0 };
    }
    cache->entry_count = 0;
}

static struct capacity_entry *place_of(struct capacity_cache *cache, const uint64_t key[2])
{
    uint32_t place = (uint32_t)key[0] & (cache->entry_max - 1);

    while (cache->entries[place].is_taken &&
           memcmp(cache->entries[place].key, key, sizeof(cache->entries[place].key)) != 0)
        place = (place + 1) & (cache->entry_max - 1);
    return &cache->entries[place];
}

/* ---- solving --------------------------------------------------------------------------------- */

static struct capacity_demand demand_of(
    const struct capacity_track *track, const struct capacity_pair *pair)
{
    const struct sim_workload *workload = &track->config->workloads[pair->workload];

    return (struct capacity_demand){ .from_nic = pair->from_nic,
        .to_nic = pair->to_nic,
        .payload_share = pair->payload_share,
        .srh_payload_share = pair->srh_payload_share,
        .keeps_lossy = track->config->protocol != SIM_MRC,
        .profile = track->config->fabric->topology.graph && track->config->protocol == SIM_MRC
                       ? sim_flow_profile(track->sim, pair->first_flow)
                       : NULL,
        .evs = workload->evs,
        .ev_count = workload->ev_count };
}

/* The payload shares of a flow are the means of its pairs, weighted by QPs. */
static void add_to_demand(
    struct capacity_cache *cache, uint32_t index, const struct capacity_pair *pair)
{
    struct capacity_demand *demand = &cache->demands[index];
    double before = cache->qps_of_demand[index];
    double after = before + pair->flow_count;

    cache->qps_of_demand[index] += pair->flow_count;
    demand->payload_share =
        (demand->payload_share * before + pair->payload_share * pair->flow_count) / after;
    demand->srh_payload_share =
        (demand->srh_payload_share * before + pair->srh_payload_share * pair->flow_count) / after;
}

/* Demands that are not listed, because there are too many, are not tied. */
static void tie_demands(struct capacity_cache *cache, const struct capacity_track *track)
{
    for (uint32_t i = 0; i < track->pair_count; i++)
        if (cache->is_outstanding[i] && cache->is_tied[i]) {
            uint32_t group = track->pairs[track->forwards[i].feeder - 1].group;
            uint32_t feeder = cache->demand_of_group[group];

            if (feeder != 0 && cache->demand_of_group[i] != 0)
                cache->demands[feeder - 1].feeds = cache->demand_of_group[i];
        }
}

/* Lists the demands of the set, at most `most`. Returns their number. */
static uint32_t list_demands(
    struct capacity_cache *cache, const struct capacity_track *track, uint32_t most)
{
    uint32_t count = 0;

    memset(cache->demand_of_group, 0, cache->pair_count * sizeof(*cache->demand_of_group));
    for (uint32_t i = 0; i < track->pair_count && count < most; i++) {
        const struct capacity_pair *pair = &track->pairs[i];
        uint32_t *demand = &cache->demand_of_group[pair->group];

        if (!cache->is_outstanding[i])
            continue;
        if (*demand == 0) {
            cache->pair_of_demand[count] = i;
            cache->qps_of_demand[count] = 0;
            cache->demands[count] = demand_of(track, pair);
            *demand = ++count;
        }
        add_to_demand(cache, *demand - 1, pair);
    }
    tie_demands(cache, track);
    return count;
}

static double rate_of_pair(const struct capacity_cache *cache, const struct capacity_pair *pair,
    const struct capacity_rates *rates)
{
    uint32_t demand = cache->demand_of_group[pair->group] - 1;

    return rates->flow_bps[demand] * pair->flow_count / cache->qps_of_demand[demand] *
           (pair->payload_share / cache->demands[demand].payload_share);
}

/* In limits, pairs represent flows. */
static void take_solution(struct capacity_cache *cache, struct capacity_track *track,
    const struct capacity_rates *rates, struct capacity_entry *entry)
{
    for (uint32_t i = 0; i < track->pair_count; i++)
        if (cache->is_outstanding[i] && cache->demand_of_group[track->pairs[i].group] != 0)
            entry->rate_bps[i] = rate_of_pair(cache, &track->pairs[i], rates);
    for (uint32_t i = 0; i < entry->limits.top_count; i++)
        entry->limits.top[i].flow = cache->pair_of_demand[entry->limits.top[i].flow];
    track->effort += rates->effort;
    entry->method = rates->method;
    entry->error = rates->error;
}

static int solve_demands(struct capacity_cache *cache, struct capacity_track *track,
    uint32_t demand_count, struct capacity_entry *entry)
{
    const struct plan *fabric = track->config->fabric;
    struct capacity_fabric network;
    struct capacity_rates rates;
    int err = capacity_fabric_init(
        &network, fabric, cache->in_force, cache->in_force_count, cache->demands, demand_count);

    if (err)
        return err;
    err = capacity_fabric_solve(&network, &fabric->topology, &rates);
    if (err)
        goto fini_network;
    err = capacity_limits_find(&entry->limits, &network, &rates);
    if (!err)
        take_solution(cache, track, &rates, entry);
    capacity_rates_fini(&rates);

fini_network:
    capacity_fabric_fini(&network);
    return err;
}

static int solve_entry(
    struct capacity_cache *cache, struct capacity_track *track, struct capacity_entry *entry)
{
    bool is_covered = capacity_apart_covers(cache, track);
    uint32_t demand_count =
        list_demands(cache, track, is_covered ? CAPACITY_LIMITS_MAX : UINT32_MAX);
    int err;

    entry->rate_bps = allocator_take(&cache->memory, cache->pair_count, sizeof(double));
    if (!entry->rate_bps)
        return -ENOMEM;
    track->solve_count++;
    if (demand_count == 0)
        return 0;
    err = solve_demands(cache, track, demand_count, entry);
    if (err)
        return err;
    if (is_covered)
        capacity_apart_complete(cache, entry);
    else
        capacity_apart_note(cache, track, entry);
    return 0;
}

int capacity_cache_find(struct capacity_cache *cache, struct capacity_track *track, bool may_solve,
    const struct capacity_entry **found)
{
    struct capacity_entry *entry;
    uint64_t key[2];
    int err = 0;

    key_of(cache, key);
    entry = place_of(cache, key);
    *found = NULL;
    if (!entry->is_taken && !may_solve && !capacity_apart_covers(cache, track))
        return 0;
    if (!entry->is_taken) {
        if (cache->entry_count >= cache->entry_max / 2) {
            forget_all(cache);
            entry = place_of(cache, key);
        }
        memcpy(entry->key, key, sizeof(key));
        entry->is_taken = true;
        cache->entry_count++;
        err = solve_entry(cache, track, entry);
    }
    *found = entry;
    return err;
}

/* ---- life ------------------------------------------------------------------------------------ */

static uint32_t entries_for(uint32_t pair_count)
{
    uint32_t count = ENTRIES_MOST;

    while (count > ENTRIES_LEAST && (size_t)count / 2 * pair_count * sizeof(double) > MEMORY_BYTES)
        count /= 2;
    return count;
}

struct capacity_cache *capacity_cache_new(
    const struct allocator *memory, uint32_t pair_count, uint32_t fault_count)
{
    struct capacity_cache *cache = allocator_take(memory, 1, sizeof(*cache));

    if (!cache)
        return NULL;
    cache->memory = *memory;
    cache->pair_count = pair_count;
    cache->entry_max = entries_for(pair_count);
    cache->is_outstanding = allocator_take(memory, pair_count, sizeof(*cache->is_outstanding));
    cache->is_tied = allocator_take(memory, pair_count, sizeof(*cache->is_tied));
    cache->in_force = allocator_take(memory, fault_count, sizeof(const struct fault *));
    cache->in_force_index = allocator_take(memory, fault_count, sizeof(*cache->in_force_index));
    cache->entries = allocator_take(memory, cache->entry_max, sizeof(*cache->entries));
    cache->demands = allocator_take(memory, pair_count, sizeof(*cache->demands));
    cache->pair_of_demand = allocator_take(memory, pair_count, sizeof(*cache->pair_of_demand));
    cache->qps_of_demand = allocator_take(memory, pair_count, sizeof(*cache->qps_of_demand));
    cache->demand_of_group = allocator_take(memory, pair_count, sizeof(*cache->demand_of_group));
    if (cache->is_outstanding && cache->is_tied && cache->in_force && cache->in_force_index &&
        cache->entries && cache->demands && cache->pair_of_demand && cache->qps_of_demand &&
        cache->demand_of_group)
        return cache;
    capacity_cache_delete(cache);
    return NULL;
}

void capacity_cache_delete(struct capacity_cache *cache)
{
    struct allocator memory;

    if (!cache)
        return;
    memory = cache->memory;
    if (cache->entries)
        forget_all(cache);
    allocator_free(&memory, cache->is_outstanding);
    allocator_free(&memory, cache->is_tied);
    allocator_free(&memory, cache->in_force);
    allocator_free(&memory, cache->in_force_index);
    allocator_free(&memory, cache->entries);
    allocator_free(&memory, cache->demands);
    allocator_free(&memory, cache->pair_of_demand);
    allocator_free(&memory, cache->qps_of_demand);
    allocator_free(&memory, cache->demand_of_group);
    allocator_free(&memory, cache->apart_bps);
    allocator_free(&memory, cache);
}
