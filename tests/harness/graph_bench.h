/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs for tests, with their memory. */
#pragma once

#include "spec.h"

#include <stdlib.h>

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
        .switch_latency_ps = 500000 };
    EXPECT(plan_graph_choose(&bench->plan, &bench->problem));
}

static inline void graph_bench_clos(struct graph_bench *bench, const struct graph_clos *clos)
{
    struct graph_size size;

    EXPECT(graph_clos_size(clos, &size, &bench->problem));
    graph_bench_take(bench, &size);
    graph_clos(&bench->graph, clos);
    graph_bench_finish(bench);
}

static inline void graph_bench_rail(struct graph_bench *bench, const struct graph_rail *rail)
{
    struct graph_size size;

    EXPECT(graph_rail_size(rail, &size, &bench->problem));
    graph_bench_take(bench, &size);
    graph_rail(&bench->graph, rail);
    graph_bench_finish(bench);
}

static inline void graph_bench_zcube(struct graph_bench *bench, uint32_t n, uint32_t k)
{
    struct graph_zcube zcube = {
        .n = n, .k = k, .host_link = graph_bench_link, .uplink = graph_bench_link
    };
    struct graph_size size;

    EXPECT(graph_zcube_size(&zcube, &size, &bench->problem));
    graph_bench_take(bench, &size);
    graph_zcube(&bench->graph, &zcube);
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
