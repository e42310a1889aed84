/* SPDX-License-Identifier: Apache-2.0 */
/* RoCEv2 on the simulator: a lone flow takes what arithmetic says, lost packets cost what go-back-N
 * says, every byte is placed once, and engines and shards agree. */
#include "cluster.h"
#include "spec.h"

#include <math.h>

#include "base/prng.h"

enum {
    PAYLOAD_BYTES = 4096,
    HEADER_BYTES = 44 + TOPOLOGY_FRAMING_BYTES,
    RETH_BYTES = 16,
    ACK_BYTES = 48 + TOPOLOGY_FRAMING_BYTES,
    MESSAGE_BYTES = 160000000,
};

#define RATE_BPS  UINT64_C(400000000000)
#define SECOND_PS UINT64_C(1000000000000)
#define US(count) ((uint64_t)(count)*UINT64_C(1000000))
#define NS(count) ((uint64_t)(count)*UINT64_C(1000))

static void describe(struct cluster *cluster)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.hosts_per_t0 = 8;
    cluster->fabric_config.t1_count = 8;
    cluster->config.protocol = SIM_ROCE;
    cluster->config.checks = true;
    cluster->config.duration_ps = SECOND_PS;
    cluster->config.workload_count = 1;
    roce_settings_init(&cluster->config.roce);
    cluster->workloads[0] = (struct sim_workload){ .name = "work",
        .kind = SIM_PERMUTATION,
        .rank_count = 16,
        .message_bytes = 500000,
        .iterations = 4,
        .outstanding = 2,
        .qps = 1,
        .shift = 8 };
}

