/* SPDX-License-Identifier: Apache-2.0 */
/* The links of a switch or NIC together: how many of them lose probes. */
#pragma once

#include "map/map.h"

/* A count of links and how many of them lose probes. */
struct map_tally {
    uint32_t count;
    uint32_t raised;
    uint32_t suspect;
    uint64_t loss_ppm; /* sum over those that are raised */
    uint64_t weight;   /* largest */
    uint64_t evs_bad;
    uint32_t since; /* first */
};

/* Links of a switch to NICs, and to other switches. */
struct map_tally map_tally_hosts(const struct map *, uint32_t switch_index);
struct map_tally map_tally_uplinks(const struct map *, uint32_t switch_index);
struct map_tally map_tally_nic(const struct map *, uint32_t nic);

static inline bool map_tally_most(uint32_t some, uint32_t count)
{
    return count > 1 && 2 * some > count;
}

/* Returns true if it cannot be told yet whether one link is at fault, or what they share. */
static inline bool map_tally_is_open(const struct map_tally *tally)
{
    return tally->suspect > 1 && 4 * tally->suspect > tally->count;
}
