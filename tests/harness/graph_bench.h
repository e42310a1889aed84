/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs for tests, with their memory. */
#pragma once

#include "spec.h"

#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "topology/topology.h"

enum { GRAPH_BENCH_ROUTES = 512 };

struct graph_bench {
    struct graph graph;
    struct graph_problem problem;
    struct plan_graph plan;
    void *memory;
    uint32_t *scratch;
    struct plan_route routes[GRAPH_BENCH_ROUTES];
};

static const struct topology_link_kind graph_bench_link = { .rate_bps = UINT64_C(100000000000),
    .delay_ps = 500000 };

static inline void graph_bench_take(struct graph_bench *bench, const struct graph_size *size)
{
    struct arena arena;
    size_t bytes;

    arena_init(&arena, NULL, 0);
    graph_init(&bench->graph, &arena, size);
    bytes = arena.used_bytes;
    bench->memory = calloc(1, bytes + 64);
    bench->scratch = calloc(5 * (size->nic_count + size->switch_count), sizeof(uint32_t));
    arena_init(&arena, bench->memory, bytes + 64);
    graph_init(&bench->graph, &arena, size);
}

static inline void graph_bench_finish(struct graph_bench *bench)
{
    EXPECT(graph_finish(&bench->graph, bench->scratch, &bench->problem));
    bench->plan = (struct plan_graph){ .graph = &bench->graph,
        .block = 0xfc000042,
        .nic_latency_ps = 500000,
        .switch_latency_ps = 500000,
        .framing_bytes = TOPOLOGY_FRAMING_BYTES };
    EXPECT(plan_graph_choose(&bench->plan, &bench->problem));
}

/* ---- generators by name ---------------------------------------------------------------------- */

static inline struct graph_parameters graph_bench_parameters(const char *shape)
{
    struct graph_parameters parameters = { .host_link = graph_bench_link,
        .uplink = graph_bench_link };

    for (uint32_t i = 0; i < GRAPH_SHAPE_COUNT; i++)
        if (strcmp(graph_shape_words[i], shape) == 0)
            parameters.shape = graph_shapes[i];
    for (uint32_t i = 0; parameters.shape->numbers[i].key; i++)
        parameters.numbers[i] = parameters.shape->numbers[i].usual;
    return parameters;
}

static inline void graph_bench_set(
    struct graph_parameters *parameters, const char *key, uint32_t value)
{
    for (uint32_t i = 0; parameters->shape->numbers[i].key; i++)
        if (strcmp(parameters->shape->numbers[i].key, key) == 0 && value > 0)
            parameters->numbers[i] = value;
}

static inline bool graph_bench_size(
    struct graph_bench *bench, const struct graph_parameters *parameters, struct graph_size *size)
{
    return parameters->shape->size(parameters, size, &bench->problem);
}

/* Builds a graph without finishing it. */
static inline void graph_bench_build(
    struct graph_bench *bench, const struct graph_parameters *parameters)
{
    struct graph_size size;

    EXPECT(graph_bench_size(bench, parameters, &size));
    graph_bench_take(bench, &size);
    parameters->shape->build(&bench->graph, parameters);
}

/* The numbers of a Clos by level: units[0] is the number of hosts of a leaf, tops[0] is 1. */
struct graph_clos {
    uint32_t plane_count;
    uint32_t tier_count;
    uint32_t units[4];
    uint32_t tops[4];
    uint32_t parallel[4]; /* from level 1 on; 0: 1 */
    uint32_t rail_count;  /* 0: 1 */
    struct topology_link_kind host_link;
    struct topology_link_kind uplink;
};

