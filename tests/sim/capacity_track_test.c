/* SPDX-License-Identifier: Apache-2.0 */
/* The capacity of running simulations, against what can be reckoned by hand. */
#include "spec.h"

#include <math.h>
#include <stdbool.h>

#include "capacity/capacity.h"
#include "cluster.h"

#define US(count) ((count)*UINT64_C(1000000))
#define GBPS      1e9

/* Two T0s with two hosts each, two planes with two T1s of 100 Gb/s. */
static void describe(struct cluster *cluster)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.plane_count = 2;
    cluster->fabric_config.t1_count = 2;
    cluster->fabric_config.hosts_per_t0 = 2;
    cluster->fabric_config.nic_count = 4;
    cluster->fabric_config.host_link.rate_bps = UINT64_C(100000000000);
    cluster->fabric_config.uplink.rate_bps = UINT64_C(100000000000);
    cluster->config.workloads = cluster->workloads;
    cluster->config.workload_count = 1;
    cluster->config.duration_ps = US(200);
    cluster->workloads[0] = (struct sim_workload){ .name = "w",
        .kind = SIM_PERMUTATION,
        .rank_count = 4,
        .shift = 2,
        .message_bytes = 1 << 20,
        .outstanding = 4,
        .qps = 2 };
}

static struct topology_element host_link(uint32_t nic, uint32_t plane)
{
    return (struct topology_element){ .kind = TOPOLOGY_HOST_LINK, .nic = nic, .plane = plane };
}

/* One more fault. */
static void break_link(
    struct cluster *cluster, struct topology_element where, uint64_t from_ps, uint64_t until_ps)
{
    uint32_t index = cluster->config.fault_count++;

    cluster->places[index] = where;
    cluster->faults[index] = (struct fault){ .kind = FAULT_DOWN,
        .where = &cluster->places[index],
        .where_count = 1,
        .from_ps = from_ps,
        .until_ps = until_ps };
}

static void run(struct cluster *cluster, struct capacity_track *track, uint64_t until_ps)
{
    while (sim_now_ps(cluster->sim) < until_ps) {
        uint64_t stop_ps = capacity_track_stop_ps(track);
        enum sim_status status = sim_run(cluster->sim, stop_ps < until_ps ? stop_ps : until_ps);

        EXPECT_EQ(capacity_track_look(track), 0);
        if (status != SIM_RUNNING)
            break;
    }
}

static double gbps_between(
    const double *before, const struct capacity_track *track, uint64_t from_ps)
{
    double bits = 0;

    for (uint32_t i = 0; i < track->pair_count; i++)
        bits += track->bits[i] - (before ? before[i] : 0);
    return bits / ((double)(track->now_ps - from_ps) / 1e12) / GBPS;
}

static bool is_near(double value, double expected)
{
    return fabs(value / expected - 1) < 0.01;
}

/* Of 4,224 bytes and their framing 4,096 are payload. */
#define PAYLOAD (4096.0 / (TOPOLOGY_PACKET_BYTES + TOPOLOGY_FRAMING_BYTES))

SPEC("QPs of two ranks are one flow, and all flows together have what the NICs carry")
{
    struct capacity_track track;
    struct cluster cluster;

    describe(&cluster);
    cluster_open(&cluster);
    EXPECT_EQ(capacity_track_init(&track, cluster.sim, &cluster.config), 0);
    EXPECT_EQ(track.pair_count, 4);
    EXPECT_EQ(track.pairs[1].flow_count, 2);
    run(&cluster, &track, US(100));
    EXPECT(is_near(track.rate_bps[0], 200 * GBPS * PAYLOAD));
    EXPECT_LE(track.solve_count, 2);
    EXPECT_GE(track.look_count, 10);
    EXPECT_EQ(track.method, CAPACITY_WATER_FILLING);
    EXPECT_EQ(track.limits.flow_count, 4);
    EXPECT_EQ(track.limits.by_uplinks, 0);
    capacity_track_fini(&track);
    cluster_close(&cluster);
}

