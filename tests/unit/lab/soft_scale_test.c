/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric as it is emulated. */
#include <stdlib.h>

#include "graph_bench.h"
#include "lab/soft_state.h"
#include "spec.h"

static void scale(
    struct soft *soft, struct plan *fabric, struct topology_config *config, uint32_t slower)
{
    struct topology_problem problem;

    EXPECT(plan_init(fabric, config, NULL, &problem));
    soft->config.fabric = fabric;
    soft->config.slower = slower;
    EXPECT_EQ(soft_scale(soft), 0);
    free(soft->exceptions);
}

SPEC("ten times slower, rates are divided by ten and delays multiplied by ten")
{
    struct topology_config config;
    struct plan fabric;
    struct soft soft = { 0 };

    topology_config_init(&config);
    scale(&soft, &fabric, &config, 10);
    EXPECT(soft.fabric.topology.config.host_link.rate_bps ==
           fabric.topology.config.host_link.rate_bps / 10);
    EXPECT(
        soft.fabric.topology.config.uplink.delay_ps == fabric.topology.config.uplink.delay_ps * 10);
    EXPECT(soft.fabric.topology.config.switch_latency_ps ==
           fabric.topology.config.switch_latency_ps * 10);
}

SPEC("queue sizes that the file omits have values for software")
{
    struct topology_config config;
    struct plan fabric;
    struct soft soft = { 0 };

    topology_config_init(&config);
    scale(&soft, &fabric, &config, 1);
    EXPECT_EQ(soft.fabric.topology.config.buffers.data_bytes, 2500000); /* 100 Gb/s for 200 us */
    EXPECT_EQ(soft.fabric.topology.config.buffers.host_data_bytes, 3750000);
}

SPEC("queue sizes that the file gives are kept")
{
    struct topology_config config;
    struct plan fabric;
    struct soft soft = { 0 };

    topology_config_init(&config);
    config.buffers.data_bytes = 65536;
    scale(&soft, &fabric, &config, 1);
    EXPECT_EQ(soft.fabric.topology.config.buffers.data_bytes, 65536);
    EXPECT_EQ(soft.fabric.topology.config.buffers.host_data_bytes, 3750000);
}

SPEC("without pacing every link has the highest rate, and missing links stay missing")
{
    struct topology_exception exceptions[] = {
        { .link = { .kind = TOPOLOGY_HOST_LINK, .nic = 1 }, .rate_bps = 1000000000 },
        { .link = { .kind = TOPOLOGY_UPLINK, .t0 = 2, .t1 = 1 }, .missing = true },
    };
    struct topology_link_kind kind;
    struct topology_element link;
    struct topology_config config;
    struct plan fabric;
    struct soft soft = { .config.is_unpaced = true };
    struct topology_problem problem;
    struct topology_exception sorted[2];

    topology_config_init(&config);
    config.exceptions = exceptions;
    config.exception_count = 2;
    EXPECT(plan_init(&fabric, &config, sorted, &problem));
    soft.config.fabric = &fabric;
    soft.config.slower = 1;
    EXPECT_EQ(soft_scale(&soft), 0);
    EXPECT(topology_link_at(
        &soft.fabric.topology, (struct topology_end){ .is_nic = true, .node = 1 }, &link, &kind));
    EXPECT(kind.rate_bps == UINT64_C(8000000000000));
    EXPECT(!topology_link_at(
        &soft.fabric.topology, (struct topology_end){ .node = 2, .port = 8 + 1 }, &link, &kind));
    EXPECT_EQ(soft.fabric.topology.config.buffers.data_bytes, 2500000);
    free(soft.exceptions);
}

SPEC("ten times slower, each link of a graph has a tenth of its own rate")
{
    struct graph_bench bench;
    struct topology_problem problem;
    struct topology_config config;
    struct plan fabric;
    struct soft soft = { .config = { .fabric = &fabric, .slower = 10 } };

    graph_bench_zcube(&bench, 2, 2);
    bench.graph.links[3].rate_bps = UINT64_C(400000000000);
    topology_config_init(&config);
    EXPECT(plan_init_graph(&fabric, &config, &bench.graph, 1, bench.scratch, &problem));
    fabric.graph.choice = PLAN_CHOICE_DISJOINT;
    EXPECT_EQ(soft_scale(&soft), 0);
    EXPECT(soft.fabric.topology.graph->links[2].rate_bps == UINT64_C(10000000000));
    EXPECT(soft.fabric.topology.graph->links[3].rate_bps == UINT64_C(40000000000));
    EXPECT_EQ(soft.fabric.topology.graph->links[3].delay_ps, 5000000);
    EXPECT_EQ(soft.fabric.graph.detour, 1);
    EXPECT_EQ(soft.fabric.graph.choice, PLAN_CHOICE_DISJOINT);
    free(soft.graph);
    graph_bench_fini(&bench);
}
