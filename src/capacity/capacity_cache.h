/* SPDX-License-Identifier: Apache-2.0 */
/* Rates for sets of faults and outstanding pairs that were there before. */
#pragma once

#include "capacity/capacity.h"

struct capacity_entry {
    uint64_t key[2];  /* of the set */
    double *rate_bps; /* by pair */
    double error;
    enum capacity_method method;
    struct capacity_limits limits;
    bool is_taken;
};

/* The set that is asked for, and what is known of others. */
struct capacity_cache {
    bool *is_outstanding; /* by pair */
    uint32_t *in_force_index;
    const struct fault **in_force;
    uint32_t in_force_count;
    uint32_t pair_count;
    struct capacity_entry *entries;
    uint32_t entry_max; /* a power of two */
    uint32_t entry_count;
    /* scratch */
    struct capacity_demand *demands;
    uint32_t *pair_of_demand;  /* the first */
    uint32_t *qps_of_demand;   /* of all its pairs */
    uint32_t *demand_of_group; /* plus 1 */
};

/* NULL: no memory. */
struct capacity_cache *capacity_cache_new(uint32_t pair_count, uint32_t fault_count);
void capacity_cache_delete(struct capacity_cache *);

/* The rates for the set, from memory, or by solving if that is allowed; NULL: not known. The entry
 * is good until the next call. 0, -ENOMEM or -EIO. */
int capacity_cache_find(struct capacity_cache *, struct capacity_track *, bool may_solve,
    const struct capacity_entry **);
