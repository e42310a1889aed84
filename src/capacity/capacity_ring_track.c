/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the rings of a simulation. */
#include <errno.h>

#include "capacity/capacity_cache.h"
#include "capacity/capacity_ring.h"

int capacity_ring_init(struct capacity_track *track)
{
    track->forwards = allocator_take(&track->memory, track->pair_count, sizeof(*track->forwards));
    if (!track->forwards)
        return -ENOMEM;
    if (!capacity_ring_find(track->forwards, track->pairs, track->pair_count, track->config)) {
        allocator_free(&track->memory, track->forwards);
        track->forwards = NULL;
    }
    return 0;
}

static double placed_bits(const struct capacity_track *track, const struct capacity_pair *pair)
{
    double bits = 0;

    for (uint32_t i = 0; i < pair->flow_count; i++)
        bits += 8 * (double)sim_flow_placed_bytes(track->sim, pair->first_flow + i);
    return bits;
}

void capacity_ring_look(struct capacity_track *track)
{
    struct capacity_cache *cache = track->cache;
    double time_s = (double)(sim_now_ps(track->sim) - track->now_ps) / (double)SIM_PS_PER_S;

    for (uint32_t i = 0; i < track->pair_count; i++)
        if (track->forwards[i].feeder)
            track->forwards[i].placed_bits = placed_bits(track, &track->pairs[i]);
    capacity_ring_flow(track->forwards, track->pair_count, track->known_bps, track->bits, time_s);
    capacity_ring_tie(track->forwards, track->pair_count, track->bits);
    capacity_ring_starve(track->forwards, track->pair_count, cache->is_outstanding);
    for (uint32_t i = 0; i < track->pair_count; i++)
        cache->is_tied[i] = track->forwards[i].is_tied;
}
