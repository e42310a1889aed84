/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a graph as NICs read it. */
#include "graph_bench.h"

#include <string.h>

enum { TEXT_BYTES = 16384 };

static struct graph_bench bench;
static struct plan plan;

/* ZCube(4, 2), with a link that differs. */
static void plan_zcube(void)
{
    struct topology_problem problem;
    struct topology_config config;

    graph_bench_zcube(&bench, 4, 2);
    bench.graph.links[5].rate_bps = UINT64_C(40000000000);
    topology_config_init(&config);
    config.usid_block = 0xfc000077;
    EXPECT(plan_init_graph(&plan, &config, &bench.graph, 1, bench.scratch, &problem));
}

static void write_text(const struct plan *from, char out[static TEXT_BYTES])
{
    size_t length = 0;

    for (uint32_t i = 0; plan_text_line(from, i, out + length); i++) {
        length += strlen(out + length);
        EXPECT(length + PLAN_TEXT_LINE_BYTES < TEXT_BYTES);
    }
    out[length] = '\0';
}

struct copy {
    struct graph_bench bench;
    struct plan plan;
};

static bool read_text(const char *text, struct copy *copy)
{
    struct graph_size size;

    memset(copy, 0, sizeof(*copy));
    if (!plan_text_size(text, &size))
        return false;
    graph_bench_take(&copy->bench, &size);
    return plan_text_read(text, &copy->bench.graph, copy->bench.scratch, &copy->plan);
}

SPEC("a graph that is written and read has the same paths, addresses and text")
{
    static struct copy copy;
    static struct plan_route routes[GRAPH_BENCH_ROUTES];
    char text[TEXT_BYTES];
    char again[TEXT_BYTES];
    uint32_t count;

    plan_zcube();
    write_text(&plan, text);
    EXPECT(read_text(text, &copy));
    write_text(&copy.plan, again);
    EXPECT_STR_EQ(again, text);
    count = plan_pair_routes(&plan, 6, 12, bench.scratch, bench.routes, GRAPH_BENCH_ROUTES);
    EXPECT_EQ(
        plan_pair_routes(&copy.plan, 6, 12, copy.bench.scratch, routes, GRAPH_BENCH_ROUTES), count);
    EXPECT_EQ(count, 10);
    EXPECT(memcmp(routes, bench.routes, count * sizeof(*routes)) == 0);
    graph_bench_fini(&copy.bench);
    graph_bench_fini(&bench);
}

SPEC("the choice of paths is written and read")
{
    static struct copy copy;
    char text[TEXT_BYTES];

    plan_zcube();
    plan.graph.choice = PLAN_CHOICE_DISJOINT;
    write_text(&plan, text);
    EXPECT(read_text(text, &copy));
    EXPECT_EQ(
        plan_pair_routes(&copy.plan, 6, 12, copy.bench.scratch, bench.routes, GRAPH_BENCH_ROUTES),
        6);
    graph_bench_fini(&copy.bench);
    graph_bench_fini(&bench);
}

SPEC("a NIC has paths to itself, including one from each port")
{
    plan_zcube();
    EXPECT_EQ(plan_pair_routes(&plan, 6, 6, bench.scratch, bench.routes, GRAPH_BENCH_ROUTES), 4);
    EXPECT_EQ(bench.routes[0].switch_count, 1);
    EXPECT_EQ(bench.routes[2].switch_count, 1);
    EXPECT_EQ(bench.routes[2].ev, 0x100);
    graph_bench_fini(&bench);
}

SPEC("a text that is truncated or has a wrong character is refused")
{
    static struct copy copy;
    char text[TEXT_BYTES];

    plan_zcube();
    write_text(&plan, text);
    for (size_t i = strlen(text); i-- > 0;) {
        char kept = text[i];

        text[i] = '\0';
        EXPECT(!read_text(text, &copy));
        graph_bench_fini(&copy.bench);
        text[i] = 'x';
        EXPECT(!read_text(text, &copy));
        graph_bench_fini(&copy.bench);
        text[i] = kept;
    }
    graph_bench_fini(&bench);
}

SPEC("nodes and ports that do not exist are refused")
{
    static struct copy copy;

    EXPECT(!read_text("graph 1 1 1 1 0 0 0 0\nswitch 0 0 0\nlink 0 0 2 0 1000000000 0\n", &copy));
    graph_bench_fini(&copy.bench);
    EXPECT(!read_text("graph 1 1 1 1 0 0 0 0\nswitch 0 0 0\nlink 0 1 1 0 1000000000 0\n", &copy));
    graph_bench_fini(&copy.bench);
    EXPECT(!read_text("graph 1 1 1 1 0 0 0 0\nswitch 4 0 0\nlink 0 0 1 0 1000000000 0\n", &copy));
    graph_bench_fini(&copy.bench);
    EXPECT(!read_text("graph 4000000000 1 1 1 0 0 0 0\n", &copy));
}