static inline struct graph_parameters graph_bench_clos_parameters(const struct graph_clos *clos)
{
    static const char *const units[] = { "hosts_per_leaf", "leaves_per_pod", "pods", "clusters" };
    static const char *const tops[] = { "", "spines_per_pod", "cores", "supercores" };
    static const char *const parallel[] = { "", "leaf_links", "spine_links", "core_links" };
    struct graph_parameters parameters = graph_bench_parameters("clos");

    graph_bench_set(&parameters, "planes", clos->plane_count);
    graph_bench_set(&parameters, "tiers", clos->tier_count);
    graph_bench_set(&parameters, "rails", clos->rail_count);
    for (uint32_t level = 0; level < 4; level++) {
        graph_bench_set(&parameters, units[level], clos->units[level]);
        graph_bench_set(&parameters, tops[level], clos->tops[level]);
        graph_bench_set(&parameters, parallel[level], clos->parallel[level]);
    }
    parameters.host_link = clos->host_link;
    parameters.uplink = clos->uplink;
    return parameters;
}

static inline void graph_bench_clos(struct graph_bench *bench, const struct graph_clos *clos)
{
    struct graph_parameters parameters = graph_bench_clos_parameters(clos);

    graph_bench_build(bench, &parameters);
    graph_bench_finish(bench);
}

/* The numbers of the rails; with two planes: dual_plane. */
struct graph_rail {
    uint32_t rail_count;
    uint32_t group_count;
    uint32_t servers_per_group;
    uint32_t spine_count;
    uint32_t plane_count;
    bool is_rail_only;
    struct topology_link_kind host_link;
    struct topology_link_kind uplink;
};

static inline void graph_bench_rail(struct graph_bench *bench, const struct graph_rail *rail)
{
    struct graph_parameters parameters =
        graph_bench_parameters(rail->is_rail_only       ? "rail_only"
                               : rail->plane_count == 2 ? "dual_plane"
                                                        : "rail_optimised");

    graph_bench_set(&parameters, "rails", rail->rail_count);
    graph_bench_set(&parameters, "groups", rail->group_count);
    graph_bench_set(&parameters, "servers_per_group", rail->servers_per_group);
    graph_bench_set(&parameters, "spines", rail->spine_count);
    parameters.host_link = rail->host_link;
    parameters.uplink = rail->uplink;
    graph_bench_build(bench, &parameters);
    graph_bench_finish(bench);
}

static inline struct graph_parameters graph_bench_zcube_parameters(uint32_t n, uint32_t k)
{
    struct graph_parameters parameters = graph_bench_parameters("zcube");

    graph_bench_set(&parameters, "n", n);
    graph_bench_set(&parameters, "k", k);
    return parameters;
}

static inline void graph_bench_zcube(struct graph_bench *bench, uint32_t n, uint32_t k)
{
    struct graph_parameters parameters = graph_bench_zcube_parameters(n, k);

    graph_bench_build(bench, &parameters);
    graph_bench_finish(bench);
}

/* Switches in a row, each with a NIC; in a ring, the last has a link to the first. */
static inline void graph_bench_chain(struct graph_bench *bench, uint32_t count, bool is_ring)
{
    const struct graph_size size = {
        .nic_count = count, .switch_count = count, .link_count = 2 * count - !is_ring
    };
    const struct graph_link link = { .rate_bps = graph_bench_link.rate_bps,
        .delay_ps = graph_bench_link.delay_ps };

    graph_bench_take(bench, &size);
    for (uint32_t i = 0; i < count; i++)
        graph_connect(&bench->graph, i, graph_add_switch(&bench->graph, 0, 0, i), &link);
    for (uint32_t i = 1; i < count; i++)
        graph_connect(&bench->graph, count + i - 1, count + i, &link);
    if (is_ring)
        graph_connect(&bench->graph, 2 * count - 1, count, &link);
    graph_bench_finish(bench);
}

static inline uint32_t graph_bench_routes(
    struct graph_bench *bench, uint32_t from, uint32_t to, uint32_t detour)
{
    bench->plan.detour = detour;
    return plan_graph_routes(
        &bench->plan, from, to, bench->scratch, bench->routes, GRAPH_BENCH_ROUTES);
}

static inline void graph_bench_fini(struct graph_bench *bench)
{
    free(bench->memory);
    free(bench->scratch);
}
