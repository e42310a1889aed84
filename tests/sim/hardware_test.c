/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters of NICs and switches that are not ideal: the same run with either engine, and what
 * framing, cut-through, shared buffers and the limits of NICs do to it. */
#include "cluster.h"
#include "spec.h"

#define GBPS(count) ((uint64_t)(count)*UINT64_C(1000000000))
#define US(count)   ((uint64_t)(count)*UINT64_C(1000000))
#define NS(count)   ((uint64_t)(count)*UINT64_C(1000))

static void give(struct cluster *cluster, enum hardware_setting setting, uint64_t number)
{
    hardware_give(&cluster->config.hardware, setting, number);
}

static void expect_alike(const struct cluster_outcome *a, const struct cluster_outcome *b)
{
    EXPECT_STR_EQ(a->violation, "");
    cluster_expect_same(a, b);
}

PROPERTY("hardware that is not ideal gives the same run with either engine and any shards, and no "
         "packet vanishes",
    60)
{
    struct cluster cluster;
    struct cluster_outcome windows;
    struct cluster_outcome heap;
    struct cluster_outcome sharded;

    cluster_random(&cluster, seed);
    cluster_random_hardware(&cluster, seed);
    cluster.config.checks = true;
    windows = cluster_run(&cluster);
    cluster.config.engine = SIM_HEAP;
    heap = cluster_run(&cluster);
    expect_alike(&windows, &heap);
    cluster.config.engine = SIM_WINDOWS;
    cluster.config.shard_count = 3;
    sharded = cluster_run(&cluster);
    expect_alike(&windows, &sharded);
}

SPEC("a shared buffer that is never full changes nothing")
{
    struct cluster cluster;
    struct cluster_outcome alone;
    struct cluster_outcome shared;

    cluster_random(&cluster, 5);
    alone = cluster_run(&cluster);
    cluster.fabric_config.buffers.shared_bytes = UINT32_C(1) << 30;
    shared = cluster_run(&cluster);
    expect_alike(&alone, &shared);
}

/* ---- one stream ------------------------------------------------------------------------------ */

/* NIC 0 writes to NIC 1 of the same T0, `qps` QPs, at 400 Gb/s. */
static void describe_stream(struct cluster *cluster, uint32_t message_bytes, uint32_t qps)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.hosts_per_t0 = 2;
    cluster->fabric_config.t1_count = 2;
    cluster->workloads[0] = (struct sim_workload){ .name = "stream",
        .kind = SIM_STREAM,
        .rank_count = 2,
        .message_bytes = message_bytes,
        .outstanding = 8,
        .qps = qps };
    cluster->config.workload_count = 1;
    cluster->config.duration_ps = US(200);
    cluster->config.checks = true;
}

struct figures {
    uint64_t placed_bytes;
    uint64_t ideal_bps;
    uint64_t lost;
};

static struct figures run_stream(struct cluster *cluster)
{
    struct figures figures = { 0 };
    struct sim_totals totals;

    cluster_open(cluster);
    EXPECT_EQ(sim_run(cluster->sim, cluster->config.duration_ps), SIM_OUT_OF_TIME);
    EXPECT_STR_EQ(sim_violation(cluster->sim), "");
    for (uint32_t i = 0; i < sim_flow_count(cluster->sim); i++) {
        struct sim_flow flow;

        sim_flow_at(cluster->sim, i, &flow);
        figures.placed_bytes += flow.placed_bytes;
    }
    figures.ideal_bps = sim_ideal_bps(cluster->sim, 0);
    sim_totals(cluster->sim, &totals);
    for (uint32_t i = 0; i < LOSS_REASON_COUNT; i++)
        figures.lost += totals.packets_lost[i];
    cluster_close(cluster);
    return figures;
}

static void expect_bps(const struct figures *figures, uint64_t duration_ps, uint64_t wanted_bps)
{
    uint64_t bps = figures->placed_bytes * 8 * 1000000 / (duration_ps / 1000000);

    EXPECT_GE(bps, wanted_bps - wanted_bps / 20);
    EXPECT_LE(bps, wanted_bps + wanted_bps / 20);
}

