/* SPDX-License-Identifier: Apache-2.0 */
/* UET on the simulator: a lone flow takes what arithmetic says, senders share a port, trimmed and
 * lost packets are sent again, every byte is placed once, and engines and shards agree. */
#include "cluster.h"
#include "spec.h"

#include "base/prng.h"

enum {
    PAYLOAD_BYTES = 4096,
    HEADER_BYTES = 64 + TOPOLOGY_FRAMING_BYTES,
    SENDERS = 7,
};

#define SECOND_PS UINT64_C(1000000000000)
#define US(count) ((uint64_t)(count)*UINT64_C(1000000))

static void describe(struct cluster *cluster, enum uet_cc cc)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.hosts_per_t0 = 8;
    cluster->fabric_config.t1_count = 8;
    cluster->config.protocol = SIM_UET;
    cluster->config.checks = true;
    cluster->config.duration_ps = SECOND_PS;
    cluster->config.workload_count = 1;
    uet_settings_init(&cluster->config.uet);
    cluster->config.uet.cc = cc;
    cluster->workloads[0] = (struct sim_workload){ .name = "work",
        .kind = SIM_PERMUTATION,
        .rank_count = 16,
        .message_bytes = 500000,
        .iterations = 4,
        .outstanding = 2,
        .qps = 1,
        .shift = 8 };
}

static void describe_lone(
    struct cluster *cluster, enum uet_cc cc, const uint32_t nics[2], uint64_t bytes)
{
    describe(cluster, cc);
    cluster->workloads[0].kind = SIM_STREAM;
    cluster->workloads[0].placement = SIM_LIST;
    cluster->workloads[0].nics = nics;
    cluster->workloads[0].rank_count = 2;
    cluster->workloads[0].message_bytes = bytes;
    cluster->workloads[0].iterations = 1;
    cluster->workloads[0].outstanding = 1;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* 400 Gb/s */
static uint64_t wire_ps(uint64_t bytes)
{
    return bytes * 20;
}

static void on_completion(void *context, const struct sim_completion *completion)
{
    *(uint64_t *)context = completion->done_ps - completion->posted_ps;
}

static uint64_t lone_ps(enum uet_cc cc, uint32_t to, uint64_t bytes)
{
    const uint32_t nics[2] = { 0, to };
    struct cluster cluster;
    uint64_t measured_ps = 0;

    describe_lone(&cluster, cc, nics, bytes);
    cluster.config.observer =
        (struct sim_observer){ .on_completion = on_completion, .context = &measured_ps };
    EXPECT_EQ(cluster_run(&cluster).status, SIM_FINISHED);
    return measured_ps;
}

/* The first packet over all links but the last, all packets over the last, the ACK back. */
static uint64_t expected_ps(uint32_t hops, uint64_t bytes)
{
    uint64_t packets = (bytes + PAYLOAD_BYTES - 1) / PAYLOAD_BYTES;
    uint64_t first_bytes = (packets > 1 ? PAYLOAD_BYTES : bytes) + HEADER_BYTES;
    struct cluster cluster;
    uint64_t way_ps;

    describe(&cluster, UET_CC_NSCC);
    way_ps = 2 * cluster.fabric_config.nic_latency_ps +
             (hops + 1) * cluster.fabric_config.uplink.delay_ps +
             hops * cluster.fabric_config.switch_latency_ps;
    return hops * wire_ps(first_bytes) + wire_ps(bytes + packets * HEADER_BYTES) +
           (hops + 1) * wire_ps(HEADER_BYTES) + 2 * way_ps;
}

SPEC("a lone message takes what arithmetic says, within a T0 and across T1s")
{
    static const struct {
        uint32_t to;
        uint32_t hops;
        uint64_t bytes;
    } cases[] = { { 1, 1, 64 }, { 8, 3, 64 }, { 1, 1, 4096 }, { 8, 3, 100000 } };

    for (uint32_t i = 0; i < 4; i++)
        for (int cc = 0; cc < UET_CC_COUNT; cc++) {
            uint64_t measured = lone_ps((enum uet_cc)cc, cases[i].to, cases[i].bytes);
            uint64_t expected = expected_ps(cases[i].hops, cases[i].bytes);

            EXPECT_GE(measured + 100, expected);
            EXPECT_LE(measured, expected + 100);
        }
}

SPEC("a long message fills the line with NSCC, and 99 % of it with credits")
{
    enum { BYTES = 64000000 };
    uint64_t line_ps = expected_ps(3, BYTES);

    EXPECT_LE(lone_ps(UET_CC_NSCC, 15, BYTES), line_ps * 1001 / 1000);
    EXPECT_LE(lone_ps(UET_CC_RCCC, 15, BYTES), line_ps * 1013 / 1000);
    EXPECT_GE(lone_ps(UET_CC_RCCC, 15, BYTES), line_ps * 1005 / 1000);
    EXPECT_LE(lone_ps(UET_CC_BOTH, 15, BYTES), line_ps * 1013 / 1000);
}

/* ---- incast ---------------------------------------------------------------------------------- */

struct shares {
    uint32_t jain_permille;
    uint32_t line_permille; /* used by payload and headers */
    uint64_t lost;
    uint64_t trimmed;
    uint64_t timeouts;
};

/* NICs of another T0 write to NIC 0 for two milliseconds; the second one is measured. */
static struct shares incast(enum uet_cc cc)
{
    static const uint32_t nics[] = { 0, 8, 9, 10, 11, 12, 13, 14 };
    struct cluster cluster;
    struct sim_totals totals;
    struct shares shares = { 0 };
    uint64_t before[SENDERS];
    double sum = 0;
    double squares = 0;