static void describe_lone(struct cluster *cluster, const uint32_t nics[2], uint64_t bytes)
{
    describe(cluster);
    cluster->workloads[0].kind = SIM_STREAM;
    cluster->workloads[0].placement = SIM_LIST;
    cluster->workloads[0].nics = nics;
    cluster->workloads[0].rank_count = 2;
    cluster->workloads[0].message_bytes = bytes;
    cluster->workloads[0].iterations = 1;
    cluster->workloads[0].outstanding = 1;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static uint64_t wire_ps(uint64_t bytes)
{
    return bytes * 8 * (SECOND_PS / 1000000000) / (RATE_BPS / 1000000000);
}

static void on_completion(void *context, const struct sim_completion *completion)
{
    *(uint64_t *)context = completion->done_ps - completion->posted_ps;
}

/* As for MRC (arithmetic_test.c): first packet over all links but the last, all packets over the
 * last, the ACK back. */
static void expect_arithmetic(
    const struct roce_settings *roce, uint32_t to, uint32_t hops, uint64_t bytes, uint64_t cable_ps)
{
    const uint32_t nics[2] = { 0, to };
    uint64_t packets = (bytes + PAYLOAD_BYTES - 1) / PAYLOAD_BYTES;
    uint64_t all_bytes = bytes + packets * HEADER_BYTES + RETH_BYTES;
    uint64_t first_bytes = (packets > 1 ? PAYLOAD_BYTES : bytes) + HEADER_BYTES + RETH_BYTES;
    struct cluster cluster;
    uint64_t measured_ps = 0;
    uint64_t way_ps;
    uint64_t expected_ps;

    describe_lone(&cluster, nics, bytes);
    cluster.config.roce = *roce;
    cluster.fabric_config.uplink.delay_ps = cable_ps;
    cluster.fabric_config.host_link.delay_ps = cable_ps;
    cluster.config.observer =
        (struct sim_observer){ .on_completion = on_completion, .context = &measured_ps };
    EXPECT_EQ(cluster_run(&cluster).status, SIM_FINISHED);
    way_ps = 2 * cluster.fabric_config.nic_latency_ps +
             (hops + 1) * cluster.fabric_config.uplink.delay_ps +
             hops * cluster.fabric_config.switch_latency_ps;
    expected_ps = hops * wire_ps(first_bytes) + wire_ps(all_bytes) +
                  (hops + 1) * wire_ps(ACK_BYTES) + 2 * way_ps;
    EXPECT_GE(measured_ps + 100, expected_ps);
    EXPECT_LE(measured_ps, expected_ps + 100);
}

SPEC("a lone message takes what arithmetic says, within a T0 and across a T1")
{
    struct roce_settings roce;

    roce_settings_init(&roce);
    expect_arithmetic(&roce, 1, 1, 64, NS(500));
    expect_arithmetic(&roce, 8, 3, 64, NS(500));
    expect_arithmetic(&roce, 1, 1, 4096, NS(500));
    expect_arithmetic(&roce, 8, 3, 1000000, NS(500));
    expect_arithmetic(&roce, 15, 3, 64000000, NS(500));
}

SPEC("the window of selective repeat does not slow down a lone message, however long cables are")
{
    struct roce_settings roce;

    roce_settings_init(&roce);
    roce.recovery = ROCE_SELECTIVE_REPEAT;
    for (uint64_t cable_ps = NS(50); cable_ps <= NS(2450); cable_ps += NS(300))
        expect_arithmetic(&roce, 8, 3, 8000000, cable_ps);
    roce.ack_every = 1;
    expect_arithmetic(&roce, 8, 3, 8000000, NS(500));
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* Packets from NIC 0 are lost at random. */
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

struct efficiency {
    double sent_per_packet;
    double lost; /* share of what was sent */
    uint64_t timeouts;
};

static struct efficiency lossy_flow(double share, enum roce_recovery recovery, uint64_t cable_ps)
{
    const uint32_t nics[2] = { 0, 8 };
    struct cluster cluster;
    struct cluster_outcome outcome;
    double sent;

    describe_lone(&cluster, nics, MESSAGE_BYTES);
    cluster.fabric_config.uplink.delay_ps = cable_ps;
    cluster.config.roce.recovery = recovery;
    lose_packets(&cluster, share);
    outcome = cluster_run(&cluster);
    EXPECT_STR_EQ(outcome.violation, "");
    EXPECT_EQ(outcome.status, SIM_FINISHED);
    EXPECT_GE(outcome.totals.packets_lost[LOST_FAULT], 10);
    sent = (double)outcome.totals.transport[COUNTER_DATA_SENT];
    return (struct efficiency){ .sent_per_packet = sent / ((double)MESSAGE_BYTES / PAYLOAD_BYTES),
        .lost = (double)outcome.totals.packets_lost[LOST_FAULT] / sent,
        .timeouts = outcome.totals.transport[COUNTER_TIMEOUT_FIRED] };
}

/* A loss is noticed a round trip after the packet left, and everything sent meanwhile is sent
 * again. If the packet that is sent again is lost, too, or the NAK, the sender does not learn it
 * before its timeout, and goes on up to the bound of what may be in flight. */
static void expect_waste(double share, uint64_t cable_ps)
{
    enum { PACKETS = MESSAGE_BYTES / PAYLOAD_BYTES, IN_FLIGHT_MAX = 8192 };
    const uint32_t nics[2] = { 0, 8 };
    struct cluster cluster;
    struct efficiency back;
    struct efficiency selective;
    double window;
    double expected;

    describe_lone(&cluster, nics, 1);
    cluster.fabric_config.uplink.delay_ps = cable_ps;
    cluster_open(&cluster);
    window = (double)(cluster.fabric.topology.base_rtt_ps) /
             (double)wire_ps(PAYLOAD_BYTES + HEADER_BYTES);
    cluster_close(&cluster);
    back = lossy_flow(share, ROCE_GO_BACK_N, cable_ps);
    selective = lossy_flow(share, ROCE_SELECTIVE_REPEAT, cable_ps);
    expected = (1 - back.lost + back.lost * window) / (1 - back.lost) +
               (double)back.timeouts * IN_FLIGHT_MAX / PACKETS;
    EXPECT(fabs(back.sent_per_packet - expected) < 0.1 * (expected - 1));
    EXPECT(fabs(selective.sent_per_packet - 1 / (1 - selective.lost)) < 0.001);
}

SPEC("each loss makes go-back-N repeat what is in flight, and selective repeat one packet")
{
    expect_waste(0.0005, US(1) / 2);
    expect_waste(0.001, US(1) / 2);
    expect_waste(0.001, US(4));
}

/* ---- all bytes, once ------------------------------------------------------------------------- */

static void draw_settings(struct roce_settings *roce, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 77);

    roce_settings_init(roce);
    roce->qps = 1 + prng_below(&prng, 4);
    roce->split = prng_below(&prng, 2);
    roce->recovery = (enum roce_recovery)prng_below(&prng, ROCE_RECOVERY_COUNT);
    roce->cc = (enum roce_cc)prng_below(&prng, ROCE_CC_COUNT);
    roce->dcqcn = (enum dcqcn_set)prng_below(&prng, DCQCN_SET_COUNT);
    roce->marking = (enum ecn_set)prng_below(&prng, ECN_SET_COUNT);
    roce->timeout_ps = US(20 + prng_below(&prng, 200));
    roce->ack_every = 1 + prng_below(&prng, 64);
    roce->polarised = prng_below(&prng, 2);
    roce->pfc = prng_below(&prng, 2);
    roce->watchdog.action = (enum pfc_watchdog_action)prng_below(&prng, PFC_WATCHDOG_ACTION_COUNT);
    roce->watchdog.detect_ps = US(5 + prng_below(&prng, 100));
    roce->watchdog.restore_ps = US(5 + prng_below(&prng, 100));
    roce->routing = (enum routing_kind)prng_below(&prng, ROUTING_KIND_COUNT);
    if (roce->recovery == ROCE_GO_BACK_N)
        roce->placement = (enum roce_placement)prng_below(&prng, ROCE_PLACEMENT_COUNT);
}

static void take_roce(struct cluster *cluster, uint64_t seed)
{
    struct problem problem;

    cluster->config.protocol = SIM_ROCE;
    cluster->config.checks = true;
    draw_settings(&cluster->config.roce, seed);
    if (!sim_config_check(&cluster->config, &problem))
        cluster->config.roce.pfc = false;
    EXPECT(sim_config_check(&cluster->config, &problem));
}

PROPERTY("bytes are placed once on any fabric, with any work, faults and settings; runs agree", 150)
{
    struct cluster cluster;

    cluster_random(&cluster, seed);
    take_roce(&cluster, seed);
    cluster_expect_same_runs(&cluster);
}

PROPERTY("the same on any graph", 60)
{
    struct cluster cluster;

    cluster_random_graph(&cluster, seed);
    take_roce(&cluster, seed);
    cluster_expect_same_runs(&cluster);
    cluster_free_graph(&cluster);
}

SPEC("messages over several QPs complete, taking turns or divided, with either recovery")
{
    for (uint32_t i = 0; i < 8; i++) {
        struct cluster cluster;
        struct cluster_outcome outcome;

        describe(&cluster);
        cluster.fabric_config.plane_count = 1 + i % 2;
        cluster.config.roce.qps = 4;
        cluster.config.roce.split = i & 2;
        cluster.config.roce.recovery = i & 4 ? ROCE_SELECTIVE_REPEAT : ROCE_GO_BACK_N;
        outcome = cluster_run(&cluster);
        EXPECT_STR_EQ(outcome.violation, "");
        EXPECT_EQ(outcome.status, SIM_FINISHED);
        EXPECT_EQ(outcome.totals.transport[COUNTER_BYTES_PLACED], 16 * 4 * 500000);
        EXPECT_EQ(outcome.totals.transport[COUNTER_MESSAGES_SENT], 16 * 4);
    }
}

/* ---- placement in any order ------------------------------------------------------------------ */

/* A permutation over adaptive routes, on which packets overtake each other. */
static struct cluster_outcome adaptive_permutation(enum roce_placement placement)
{
    struct cluster_outcome outcome;
    struct cluster cluster;

    describe(&cluster);
    cluster.config.roce.cc = ROCE_CC_NONE;
    cluster.config.roce.routing = ROUTING_ADAPTIVE;
    cluster.config.roce.placement = placement;
    outcome = cluster_run(&cluster);
    EXPECT_STR_EQ(outcome.violation, "");
    EXPECT_EQ(outcome.status, SIM_FINISHED);
    EXPECT_EQ(outcome.totals.transport[COUNTER_BYTES_PLACED], 16 * 4 * 500000);
    return outcome;
}

SPEC("packets that overtake each other cost nothing if they are placed in any order")
{
    struct cluster_outcome in_order = adaptive_permutation(ROCE_IN_ORDER);
    struct cluster_outcome any_order = adaptive_permutation(ROCE_ANY_ORDER);

    EXPECT_GT(in_order.totals.transport[COUNTER_DATA_RETRANSMITTED], 0);
    EXPECT_EQ(any_order.totals.transport[COUNTER_DATA_RETRANSMITTED], 0);
    EXPECT_EQ(any_order.totals.transport[COUNTER_TIMEOUT_FIRED], 0);
}
