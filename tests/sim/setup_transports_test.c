/* SPDX-License-Identifier: Apache-2.0 */
/* What NICs know of the fabric before the first packet. */
#include "cluster.h"
#include "spec.h"

#include "sim/shard.h"

enum { FAST = 0, SLOW = 1, BPS_PER_GBPS = 1000000000 };

/* Two NICs that write to each other, one of them with a tenth of the other's rate. */
static void open_pair(struct cluster *cluster)
{
    cluster_leaf_spine(cluster);
    cluster->exceptions[0] =
        (struct topology_exception){ .link = { .kind = TOPOLOGY_HOST_LINK, .nic = SLOW },
            .rate_bps = UINT64_C(40) * BPS_PER_GBPS };
    cluster->fabric_config.exceptions = cluster->exceptions;
    cluster->fabric_config.exception_count = 1;
    cluster->workloads[0] = (struct sim_workload){ .name = "both",
        .kind = SIM_STREAM,
        .rank_count = 2,
        .message_bytes = 1000000,
        .outstanding = 1,
        .qps = 1,
        .bidirectional = true };
    cluster->config.workload_count = 1;
    cluster_open(cluster);
}

static struct qp_status status_of(const struct sim *sim, const struct engine_flow *flow)
{
    struct qp_status status;

    EXPECT_EQ(transport_qp_status(sim->nics[flow->from].endpoint, flow->qpn_out, &status), 0);
    return status;
}

SPEC("each of two NICs knows the way to the other, not the way back")
{
    struct cluster cluster;
    const struct engine_flow *flows;
    struct qp_status fast;
    struct qp_status slow;

    open_pair(&cluster);
    flows = cluster.sim->flows;
    EXPECT_EQ(flows[0].from, FAST);
    EXPECT_EQ(flows[1].from, SLOW);
    fast = status_of(cluster.sim, &flows[0]);
    slow = status_of(cluster.sim, &flows[1]);
    /* Packets of the slow one wait for one another at its own port. */
    EXPECT_GT(slow.base_rtt_ns, fast.base_rtt_ns + 700);
    /* The first window is what the slow one receives in that time. */
    EXPECT_EQ(fast.window_bytes, 40 * fast.base_rtt_ns / 8);
    cluster_close(&cluster);
}

static uint64_t bytes_of_reduction(enum sim_workload_kind kind, uint64_t message_bytes)
{
    struct cluster cluster;
    uint64_t bytes;

    cluster_leaf_spine(&cluster);
    cluster.workloads[0] = (struct sim_workload){ .name = "sum",
        .kind = kind,
        .rank_count = 8,
        .group = kind == SIM_HIERARCHICAL_ALL_REDUCE ? 4 : 0,
        .message_bytes = message_bytes,
        .iterations = 1,
        .outstanding = 2,
        .qps = 1 };
    cluster.config.workload_count = 1;
    cluster_open(&cluster);
    bytes = sim_qp_bytes(cluster.sim, 0);
    cluster_close(&cluster);
    return bytes;
}

SPEC("queues of a collective have room for its messages, not for its buffer")
{
    static const enum sim_workload_kind kinds[] = { SIM_ALL_REDUCE, SIM_ALL_TO_ALL,
        SIM_HIERARCHICAL_ALL_REDUCE };

    /* A message of 2 GiB or less is one request. */
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        EXPECT_EQ(
            bytes_of_reduction(kinds[i], UINT64_C(8) << 30), bytes_of_reduction(kinds[i], 1 << 20));
}

static void describe_lossy(struct cluster *cluster, uint32_t iterations)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.buffers.trims = false;
    cluster->fabric_config.buffers.host_data_bytes = 100000;
    cluster->workloads[0] = (struct sim_workload){ .name = "incast",
        .kind = SIM_INCAST,
        .rank_count = 8,
        .message_bytes = 1000000,
        .iterations = iterations,
        .outstanding = 1,
        .qps = 1 };
    cluster->config.workload_count = 1;
    cluster->config.duration_ps = UINT64_C(60000000);
}

static uint32_t psns_of_first_flow(uint32_t iterations)
{
    struct cluster cluster;
    uint32_t psns;

    describe_lossy(&cluster, iterations);
    cluster_open(&cluster);
    psns = status_of(cluster.sim, &cluster.sim->flows[0]).mpr_psns;
    cluster_close(&cluster);
    return psns;
}

SPEC("a sender has records for the packets of its flow, if these are fewer than a window")
{
    EXPECT_EQ(psns_of_first_flow(1), 256);
    EXPECT_GT(psns_of_first_flow(0), 256);
    EXPECT_EQ(psns_of_first_flow(1000), psns_of_first_flow(0));
}

/* No message is complete when these runs end. */
SPEC("fewer records do not change what is sent, also while packets are lost")
{
    struct cluster with_few;
    struct cluster with_all;
    struct cluster_outcome few;
    struct cluster_outcome all;

    describe_lossy(&with_few, 1);
    describe_lossy(&with_all, 0);
    few = cluster_run(&with_few);
    all = cluster_run(&with_all);
    cluster_expect_same(&few, &all);
    EXPECT_GT(few.totals.transport[COUNTER_DATA_RETRANSMITTED], 0);
}