    describe(&cluster, cc);
    cluster.workloads[0].kind = SIM_INCAST;
    cluster.workloads[0].placement = SIM_LIST;
    cluster.workloads[0].nics = nics;
    cluster.workloads[0].rank_count = 1 + SENDERS;
    cluster.workloads[0].message_bytes = 1000000;
    cluster.workloads[0].iterations = 1000;
    cluster_open(&cluster);
    sim_run(cluster.sim, US(1000));
    for (uint32_t i = 0; i < SENDERS; i++) {
        struct sim_flow flow;

        sim_flow_at(cluster.sim, i, &flow);
        before[i] = flow.placed_bytes;
    }
    sim_run(cluster.sim, US(2000));
    for (uint32_t i = 0; i < SENDERS; i++) {
        struct sim_flow flow;
        double bytes;

        sim_flow_at(cluster.sim, i, &flow);
        bytes = (double)(flow.placed_bytes - before[i]);
        sum += bytes;
        squares += bytes * bytes;
    }
    EXPECT_STR_EQ(sim_violation(cluster.sim), "");
    sim_totals(cluster.sim, &totals);
    for (uint32_t i = 0; i < LOSS_REASON_COUNT; i++)
        shares.lost += totals.packets_lost[i];
    shares.trimmed = totals.trimmed;
    shares.timeouts = totals.transport[COUNTER_TIMEOUT_FIRED];
    shares.jain_permille = (uint32_t)(1000 * sum * sum / (SENDERS * squares));
    shares.line_permille =
        (uint32_t)(1000 * sum * (PAYLOAD_BYTES + HEADER_BYTES) / PAYLOAD_BYTES * 8 / 400e9 / 1e-3);
    cluster_close(&cluster);
    return shares;
}

SPEC("seven senders share a port, nothing is lost but payload, and no timeout fires")
{
    for (int cc = 0; cc < UET_CC_COUNT; cc++) {
        struct shares shares = incast((enum uet_cc)cc);

        EXPECT_GE(shares.jain_permille, 950);
        EXPECT_GE(shares.line_permille, 970);
        EXPECT_LE(shares.line_permille, 1001);
        EXPECT_EQ(shares.lost, 0);
        EXPECT_EQ(shares.timeouts, 0);
    }
}

SPEC("credits trim what senders speculate with, and nothing after that")
{
    struct cluster cluster;
    uint64_t window_packets;

    describe(&cluster, UET_CC_RCCC);
    cluster_open(&cluster);
    window_packets = cluster.fabric.topology.base_rtt_ps * 3 / 2 / wire_ps(PAYLOAD_BYTES);
    cluster_close(&cluster);
    EXPECT_GE(incast(UET_CC_RCCC).trimmed, 1);
    EXPECT_LE(incast(UET_CC_RCCC).trimmed, SENDERS * window_packets);
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* Packets from NIC 0, and to it, are lost at random. */
static void lose_packets(struct cluster *cluster, double share)
{
    cluster->places[0] = (struct topology_element){ .kind = TOPOLOGY_HOST_LINK };
    cluster->faults[0] = (struct fault){ .kind = FAULT_LOSS,
        .where = &cluster->places[0],
        .where_count = 1,
        .until_ps = FAULT_NEVER_PS,
        .probability = (uint32_t)(share * UINT32_MAX) };
    cluster->config.fault_count = 1;
}

static void expect_lossy_flow(double share, enum uet_cc cc, bool trims)
{
    enum { BYTES = 32000000 };
    const uint32_t nics[2] = { 0, 8 };
    struct cluster cluster;
    struct cluster_outcome outcome;
    uint64_t packets = (BYTES + PAYLOAD_BYTES - 1) / PAYLOAD_BYTES;

    describe_lone(&cluster, cc, nics, BYTES);
    cluster.fabric_config.buffers.trims = trims;
    lose_packets(&cluster, share);
    outcome = cluster_run(&cluster);
    EXPECT_STR_EQ(outcome.violation, "");
    EXPECT_EQ(outcome.status, SIM_FINISHED);
    EXPECT_GE(outcome.totals.packets_lost[LOST_FAULT], 4);
    EXPECT_EQ(outcome.totals.transport[COUNTER_BYTES_PLACED], BYTES);
    EXPECT_EQ(outcome.totals.transport[COUNTER_DATA_RECEIVED], packets);
    EXPECT_EQ(outcome.totals.transport[COUNTER_MESSAGES_SENT], 1);
    EXPECT_EQ(outcome.totals.transport[COUNTER_QP_ERRORS], 0);
}

SPEC("with 0.1 % and 1 % of loss every byte is delivered once")
{
    for (int cc = 0; cc < UET_CC_COUNT; cc++)
        for (int trims = 0; trims < 2; trims++) {
            expect_lossy_flow(0.001, (enum uet_cc)cc, trims);
            expect_lossy_flow(0.01, (enum uet_cc)cc, trims);
        }
}

/* ---- all bytes, once ------------------------------------------------------------------------- */

static void take_uet(struct cluster *cluster, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 78);
    struct uet_settings *uet = &cluster->config.uet;
    struct problem problem;

    cluster->config.protocol = SIM_UET;
    cluster->config.checks = true;
    uet_settings_init(uet);
    uet->cc = (enum uet_cc)prng_below(&prng, UET_CC_COUNT);
    uet->spray = (enum uet_spray_kind)prng_below(&prng, UET_SPRAY_COUNT);
    uet->paths = 1 + prng_below(&prng, 100);
    uet->ack_bytes = 1024 + prng_below(&prng, 100000);
    uet->timeout_ps = US(20 + prng_below(&prng, 200));
    uet->polarised = prng_below(&prng, 2);
    EXPECT(sim_config_check(&cluster->config, &problem));
}

PROPERTY("bytes are placed once on any fabric, with any work, faults and settings; runs agree", 150)
{
    struct cluster cluster;

    cluster_random(&cluster, seed);
    take_uet(&cluster, seed);
    cluster_expect_same_runs(&cluster);
}

PROPERTY("the same on any graph", 60)
{
    struct cluster cluster;

    cluster_random_graph(&cluster, seed);
    take_uet(&cluster, seed);
    cluster_expect_same_runs(&cluster);
    cluster_free_graph(&cluster);
}

/* ---- settings -------------------------------------------------------------------------------- */

static void expect_refusal(
    const struct uet_settings *settings, const char *member, const char *reason)
{
    struct problem problem = { 0 };

    EXPECT(!uet_settings_check(settings, &problem));
    EXPECT_STR_EQ(problem.section, "uet");
    EXPECT_STR_EQ(problem.member, member);
    EXPECT_STR_EQ(problem.reason, reason);
}

SPEC("numbers out of range are refused")
{
    struct uet_settings settings;

    uet_settings_init(&settings);
    settings.paths = 0;
    expect_refusal(&settings, "paths", "0 is not between 1 and 256");
    settings.paths = 256;
    settings.retries = 16;
    expect_refusal(&settings, "retries", "16 is not between 0 and 15");
    settings.retries = 0;
    settings.ack_bytes = 1;
    expect_refusal(&settings, "ack_bytes", "1 is not between 1024 and 1048576");
}
