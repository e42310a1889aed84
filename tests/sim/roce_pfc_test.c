/* SPDX-License-Identifier: Apache-2.0 */
/* Congestion under RoCEv2: what PFC and DCQCN do to an incast and to a flow that only passes by. */
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

static void describe(struct cluster *cluster)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.hosts_per_t0 = 8;
    cluster->fabric_config.t1_count = 1;
    cluster->fabric_config.uplink.rate_bps = GBPS(3200);
    cluster->fabric_config.buffers.data_bytes = 2000000;
    cluster->fabric_config.buffers.host_data_bytes = 400000;
    cluster->config.protocol = SIM_ROCE;
    cluster->config.checks = true;
    cluster->config.duration_ps = UINT64_C(1000000000000);
    roce_settings_init(&cluster->config.roce);
    cluster->config.roce.timeout_ps = UINT64_C(400000000);
    cluster->workloads[0] = (struct sim_workload){ .name = "victim",
        .kind = SIM_STREAM,
        .placement = SIM_LIST,
        .nics = victim_nics,
        .rank_count = 2,
        .message_bytes = VICTIM_BYTES,
        .iterations = 1,
        .outstanding = 1,
        .qps = 1 };
    cluster->workloads[1] = (struct sim_workload){ .name = "incast",
        .kind = SIM_INCAST,
        .placement = SIM_LIST,
        .nics = incast_nics,
        .rank_count = 1 + SENDERS,
        .message_bytes = INCAST_BYTES,
        .iterations = 1,
        .outstanding = 1,
        .qps = 1 };
    cluster->config.workload_count = 2;
}

struct congestion {
    uint64_t victim_ps;
    uint64_t end_ps;
    uint64_t lost;
    uint64_t retransmitted;
    struct sim_roce roce;
};

static struct congestion run(bool pfc, enum roce_cc cc, uint32_t workload_count)
{
    struct congestion outcome = { 0 };
    struct cluster cluster;
    struct sim_totals totals;
    struct sim_flow victim;

    describe(&cluster);
    cluster.config.roce.pfc = pfc;
    cluster.config.roce.cc = cc;
    cluster.config.roce.dcqcn = DCQCN_LAB;
    cluster.config.workload_count = workload_count;
    cluster_open(&cluster);
    EXPECT_EQ(sim_run(cluster.sim, SIM_NEVER_PS), SIM_FINISHED);
    EXPECT_STR_EQ(sim_violation(cluster.sim), "");
    sim_totals(cluster.sim, &totals);
    sim_flow_at(cluster.sim, 0, &victim);
    EXPECT(sim_roce(cluster.sim, &outcome.roce));
    for (uint32_t i = 0; i < LOSS_REASON_COUNT; i++)
        outcome.lost += totals.packets_lost[i];
    outcome.retransmitted = totals.transport[COUNTER_DATA_RETRANSMITTED];
    outcome.victim_ps = victim.ended_ps - victim.started_ps;
    outcome.end_ps = sim_now_ps(cluster.sim);
    cluster_close(&cluster);
    return outcome;
}

SPEC("an incast without PFC and congestion control loses packets, with PFC none")
{
    struct congestion lossy = run(false, ROCE_CC_NONE, 2);
    struct congestion lossless = run(true, ROCE_CC_NONE, 2);

    EXPECT_GE(lossy.lost, 100);
    EXPECT_GE(lossy.retransmitted, lossy.lost);
    EXPECT_EQ(lossy.roce.pauses, 0);
    EXPECT_EQ(lossless.lost, 0);
    EXPECT_EQ(lossless.retransmitted, 0);
    EXPECT_GE(lossless.roce.pauses, 10);
    EXPECT_GE(lossless.roce.headroom_peak_bytes, 1);
}

SPEC("with PFC the incast keeps its link busy: nothing is sent twice")
{
    struct congestion lossless = run(true, ROCE_CC_NONE, 2);
    uint64_t packets = (INCAST_BYTES + 4095) / 4096;
    uint64_t bytes = SENDERS * (INCAST_BYTES + packets * 44 + 16);

    EXPECT_LE(lossless.end_ps, bytes * 20 * 101 / 100 + UINT64_C(20000000)); /* 20 ps per byte */
}

