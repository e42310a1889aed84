/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that cannot be wired. */
#include "graph_bench.h"

static struct graph_bench bench;

/* Two NICs, two switches. */
static void begin(uint32_t link_count)
{
    graph_bench_take(&bench, &(struct graph_size){ 2, 2, link_count });
    graph_add_switch(&bench.graph, 0, 0, 0);
    graph_add_switch(&bench.graph, 0, 0, 1);
}

static void add(uint32_t from, uint32_t from_port, uint32_t to, uint32_t to_port, uint32_t line)
{
    graph_add_link(&bench.graph,
        &(struct graph_link){
            .ends = { { from, from_port }, { to, to_port } }, .rate_bps = 1000000, .line = line });
}

static void expect_refused(const char *reason, uint32_t line)
{
    EXPECT(!graph_finish(&bench.graph, bench.scratch, &bench.problem));
    EXPECT_STR_EQ(bench.problem.reason, reason);
    EXPECT_EQ(bench.problem.line, line);
    graph_bench_fini(&bench);
}

SPEC("a port used twice is refused, with its line")
{
    begin(3);
    add(0, 0, 2, 0, 11);
    add(1, 0, 3, 0, 12);
    add(2, 0, 3, 1, 13);
    expect_refused("p0.t0.0 to p0.t0.1: port 0 is used twice, by link 0 too", 13);
}

SPEC("a port beyond the links of its node is refused")
{
    begin(3);
    add(0, 0, 2, 0, 11);
    add(1, 0, 3, 0, 12);
    add(2, 7, 3, 1, 13);
    expect_refused("p0.t0.0 to p0.t0.1: port 7 of a node with 2 links", 13);
}

SPEC("a link of a node to itself is refused")
{
    begin(1);
    add(2, 0, 2, 1, 5);
    expect_refused("p0.t0.0 to p0.t0.0: a link to itself", 5);
}

SPEC("an isolated node is refused")
{
    begin(1);
    add(0, 0, 2, 0, 5);
    expect_refused("h1 has no link", 0);
}

SPEC("two parts of a plane without a link between them are refused")
{
    begin(2);
    add(0, 0, 2, 0, 5);
    add(1, 0, 3, 0, 6);
    expect_refused("p0.t0.1 cannot reach the other switches of its plane", 0);
}

static void expect_numbers_refused(struct graph_parameters parameters, const char *reason)
{
    struct graph_size size;

    EXPECT(!graph_bench_size(&bench, &parameters, &size));
    EXPECT_STR_EQ(bench.problem.reason, reason);
}

SPEC("numbers that do not divide evenly are refused before anything is built")
{
    struct graph_clos uneven = {
        .plane_count = 1, .tier_count = 3, .units = { 2, 2, 2 }, .tops = { 1, 2, 3 }
    };
    struct graph_clos rails = {
        .plane_count = 1, .tier_count = 2, .units = { 2, 6 }, .tops = { 1, 2 }, .rail_count = 4
    };
    struct graph_clos huge = { .plane_count = 16,
        .tier_count = 4,
        .units = { 8192, 8192, 8192, 8192 },
        .tops = { 1, 8192, 8192, 8192 },
        .parallel = { 0, 64, 64, 64 } };

    expect_numbers_refused(graph_bench_zcube_parameters(4, 4), "k = 4: 2 and 3 can be built");
    expect_numbers_refused(
        graph_bench_clos_parameters(&uneven), "3 switches cannot be shared evenly among 2 columns");
    expect_numbers_refused(
        graph_bench_clos_parameters(&rails), "6 leaves cannot be shared evenly among 4 rails");
    expect_numbers_refused(graph_bench_clos_parameters(&huge),
        "4503599627370496 NICs and 17593259917312 switches are too many for a list");
}