SPEC("faults before the first workload starts cost no look, and count from its start")
{
    struct capacity_track track;
    struct cluster cluster;

    describe(&cluster);
    cluster.workloads[0].start_ps = US(100);
    break_link(&cluster, host_link(0, 1), US(20), SIM_NEVER_PS);
    cluster_open(&cluster);
    EXPECT_EQ(capacity_track_init(&track, cluster.sim, &cluster.config), 0);
    EXPECT_EQ(capacity_track_stop_ps(&track), US(100));
    run(&cluster, &track, US(100));
    EXPECT_EQ(track.look_count, 1);
    run(&cluster, &track, US(150));
    EXPECT(is_near(track.rate_bps[0], 100 * GBPS * PAYLOAD));
    capacity_track_fini(&track);
    cluster_close(&cluster);
}

SPEC("no bytes are due before the first packet can have arrived")
{
    struct capacity_track track;
    struct cluster cluster;
    uint64_t one_way_ps;

    describe(&cluster);
    cluster_open(&cluster);
    EXPECT_EQ(capacity_track_init(&track, cluster.sim, &cluster.config), 0);
    one_way_ps = topology_one_way_ps(&cluster.fabric.topology, 0, 2, TOPOLOGY_PACKET_BYTES);
    EXPECT_GT(one_way_ps, US(3));
    run(&cluster, &track, one_way_ps / 2);
    EXPECT_EQ((int64_t)gbps_between(NULL, &track, 0), 0);
    capacity_track_fini(&track);
    cluster_close(&cluster);
}

SPEC("while a fault is in force the capacity is lower, to the time")
{
    struct capacity_track track;
    struct cluster cluster;
    double before[4];
    uint64_t began_ps;

    describe(&cluster);
    break_link(&cluster, host_link(1, 1), US(50), US(120));
    cluster_open(&cluster);
    EXPECT_EQ(capacity_track_init(&track, cluster.sim, &cluster.config), 0);
    run(&cluster, &track, US(50));
    began_ps = track.now_ps;
    for (uint32_t i = 0; i < 4; i++)
        before[i] = track.bits[i];
    run(&cluster, &track, US(120));
    /* Of four flows two have half. */
    EXPECT(is_near(gbps_between(before, &track, began_ps), 600 * PAYLOAD));
    began_ps = track.now_ps;
    for (uint32_t i = 0; i < 4; i++)
        before[i] = track.bits[i];
    run(&cluster, &track, US(180));
    EXPECT(is_near(gbps_between(before, &track, began_ps), 800 * PAYLOAD));
    EXPECT_LE(track.solve_count, 4);
    capacity_track_fini(&track);
    cluster_close(&cluster);
}

/* A hash that the second fault takes back would find the first set again. */
SPEC("the capacity with two faults is not taken for the capacity with a third")
{
    struct capacity_track track;
    struct cluster cluster;
    double before[4];
    uint64_t began_ps;

    describe(&cluster);
    break_link(&cluster, host_link(0, 0), US(20), US(60));
    break_link(&cluster, host_link(1, 0), US(20), US(60));
    break_link(&cluster, host_link(2, 1), US(100), US(180));
    cluster_open(&cluster);
    EXPECT_EQ(capacity_track_init(&track, cluster.sim, &cluster.config), 0);
    run(&cluster, &track, US(100));
    began_ps = track.now_ps;
    for (uint32_t i = 0; i < 4; i++)
        before[i] = track.bits[i];
    run(&cluster, &track, US(180));
    EXPECT(is_near(gbps_between(before, &track, began_ps), 600 * PAYLOAD));
    capacity_track_fini(&track);
    cluster_close(&cluster);
}

SPEC("flows that are done leave their share to the others")
{
    struct capacity_track track;
    struct cluster cluster;

    describe(&cluster);
    cluster.workloads[0].kind = SIM_INCAST;
    cluster.config.workload_count = 2;
    cluster.workloads[1] = cluster.workloads[0];
    cluster.workloads[0].rank_count = 2;
    cluster.workloads[1] = (struct sim_workload){ .name = "short",
        .kind = SIM_STREAM,
        .placement = SIM_LIST,
        .nics = (const uint32_t[]){ 2, 0 },
        .rank_count = 2,
        .message_bytes = 1 << 18,
        .iterations = 1,
        .outstanding = 1,
        .qps = 1 };
    cluster_open(&cluster);
    EXPECT_EQ(capacity_track_init(&track, cluster.sim, &cluster.config), 0);
    run(&cluster, &track, US(20));
    EXPECT(is_near(track.rate_bps[0], 100 * GBPS * PAYLOAD));
    EXPECT(is_near(track.rate_bps[1], 100 * GBPS * PAYLOAD));
    run(&cluster, &track, US(100));
    EXPECT(is_near(track.rate_bps[0], 200 * GBPS * PAYLOAD));
    EXPECT_EQ((int64_t)track.rate_bps[1], 0);
    capacity_track_fini(&track);
    cluster_close(&cluster);
}