SPEC("pauses block a flow that does not use the bottleneck; losses do not")
{
    struct congestion alone = run(true, ROCE_CC_NONE, 1);
    struct congestion lossy = run(false, ROCE_CC_NONE, 2);
    struct congestion lossless = run(true, ROCE_CC_NONE, 2);

    EXPECT_LE(lossy.victim_ps, alone.victim_ps * 11 / 10);
    EXPECT_GE(lossless.victim_ps, 2 * alone.victim_ps);
}

/* NIC 1 writes short messages one after the other to NIC 8, whose data is paused in the incast. */
static uint64_t answered_ps(uint32_t workload_count)
{
    static const uint32_t answering_nics[] = { 1, 8 };
    struct cluster cluster;
    struct sim_flow flow;

    describe(&cluster);
    cluster.config.roce.cc = ROCE_CC_NONE;
    cluster.config.workload_count = workload_count;
    cluster.workloads[0].nics = answering_nics;
    cluster.workloads[0].message_bytes = 4096;
    cluster.workloads[0].iterations = 40;
    cluster_open(&cluster);
    EXPECT_EQ(sim_run(cluster.sim, SIM_NEVER_PS), SIM_FINISHED);
    EXPECT_STR_EQ(sim_violation(cluster.sim), "");
    sim_flow_at(cluster.sim, 0, &flow);
    cluster_close(&cluster);
    return flow.ended_ps - flow.started_ps;
}

SPEC("a pause stops data only: a paused NIC still acknowledges what it receives")
{
    EXPECT_LE(answered_ps(2), answered_ps(1) * 11 / 10);
}

SPEC("DCQCN slows the senders down, so that there are fewer pauses")
{
    struct congestion alone = run(true, ROCE_CC_NONE, 2);
    struct congestion dcqcn = run(true, ROCE_CC_DCQCN, 2);

    EXPECT_EQ(dcqcn.lost, 0);
    EXPECT_GE(dcqcn.roce.counters[ROCE_COUNTER_CNP_SENT], 10);
    EXPECT_GE(dcqcn.roce.counters[ROCE_COUNTER_CNP_RECEIVED], 10);
    EXPECT_LT(dcqcn.roce.pauses, alone.roce.pauses);
}

/* ---- settings -------------------------------------------------------------------------------- */

static void expect_refusal(const struct cluster *cluster, const char *member, const char *reason)
{
    struct problem problem = { 0 };

    EXPECT(!sim_config_check(&cluster->config, &problem));
    EXPECT_STR_EQ(problem.section, "roce");
    EXPECT_STR_EQ(problem.member, member);
    EXPECT_STR_EQ(problem.reason, reason);
}

SPEC("PFC without headroom is refused, with what it needs")
{
    struct cluster cluster;
    struct problem problem = { 0 };

    describe(&cluster);
    cluster_open(&cluster);
    EXPECT(sim_config_check(&cluster.config, &problem));
    cluster.config.roce.headroom_bytes = 0;
    expect_refusal(&cluster, "headroom",
        "0 bytes are less than the 137658 that can arrive at a port after it has paused its "
        "sender");
    cluster.config.roce.headroom_bytes = 10000000;
    expect_refusal(&cluster, "headroom",
        "the ports of a switch need 90000000 bytes of headroom, and it has a buffer of 5200000: "
        "give the fabric more buffer, or set pfc: false");
    cluster.config.roce.pfc = false;
    EXPECT(sim_config_check(&cluster.config, &problem));
    cluster_close(&cluster);
}

SPEC("numbers out of range are refused")
{
    struct cluster cluster;

    describe(&cluster);
    cluster_open(&cluster);
    cluster.config.roce.qps = 17;
    expect_refusal(&cluster, "qps", "17 is not between 1 and 16");
    cluster.config.roce.qps = 1;
    cluster.config.roce.ack_every = 0;
    expect_refusal(&cluster, "ack_every", "0 is not between 1 and 256");
    cluster_close(&cluster);
}
