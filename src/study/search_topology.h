/* SPDX-License-Identifier: Apache-2.0 */
/* The topologies that a search chooses from: each is a sized fabric with its price, and can replace
 * the fabric of an experiment. */
#pragma once

#include "study/size_bill.h"

enum {
    SEARCH_TOPOLOGIES_MAX = 128,
    SEARCH_REFUSALS_MAX = 128,
    SEARCH_NAME_BYTES = 96,
};

struct search_topology {
    char name[SEARCH_NAME_BYTES]; /* "clos 2 tiers 4 x 100G 2:1" */
    struct size_fabric fabric;
    struct price_range usd; /* of all parts */
    struct price_range watts;
};

/* A topology that cannot be built. */
struct search_refusal {
    char name[SEARCH_NAME_BYTES];
    char reason[SIZE_REASON_BYTES];
};

struct search_topologies {
    struct search_topology at[SEARCH_TOPOLOGIES_MAX];
    uint32_t count;
    struct search_refusal refused[SEARCH_REFUSALS_MAX];
    uint32_t refused_count;
};

/* Reads a list of families, each of which stands for all combinations of its values, and sizes
 * them. `base` has what they do not say. Returns false with yaml->problem, also if none can be
 * built. */
bool search_topology_read(struct yaml *, const struct yaml_node *families,
    const struct size_request *base, const struct prices *, struct search_topologies *);

/* Replaces the fabric in the tree of an experiment. Delays, latencies and framing remain, and the
 * sizes of buffers, which are those of a port of 100 Gb/s. Returns false with yaml->problem. */
bool search_topology_put(const struct search_topology *, struct yaml *, struct yaml_node *top);
