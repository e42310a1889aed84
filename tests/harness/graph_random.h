/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of all generators, with random parameters. */
#pragma once

#include "graph_bench.h"

#include "base/prng.h"

static inline void graph_random_clos(struct graph_bench *bench, struct prng *prng)
{
    struct graph_clos clos = { .plane_count = 1 + prng_below(prng, 4),
        .tier_count = 2 + prng_below(prng, 3),
        .host_link = graph_bench_link,
        .uplink = graph_bench_link };
    uint32_t tops = 1;

    for (uint32_t level = 0; level < clos.tier_count; level++) {
        clos.units[level] = 1 + prng_below(prng, 3);
        tops *= level ? 1 + prng_below(prng, 3) : 1;
        clos.tops[level] = tops;
        clos.parallel[level] = prng_below(prng, 3);
    }
    graph_bench_clos(bench, &clos);
}

static inline void graph_random_rail(struct graph_bench *bench, struct prng *prng)
{
    bool is_rail_only = prng_below(prng, 2);

    graph_bench_rail(bench, &(struct graph_rail){ .rail_count = 1 + prng_below(prng, 8),
                                .group_count = 1 + prng_below(prng, 5),
                                .servers_per_group = 1 + prng_below(prng, 6),
                                .spine_count = 1 + prng_below(prng, 6),
                                .plane_count = is_rail_only ? 1 : 1 + prng_below(prng, 2),
                                .is_rail_only = is_rail_only,
                                .host_link = graph_bench_link,
                                .uplink = graph_bench_link });
}

/* The longest paths need an SRH. */
static inline void graph_random_chain(struct graph_bench *bench, struct prng *prng)
{
    bool is_ring = prng_below(prng, 2);

    graph_bench_chain(
        bench, is_ring ? 3 + prng_below(prng, 18) : 2 + prng_below(prng, 10), is_ring);
}

/* Of any kind. */
static inline void graph_random(struct graph_bench *bench, struct prng *prng)
{
    switch (prng_below(prng, 4)) {
    case 0:
        graph_random_clos(bench, prng);
        break;
    case 1:
        graph_random_rail(bench, prng);
        break;
    case 2:
        graph_random_chain(bench, prng);
        break;
    default:
        graph_bench_zcube(bench, 2 + prng_below(prng, 4), 2 + prng_below(prng, 2));
    }
}