/* Several messages of each flow, so that flows end at different times. */
static void describe_ends(struct cluster *cluster)
{
    static const uint32_t nics[2][2] = { { 0, 2 }, { 3, 1 } };

    describe(cluster);
    cluster->config.workload_count = 2;
    cluster->workloads[1] = cluster->workloads[0];
    for (uint32_t i = 0; i < 2; i++) {
        cluster->workloads[i].kind = SIM_STREAM;
        cluster->workloads[i].placement = SIM_LIST;
        cluster->workloads[i].nics = nics[i];
        cluster->workloads[i].rank_count = 2;
        cluster->workloads[i].iterations = 1 + i;
    }
    cluster->workloads[1].name[0] = 'x';
}

SPEC("flows that share no link of a NIC keep rate and limit when others end, without a solution")
{
    struct capacity_track track;
    struct cluster cluster;
    uint64_t effort;

    describe_ends(&cluster);
    cluster_open(&cluster);
    EXPECT_EQ(capacity_track_init(&track, cluster.sim, &cluster.config), 0);
    run(&cluster, &track, US(20));
    EXPECT_EQ(track.limits.flow_count, 2);
    effort = track.effort;
    track.effort = UINT64_MAX; /* nothing more may be solved */
    run(&cluster, &track, US(60));
    EXPECT_EQ((int64_t)track.rate_bps[0], 0);
    EXPECT(is_near(track.rate_bps[1], 200 * GBPS * PAYLOAD));
    EXPECT_EQ(track.stale_count, 0);
    EXPECT_GT(effort, 0);
    EXPECT_EQ(track.limits.flow_count, 1);
    EXPECT_EQ(track.limits.link_count, 1);
    EXPECT_EQ(track.limits.top_count, 1);
    EXPECT_EQ(track.limits.top[0].flow, 1);
    EXPECT_EQ(track.limits.top[0].name.link.nic, 3);
    capacity_track_fini(&track);
    cluster_close(&cluster);
}

SPEC("workloads between the same NICs are one flow, which their QPs share")
{
    struct capacity_track track;
    struct cluster cluster;

    describe(&cluster);
    cluster.workloads[0].kind = SIM_STREAM;
    cluster.workloads[0].qps = 3;
    cluster.config.workload_count = 2;
    cluster.workloads[1] = cluster.workloads[0];
    cluster.workloads[1].name[0] = 'x';
    cluster.workloads[1].qps = 1;
    cluster_open(&cluster);
    EXPECT_EQ(capacity_track_init(&track, cluster.sim, &cluster.config), 0);
    EXPECT_EQ(track.pair_count, 4);
    EXPECT_EQ(track.pairs[2].group, 0);
    EXPECT_EQ(track.pairs[3].group, 1);
    run(&cluster, &track, US(50));
    EXPECT(is_near(track.rate_bps[0], 150 * GBPS * PAYLOAD));
    EXPECT(is_near(track.rate_bps[2], 50 * GBPS * PAYLOAD));
    EXPECT_EQ(track.limits.flow_count, 2);
    capacity_track_fini(&track);
    cluster_close(&cluster);
}

/* A ring of four NICs, of which NIC 1 has a quarter of the rate. */
static void describe_ring(struct cluster *cluster, uint32_t qps)
{
    describe(cluster);
    cluster->config.duration_ps = US(3000);
    cluster->workloads[0].kind = SIM_ALL_GATHER;
    cluster->workloads[0].message_bytes = 16 << 20;
    cluster->workloads[0].outstanding = 32;
    cluster->workloads[0].qps = qps;
    for (uint32_t plane = 0; plane < 2; plane++) {
        break_link(cluster, host_link(1, plane), 0, SIM_NEVER_PS);
        cluster->faults[plane].kind = FAULT_SLOW;
        cluster->faults[plane].rate_bps = UINT64_C(25000000000);
    }
}

