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
