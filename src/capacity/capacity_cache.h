/* SPDX-License-Identifier: Apache-2.0 */
/* Rates for sets of faults and outstanding pairs that occurred before. */
#pragma once

#include "capacity/capacity.h"

struct capacity_entry {
    uint64_t key[2];  /* identifies the set */
    double *rate_bps; /* by pair */
    double error;
    enum capacity_method method;
    struct capacity_limits limits;
    bool is_taken;
};

/* The requested set, and the solutions of earlier sets. */
struct capacity_cache {
    struct allocator memory;
    bool *is_outstanding; /* by pair */
    bool *is_tied;        /* by pair: due no more than what feeds it (capacity_ring.h) */
    uint32_t *in_force_index;
    const struct fault **in_force;
    uint32_t in_force_count;
    uint32_t pair_count;
    struct capacity_entry *entries;
    uint32_t entry_max; /* a power of two */
    uint32_t entry_count;
    /* scratch */
    struct capacity_demand *demands;
    uint32_t *pair_of_demand;  /* its first pair */
    uint32_t *qps_of_demand;   /* of all its pairs */
    uint32_t *demand_of_group; /* plus 1 */
    double *apart_bps; /* capacity_apart.h: by pair; 0: not in the set; NULL: pairs are not apart */
};

/* Returns NULL if there is no memory. */
struct capacity_cache *capacity_cache_new(
    const struct allocator *, uint32_t pair_count, uint32_t fault_count);
void capacity_cache_delete(struct capacity_cache *);

/* Finds the rates for the set in the table, or solves it if `may_solve`. NULL: unknown. The entry
 * is valid until the next call. Returns 0, -ENOMEM or -EIO. */
int capacity_cache_find(struct capacity_cache *, struct capacity_track *, bool may_solve,
    const struct capacity_entry **);
