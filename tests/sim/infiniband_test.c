/* SPDX-License-Identifier: Apache-2.0 */
/* InfiniBand on the simulator: a lone flow takes what arithmetic says, links repeat what they
 * damage, routes recover, every byte is placed once, and engines and shards agree. */
#include "cluster.h"
#include "spec.h"

#include "base/prng.h"

enum {
    PAYLOAD_BYTES = 4096,
    HEADER_BYTES = 26,
    RETH_BYTES = 16,
    ACK_BYTES = 30,
};

#define RATE_BPS  UINT64_C(400000000000)
#define SECOND_PS UINT64_C(1000000000000)
#define US(count) ((uint64_t)(count)*UINT64_C(1000000))

static void describe(struct cluster *cluster)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.hosts_per_t0 = 8;
    cluster->fabric_config.t1_count = 8;
    cluster->config.protocol = SIM_INFINIBAND;
    cluster->config.checks = true;
    cluster->config.duration_ps = SECOND_PS;
    cluster->config.workload_count = 1;
    ib_settings_init(&cluster->config.infiniband);
    cluster->workloads[0] = (struct sim_workload){ .name = "work",
        .kind = SIM_STREAM,
        .placement = SIM_LIST,
        .rank_count = 2,
        .iterations = 1,
        .outstanding = 1,
        .qps = 1 };
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

/* Returns how long a message from NIC 0 to another NIC took. */
static uint64_t lone_ps(struct cluster *cluster, uint32_t to, uint64_t bytes)
{
    const uint32_t nics[2] = { 0, to };
    uint64_t measured_ps = 0;
    struct cluster_outcome outcome;

    cluster->workloads[0].nics = nics;
    cluster->workloads[0].message_bytes = bytes;
    cluster->config.observer =
        (struct sim_observer){ .on_completion = on_completion, .context = &measured_ps };
    outcome = cluster_run(cluster);
    EXPECT_STR_EQ(outcome.violation, "");
    EXPECT_EQ(outcome.status, SIM_FINISHED);
    return measured_ps;
}

/* First packet over all links but the last, all packets over the last, the ACK back. There is no
 * framing of Ethernet. */
static void expect_arithmetic(uint32_t to, uint32_t hops, uint64_t bytes, enum ib_routing routing)
{
    uint64_t packets = (bytes + PAYLOAD_BYTES - 1) / PAYLOAD_BYTES;
    uint64_t all_bytes = bytes + packets * HEADER_BYTES + RETH_BYTES;
    uint64_t first_bytes = (packets > 1 ? PAYLOAD_BYTES : bytes) + HEADER_BYTES + RETH_BYTES;
    struct cluster cluster;
    uint64_t measured_ps;
    uint64_t way_ps;
    uint64_t expected_ps;

    describe(&cluster);
    cluster.config.infiniband.routing = routing;
    measured_ps = lone_ps(&cluster, to, bytes);
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
    expect_arithmetic(1, 1, 64, IB_ADAPTIVE);
    expect_arithmetic(8, 3, 64, IB_ADAPTIVE);
    expect_arithmetic(1, 1, 4096, IB_STATIC);
    expect_arithmetic(8, 3, 1000000, IB_STATIC);
    expect_arithmetic(15, 3, 64000000, IB_STATIC);
}

SPEC("adaptive routing costs a lone flow nothing: packets overtake each other nowhere")
{
    expect_arithmetic(15, 3, 64000000, IB_ADAPTIVE);
}

/* The smallest buffer holds two packets. A round trip of credit over a link takes longer than two
 * packets, so the flow cannot use the whole link. */
SPEC("a buffer that is smaller than the round trip of its link limits a flow")
{
    struct cluster cluster;
    uint64_t large_ps;
    uint64_t small_ps;

    describe(&cluster);
    large_ps = lone_ps(&cluster, 8, 10000000);
    cluster.config.infiniband.buffer_bytes = 16384;
    small_ps = lone_ps(&cluster, 8, 10000000);
    EXPECT_GE(small_ps, large_ps * 3 / 2);
}

/* ---- link retry ------------------------------------------------------------------------------ */

/* Packets from NIC 0 are damaged at random. */
static void damage_packets(struct cluster *cluster, enum fault_kind kind, double share)
{
    cluster->places[0] = (struct topology_element){ .kind = TOPOLOGY_HOST_LINK };
    cluster->faults[0] = (struct fault){ .kind = kind,
        .where = &cluster->places[0],
        .where_count = 1,
        .direction = FAULT_UPWARD,
        .until_ps = FAULT_NEVER_PS,
        .probability = (uint32_t)(share * UINT32_MAX) };
    cluster->config.fault_count = share > 0;
}

struct damage {
    uint64_t took_ps;
    struct sim_totals totals;
    struct sim_infiniband infiniband;
};

static struct damage run_damaged(enum fault_kind kind, double share, bool link_retry)
{
    const uint32_t nics[2] = { 0, 8 };
    struct damage damage = { 0 };
    struct cluster cluster;

    describe(&cluster);
    damage_packets(&cluster, kind, share);
    cluster.config.infiniband.link_retry = link_retry;
    cluster.config.infiniband.routing = IB_STATIC;
    cluster.config.infiniband.timeout_ps = US(200);
    cluster.workloads[0].nics = nics;
    cluster.workloads[0].message_bytes = 20000000;
    cluster.config.observer =
        (struct sim_observer){ .on_completion = on_completion, .context = &damage.took_ps };
    cluster_open(&cluster);
    EXPECT_EQ(sim_run(cluster.sim, SIM_NEVER_PS), SIM_FINISHED);
    EXPECT_STR_EQ(sim_violation(cluster.sim), "");
    sim_totals(cluster.sim, &damage.totals);
    EXPECT(sim_infiniband(cluster.sim, &damage.infiniband));
    cluster_close(&cluster);
    return damage;
}

