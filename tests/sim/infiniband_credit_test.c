/* SPDX-License-Identifier: Apache-2.0 */
/* Congestion under InfiniBand: credits lose nothing and block flows that only pass by, unless these
 * have a lane of their own. Settings that are refused. */
#include "cluster.h"
#include "spec.h"

enum {
    SENDERS = 6,
    INCAST_BYTES = 4000000,
    VICTIM_BYTES = 4000000,
};

#define GBPS(count) ((uint64_t)(count)*UINT64_C(1000000000))

/* NICs 8 to 13 of the second T0 write to NIC 0 of the first, and NIC 14 writes to NIC 1. The one T1
 * has links for all of them, so only the port to NIC 0 is a bottleneck. */
static const uint32_t incast_nics[] = { 0, 8, 9, 10, 11, 12, 13 };
static const uint32_t victim_nics[] = { 14, 1 };

static struct sim_workload workload(const char *name, const uint32_t *nics, uint32_t ranks)
{
    struct sim_workload made = { .placement = SIM_LIST,
        .nics = nics,
        .rank_count = ranks,
        .iterations = 1,
        .outstanding = 1,
        .qps = 1 };

    for (uint32_t i = 0; name[i]; i++)
        made.name[i] = name[i];
    return made;
}

static void describe(struct cluster *cluster)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.hosts_per_t0 = 8;
    cluster->fabric_config.t1_count = 1;
    cluster->fabric_config.uplink.rate_bps = GBPS(3200);
    cluster->config.protocol = SIM_INFINIBAND;
    cluster->config.checks = true;
    cluster->config.duration_ps = UINT64_C(1000000000000);
    ib_settings_init(&cluster->config.infiniband);
    cluster->config.infiniband.buffer_bytes = 2 * cluster->config.infiniband.buffer_bytes;
    cluster->workloads[0] = workload("victim", victim_nics, 2);
    cluster->workloads[0].kind = SIM_STREAM;
    cluster->workloads[0].message_bytes = VICTIM_BYTES;
    cluster->workloads[1] = workload("incast", incast_nics, 1 + SENDERS);
    cluster->workloads[1].kind = SIM_INCAST;
    cluster->workloads[1].message_bytes = INCAST_BYTES;
    cluster->config.workload_count = 2;
}

struct congestion {
    uint64_t victim_ps;
    uint64_t end_ps;
    uint64_t lost;
    uint64_t retransmitted;
    struct sim_infiniband infiniband;
};

static struct congestion run(uint32_t lanes, uint32_t workload_count)
{
    struct congestion outcome = { 0 };
    struct cluster cluster;
    struct sim_totals totals;
    struct sim_flow victim;

    describe(&cluster);
    cluster.config.infiniband.lanes = lanes;
    cluster.config.workload_count = workload_count;
    cluster_open(&cluster);
    EXPECT_EQ(sim_run(cluster.sim, SIM_NEVER_PS), SIM_FINISHED);
    EXPECT_STR_EQ(sim_violation(cluster.sim), "");
    sim_totals(cluster.sim, &totals);
    sim_flow_at(cluster.sim, 0, &victim);
    EXPECT(sim_infiniband(cluster.sim, &outcome.infiniband));
    for (uint32_t i = 0; i < LOSS_REASON_COUNT; i++)
        outcome.lost += totals.packets_lost[i];
    outcome.retransmitted = totals.transport[COUNTER_DATA_RETRANSMITTED];
    outcome.victim_ps = victim.ended_ps - victim.started_ps;
    outcome.end_ps = sim_now_ps(cluster.sim);
    cluster_close(&cluster);
    return outcome;
}

SPEC("an incast fills buffers, waits for credit, and loses nothing")
{
    struct congestion incast = run(1, 2);

    EXPECT_EQ(incast.lost, 0);
    EXPECT_EQ(incast.retransmitted, 0);
    EXPECT_GE(incast.infiniband.waits, 10);
    EXPECT_GE(incast.infiniband.buffer_peak_bytes, 100000);
}

SPEC("the bottleneck of an incast stays busy")
{
    struct congestion incast = run(1, 2);
    uint64_t packets = (INCAST_BYTES + 4095) / 4096;
    uint64_t bytes = SENDERS * (INCAST_BYTES + packets * 26 + 16);

    EXPECT_LE(incast.end_ps, bytes * 20 * 101 / 100 + UINT64_C(20000000)); /* 20 ps per byte */
}

SPEC("an incast blocks a flow that does not use the bottleneck, but not in a lane of its own")
{
    struct congestion alone = run(1, 1);
    struct congestion shared = run(1, 2);
    struct congestion apart = run(2, 2);

    EXPECT_GE(shared.victim_ps, 2 * alone.victim_ps);
    EXPECT_LE(apart.victim_ps, alone.victim_ps * 11 / 10);
    EXPECT_EQ(apart.lost, 0);
}

/* ---- settings -------------------------------------------------------------------------------- */

static void expect_refusal(
    const struct cluster *cluster, const char *section, const char *member, const char *reason)
{
    struct problem problem = { 0 };

    EXPECT(!sim_config_check(&cluster->config, &problem));
    EXPECT_STR_EQ(problem.section, section);
    EXPECT_STR_EQ(problem.member, member);
    EXPECT_STR_EQ(problem.reason, reason);
}

SPEC("settings that cannot work are refused, with the reason")
{
    struct cluster cluster;
    struct problem problem = { 0 };

    describe(&cluster);
    cluster_open(&cluster);
    EXPECT(sim_config_check(&cluster.config, &problem));
    cluster.config.infiniband.lanes = 5;
    expect_refusal(&cluster, "infiniband", "lanes", "5 is not between 1 and 4");
    cluster.config.infiniband.lanes = 2;
    cluster.config.infiniband.buffer_bytes = 24000;
    expect_refusal(&cluster, "infiniband", "buffer",
        "24000 bytes are less than the 24704 that 2 lanes need for a packet and the credit that is "
        "not told yet");
    cluster.config.infiniband.buffer_bytes = 24704;
    EXPECT(sim_config_check(&cluster.config, &problem));
    cluster.config.infiniband.qps = 0;
    expect_refusal(&cluster, "infiniband", "qps", "0 is not between 1 and 16");
    cluster.config.infiniband.qps = 1;
    cluster.config.infiniband.retries = 8;
    expect_refusal(&cluster, "infiniband", "retries", "8 is not between 0 and 7");
    cluster_close(&cluster);
}

/* A plane is a subnet. With 512 NICs on each of 96 T0s, and one T1, it needs 49249 LIDs. */
SPEC("a subnet with more than 49151 LIDs is refused, with the figure")
{
    struct plan large = { 0 };
    struct cluster cluster;
    struct problem problem = { 0 };

    describe(&cluster);
    cluster_open(&cluster);
    large = cluster.fabric;
    large.topology.nic_count = 49152 - 3;
    cluster.config.fabric = &large;
    cluster.config.workload_count = 0;
    expect_refusal(&cluster, "", "fabric",
        "a subnet of InfiniBand has at most 49151 LIDs, and NICs and switches need 49152: make it "
        "smaller, or divide it into planes");
    large.topology.nic_count--;
    EXPECT(sim_config_check(&cluster.config, &problem));
    cluster_close(&cluster);
}