SPEC("framing takes its share of every wire, and the ideal goodput knows it")
{
    struct cluster cluster;
    struct figures bare;
    struct figures framed;

    describe_stream(&cluster, 1000000, 1);
    framed = run_stream(&cluster);
    cluster.fabric_config.framing_bytes = 0;
    bare = run_stream(&cluster);
    EXPECT_EQ(framed.ideal_bps / 1000000, bare.ideal_bps * TOPOLOGY_PACKET_BYTES /
                                              (TOPOLOGY_PACKET_BYTES + TOPOLOGY_FRAMING_BYTES) /
                                              1000000);
    EXPECT_LT(framed.placed_bytes, bare.placed_bytes - bare.placed_bytes / 200);
    expect_bps(&framed, US(200), framed.ideal_bps);
}

SPEC("a slow host bus of the sender limits its rate")
{
    struct cluster cluster;
    struct figures figures;

    describe_stream(&cluster, 1000000, 1);
    give(&cluster, HARDWARE_PCIE_RATE, GBPS(100));
    figures = run_stream(&cluster);
    expect_bps(&figures, US(200), GBPS(100));
    EXPECT_EQ(figures.lost, 0);
}

SPEC("the rate of messages is limited by the time of a message, that of packets by the packet rate")
{
    struct cluster cluster;
    struct figures figures;

    describe_stream(&cluster, 1024, 1);
    cluster.workloads[0].outstanding = 64;
    give(&cluster, HARDWARE_MESSAGE_TIME, NS(200));
    figures = run_stream(&cluster);
    expect_bps(&figures, US(200), UINT64_C(1024) * 8 * 5000000);
    describe_stream(&cluster, 1024, 1);
    cluster.workloads[0].outstanding = 64;
    give(&cluster, HARDWARE_PACKET_RATE, 4000000);
    figures = run_stream(&cluster);
    expect_bps(&figures, US(200), UINT64_C(1024) * 8 * 4000000);
}

SPEC("a receiver that drains slowly makes the sender slow down, and its buffer loses nothing")
{
    struct cluster cluster;
    struct figures figures;

    describe_stream(&cluster, 1000000, 1);
    cluster.config.duration_ps = US(1000);
    give(&cluster, HARDWARE_DRAIN_RATE, GBPS(100));
    give(&cluster, HARDWARE_RECEIVE_BUFFER, 2000000);
    figures = run_stream(&cluster);
    EXPECT_EQ(figures.lost, 0);
    expect_bps(&figures, US(1000), GBPS(100));
}

SPEC("QPs that do not all fit on the chip slow the NIC down")
{
    struct cluster cluster;
    struct figures fit;
    struct figures spilled;

    describe_stream(&cluster, 4096, 8);
    cluster.workloads[0].outstanding = 32;
    give(&cluster, HARDWARE_QP_CONTEXT, 1000);
    give(&cluster, HARDWARE_QP_MISS, NS(1000));
    give(&cluster, HARDWARE_QP_MEMORY, 8000);
    fit = run_stream(&cluster);
    give(&cluster, HARDWARE_QP_MEMORY, 4000);
    spilled = run_stream(&cluster);
    EXPECT_LT(2 * spilled.placed_bytes, fit.placed_bytes);
}

/* ---- latency --------------------------------------------------------------------------------- */

static void note_completion(void *context, const struct sim_completion *completion)
{
    uint64_t *first_done_ps = context;

    if (*first_done_ps == 0)
        *first_done_ps = completion->done_ps - completion->posted_ps;
}

static uint64_t latency_ps(uint32_t cut_through_bytes)
{
    uint64_t first_done_ps = 0;
    struct cluster cluster;

    describe_stream(&cluster, 4096, 1);
    cluster.fabric_config.cut_through_bytes = (uint16_t)cut_through_bytes;
    cluster.workloads[0].iterations = 1;
    cluster.workloads[0].outstanding = 1;
    cluster.config.observer.on_completion = note_completion;
    cluster.config.observer.context = &first_done_ps;
    cluster_run(&cluster);
    return first_done_ps;
}

SPEC("a switch that cuts through saves the time of a packet less that of its head")
{
    uint64_t stored_ps = latency_ps(0);
    uint64_t cut_ps = latency_ps(64);
    /* 20 ps a byte; a SACK of 140 bytes comes back */
    uint64_t saved_ps = (TOPOLOGY_PACKET_BYTES - 64) * 20;

    EXPECT_GE(stored_ps - cut_ps, saved_ps);
    EXPECT_LE(stored_ps - cut_ps, saved_ps + 200 * 20 + 1000);
}