/* Each repetition costs the link a round trip over its cable of 500 ns and the packet again. */
static void expect_repeats(enum fault_kind kind)
{
    struct damage healthy = run_damaged(kind, 0, true);
    struct damage damaged = run_damaged(kind, 0.01, true);
    uint64_t repeats = damaged.infiniband.link_repeats;
    uint64_t each_ps = 2 * UINT64_C(500000) + wire_ps(PAYLOAD_BYTES + HEADER_BYTES);
    uint64_t more_ps = damaged.took_ps - healthy.took_ps;

    EXPECT_EQ(healthy.infiniband.link_repeats, 0);
    EXPECT_GE(repeats, 25);
    EXPECT_LE(repeats, 90);
    EXPECT_LE(more_ps, repeats * each_ps + 1000);
    EXPECT_GE(more_ps, repeats * each_ps * 9 / 10);
    EXPECT_EQ(
        damaged.totals.packets_lost[LOST_CORRUPT] + damaged.totals.packets_lost[LOST_FAULT], 0);
    EXPECT_EQ(damaged.totals.transport[COUNTER_DATA_RETRANSMITTED], 0);
}

SPEC("a link repeats what it damages or loses, after one round trip, and the NIC does not notice")
{
    expect_repeats(FAULT_CORRUPT);
    expect_repeats(FAULT_LOSS);
}

SPEC("without link retry the switch drops a damaged packet, and the NIC goes back")
{
    struct damage damaged = run_damaged(FAULT_CORRUPT, 0.001, false);

    EXPECT_EQ(damaged.infiniband.link_repeats, 0);
    EXPECT_GE(damaged.totals.packets_lost[LOST_CORRUPT], 1);
    EXPECT_GE(damaged.totals.transport[COUNTER_DATA_RETRANSMITTED],
        damaged.totals.packets_lost[LOST_CORRUPT]);
}

/* ---- recovery -------------------------------------------------------------------------------- */

/* An uplink of the first T0 is down from 100 us on. Returns the packets lost in 30 ms. */
static uint64_t lost_packets(enum ib_recovery recovery)
{
    const uint32_t nics[2] = { 0, 8 };
    struct cluster cluster;
    struct cluster_outcome outcome;

    describe(&cluster);
    cluster.places[0] = (struct topology_element){ .kind = TOPOLOGY_UPLINK, .t1 = 5 };
    cluster.faults[0] = (struct fault){ .kind = FAULT_DOWN,
        .where = &cluster.places[0],
        .where_count = 1,
        .from_ps = US(100),
        .until_ps = FAULT_NEVER_PS };
    cluster.config.fault_count = 1;
    cluster.config.infiniband.recovery = recovery;
    cluster.config.infiniband.timeout_ps = US(50);
    cluster.config.infiniband.retries = 7;
    cluster.config.duration_ps = US(30000);
    cluster.workloads[0].nics = nics;
    cluster.workloads[0].message_bytes = 1000000;
    cluster.workloads[0].iterations = 0;
    outcome = cluster_run(&cluster);
    EXPECT_STR_EQ(outcome.violation, "");
    return outcome.totals.packets_lost[LOST_LINK_DOWN];
}

/* A flow loses one packet of eight until the switch acts; what is left of it repeats them. */
SPEC("packets are lost until routes avoid the link: with SHIELD far fewer")
{
    uint64_t shield = lost_packets(IB_SHIELD);
    uint64_t manager = lost_packets(IB_SUBNET_MANAGER);

    EXPECT_GE(shield, 10);
    EXPECT_GE(manager, 4 * shield);
}

/* ---- all bytes, once ------------------------------------------------------------------------- */

static void take_infiniband(struct cluster *cluster, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 78);
    struct ib_settings *settings = &cluster->config.infiniband;
    struct problem problem;

    cluster->config.protocol = SIM_INFINIBAND;
    cluster->config.checks = true;
    cluster->config.engine = SIM_WINDOWS;
    ib_settings_init(settings);
    settings->routing = (enum ib_routing)prng_below(&prng, IB_ROUTING_COUNT);
    settings->recovery = (enum ib_recovery)prng_below(&prng, IB_RECOVERY_COUNT);
    settings->lanes = 1 + prng_below(&prng, 2);
    settings->buffer_bytes = 20000 + prng_below(&prng, 200000);
    settings->link_retry = prng_below(&prng, 2);
    settings->qps = 1 + prng_below(&prng, 3);
    settings->timeout_ps = US(20 + prng_below(&prng, 200));
    EXPECT(sim_config_check(&cluster->config, &problem));
}

PROPERTY("bytes are placed once on any fabric, with any work, faults and settings; runs agree", 100)
{
    struct cluster cluster;

    cluster_random(&cluster, seed);
    take_infiniband(&cluster, seed);
    cluster_expect_same_runs(&cluster);
}

PROPERTY("the same with NICs and switches that are not ideal", 40)
{
    struct cluster cluster;

    cluster_random(&cluster, seed);
    cluster_random_hardware(&cluster, seed);
    take_infiniband(&cluster, seed);
    cluster_expect_same_runs(&cluster);
}

PROPERTY("the same on any graph", 40)
{
    struct cluster cluster;

    cluster_random_graph(&cluster, seed);
    take_infiniband(&cluster, seed);
    cluster_expect_same_runs(&cluster);
    cluster_free_graph(&cluster);
}