static double placed_bits(const struct cluster *cluster)
{
    double bits = 0;

    for (uint32_t i = 0; i < sim_flow_count(cluster->sim); i++)
        bits += 8 * (double)sim_flow_placed_bytes(cluster->sim, i);
    return bits;
}

/* Returns the share of the capacity when ranks 2 and 3 have only what they receive. */
static double ring_share(struct cluster *cluster)
{
    struct capacity_track track;
    double before[4];
    double placed;
    double share;

    cluster_open(cluster);
    EXPECT_EQ(capacity_track_init(&track, cluster->sim, &cluster->config), 0);
    run(cluster, &track, US(1000));
    placed = placed_bits(cluster);
    for (uint32_t i = 0; i < 4; i++)
        before[i] = track.bits[i];
    run(cluster, &track, US(1800));
    share =
        (placed_bits(cluster) - placed) / (gbps_between(before, &track, US(1000)) * GBPS * 800e-6);
    capacity_track_fini(&track);
    cluster_close(cluster);
    return share;
}

SPEC("NICs that forward what a slow one sends them have the capacity of the slow one")
{
    struct cluster cluster;
    double share;

    describe_ring(&cluster, 32);
    share = ring_share(&cluster);
    EXPECT(share > 0.9);
    EXPECT(share < 1.01);
}

/* 128 packets in a round trip of 170 us are half of the rate of NIC 1. */
SPEC("a slow transport has a small share of the capacity of such a ring")
{
    struct cluster cluster;
    double share;

    describe_ring(&cluster, 1);
    cluster.fabric_config.uplink.delay_ps = US(40);
    cluster.config.parameters.mpr = 1;
    share = ring_share(&cluster);
    EXPECT(share < 0.75);
    EXPECT(share > 0.4);
}

SPEC("QPs without bytes outstanding have no part of what workloads between the same NICs share")
{
    struct capacity_track track;
    struct cluster cluster;

    describe(&cluster);
    cluster.workloads[0].kind = SIM_STREAM;
    cluster.workloads[0].qps = 1;
    cluster.config.workload_count = 2;
    cluster.workloads[1] = cluster.workloads[0];
    cluster.workloads[1].name[0] = 'x';
    cluster.workloads[1].kind = SIM_PING_PONG; /* one QP after the other */
    cluster.workloads[1].message_bytes = 1 << 24;
    cluster.workloads[1].qps = 3;
    cluster_open(&cluster);
    EXPECT_EQ(capacity_track_init(&track, cluster.sim, &cluster.config), 0);
    EXPECT_EQ(track.pairs[2].group, 0);
    EXPECT_EQ(track.pairs[0].next, 2);
    EXPECT_EQ(track.pairs[2].next, 0);
    run(&cluster, &track, US(50));
    EXPECT(is_near(track.rate_bps[0], 100 * GBPS * PAYLOAD));
    EXPECT(is_near(track.rate_bps[2], 100 * GBPS * PAYLOAD));
    capacity_track_fini(&track);
    cluster_close(&cluster);
}

SPEC("a window is 20 us, four round trips or 64 packets of the narrowest link, whatever is longest")
{
    struct cluster cluster;

    describe(&cluster);
    cluster_open(&cluster);
    EXPECT_EQ(capacity_window_ps(&cluster.config), 4 * cluster.fabric.topology.base_rtt_ps);
    cluster.faults[0] = (struct fault){ .kind = FAULT_SLOW, .rate_bps = UINT64_C(1000000000) };
    cluster.config.faults = cluster.faults;
    cluster.config.fault_count = 1;
    EXPECT_EQ(capacity_window_ps(&cluster.config), 64 * 4224 * UINT64_C(8000));
    cluster.config.fault_count = 0;
    cluster.fabric.topology.base_rtt_ps = US(1);
    EXPECT_EQ(capacity_window_ps(&cluster.config), 64 * 4224 * UINT64_C(80));
    cluster.fabric.topology.config.host_link.rate_bps = UINT64_C(800000000000);
    cluster.fabric.topology.config.uplink.rate_bps = UINT64_C(800000000000);
    EXPECT_EQ(capacity_window_ps(&cluster.config), US(20));
    cluster_close(&cluster);
}
