/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of a graph, for the pairs of NICs that exchange packets: the outer destination of each EV,
 * and what the way costs. */
#pragma once

#include "base/arena.h"
#include "plan/plan.h"

/* One way. */
struct lists_pair {
    uint32_t from;
    uint32_t to;
    uint32_t next; /* in its bucket, plus 1 */
    uint32_t first_outer;
    uint16_t first_of_port[TOPOLOGY_PLANES_MAX + 1]; /* from first_outer on */
    struct plan_rtt rtt;                             /* one path with another */
};

struct lists {
    const struct plan *fabric;
    struct lists_pair *pairs;
    uint32_t *buckets; /* pair plus 1 */
    struct ipv6_addr *outers;
    uint8_t *switch_counts; /* by outer */
    uint8_t *weights;       /* by outer */
    int16_t *extras;        /* by outer, of the mean */
    uint32_t bucket_mask;
    uint32_t pair_count;
    uint32_t outer_count;
    struct plan_route *routes; /* of the pair that is added */
    uint32_t *scratch;
    uint64_t *route_weights;
};

/* For up to pair_max pairs. Takes nothing where the fabric is no graph. */
void lists_init(struct lists *, struct arena *, const struct plan *, uint32_t pair_max);

/* Finds the paths of a pair, unless it has them. */
const struct lists_pair *lists_add(struct lists *, uint32_t from, uint32_t to);
/* NULL: it was not added. */
const struct lists_pair *lists_find(const struct lists *, uint32_t from, uint32_t to);

static inline uint32_t lists_path_count(const struct lists_pair *pair, uint32_t port)
{
    return pair->first_of_port[port + 1] - pair->first_of_port[port];
}

/* What the plan says of an EV of the pair goes into its entry. */
static inline void lists_describe(
    const struct lists *lists, const struct lists_pair *pair, struct path_entry *entry)
{
    struct ev_path path = plan_ev_path(lists->fabric, entry->ev);
    uint32_t outer = pair->first_outer + pair->first_of_port[path.plane] + path.uplink;

    entry->weight = lists->weights[outer];
    entry->extra = lists->extras[outer];
}

/* False: no such path. */
static inline bool lists_outer(
    const struct lists *lists, uint32_t from, uint32_t to, uint32_t ev, struct ipv6_addr *outer)
{
    const struct lists_pair *pair = lists_find(lists, from, to);
    struct ev_path path = plan_ev_path(lists->fabric, ev);

    if (!pair || path.plane >= TOPOLOGY_PLANES_MAX ||
        path.uplink >= lists_path_count(pair, path.plane))
        return false;
    *outer = lists->outers[pair->first_outer + pair->first_of_port[path.plane] + path.uplink];
    return true;
}
