/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of a graph for the pairs of NICs that exchange packets: the outer destination of each EV,
 * the segment of its SRH if it needs one, and rate and delay. */
#pragma once

#include "base/arena.h"
#include "plan/plan.h"

/* A pair of NICs, in one direction. */
struct lists_pair {
    uint32_t from;
    uint32_t to;
    uint32_t next; /* in its bucket, plus 1 */
    uint32_t first_outer;
    uint16_t first_of_port[TOPOLOGY_PLANES_MAX + 1]; /* from first_outer on */
    struct plan_rtt rtt;                             /* mean of all paths */
};

struct lists {
    const struct plan *fabric;
    struct lists_pair *pairs;
    uint32_t *buckets; /* pair plus 1 */
    struct ipv6_addr *outers;
    struct ipv6_addr *segments; /* by outer, 0: no SRH; NULL: no path needs one */
    uint8_t *switch_counts;     /* by outer */
    uint8_t *weights;           /* by outer */
    int16_t *extras;            /* by outer, relative to the mean */
    uint32_t bucket_mask;
    uint32_t pair_count;
    uint32_t outer_count;
    struct plan_route *routes; /* of the pair that is being added */
    uint32_t *scratch;
    uint64_t *route_weights;
};

/* Has room for pair_max pairs. Takes no memory if the fabric is not a graph. */
void lists_init(struct lists *, struct arena *, const struct plan *, uint32_t pair_max);

/* Finds the paths of a pair, unless they are known. */
const struct lists_pair *lists_add(struct lists *, uint32_t from, uint32_t to);
/* Returns NULL if the pair was not added. */
const struct lists_pair *lists_find(const struct lists *, uint32_t from, uint32_t to);

static inline uint32_t lists_path_count(const struct lists_pair *pair, uint32_t port)
{
    return pair->first_of_port[port + 1] - pair->first_of_port[port];
}

/* Copies what the plan knows about an EV of the pair into its entry. */
static inline void lists_describe(
    const struct lists *lists, const struct lists_pair *pair, struct path_entry *entry)
{
    struct ev_path path = plan_ev_path(lists->fabric, entry->ev);
    uint32_t outer = pair->first_outer + pair->first_of_port[path.plane] + path.uplink;

    entry->weight = lists->weights[outer];
    entry->extra = lists->extras[outer];
}

#define LISTS_NO_PATH SIZE_MAX
/* Returns the index of a path in `outers` and `segments`. */
static inline size_t lists_path(const struct lists *lists, uint32_t from, uint32_t to, uint32_t ev)
{
    const struct lists_pair *pair = lists_find(lists, from, to);
    struct ev_path path = plan_ev_path(lists->fabric, ev);

    if (!pair || path.plane >= TOPOLOGY_PLANES_MAX ||
        path.uplink >= lists_path_count(pair, path.plane))
        return LISTS_NO_PATH;
    return (size_t)pair->first_outer + pair->first_of_port[path.plane] + path.uplink;
}

/* Returns false if there is no such path. */
static inline bool lists_outer(
    const struct lists *lists, uint32_t from, uint32_t to, uint32_t ev, struct ipv6_addr *outer)
{
    size_t path = lists_path(lists, from, to, ev);

    if (path == LISTS_NO_PATH)
        return false;
    *outer = lists->outers[path];
    return true;
}
