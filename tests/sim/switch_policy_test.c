/* SPDX-License-Identifier: Apache-2.0 */
/* Switches whose decisions are made by a policy: MRC's own, one that pauses senders instead of
 * losing packets, and one that knows no way. */
#include "cluster.h"
#include "spec.h"

#include "sim/node_policy.h"
#include "sim/shard.h"

enum {
    BUFFER_BYTES = 400000,
    XOFF_BYTES = 60000,
    XON_BYTES = 30000,
};

static uint32_t forward_by_usid(void *network, const struct switch_crossing *crossing)
{
    struct shard *shard = network;
    struct switch_way way = switch_table_forward(&shard->switches[crossing->switch_index].table,
        &shard->packets.outer[crossing->packet.handle]);

    return way.reason == DROP_NONE ? way.port : SWITCH_NO_PORT;
}

static struct switch_decision admit(
    void *network, const struct switch_crossing *crossing, struct port *port, uint64_t now_ps)
{
    (void)network;
    return (struct switch_decision){ .at_port = port_enqueue(port, crossing->packet, now_ps) };
}

static struct switch_pause ignore(
    void *network, const struct switch_crossing *crossing, uint64_t now_ps)
{
    (void)network;
    (void)crossing;
    (void)now_ps;
    return (struct switch_pause){ 0 };
}

static const struct switch_policy as_mrc = {
    .forward = forward_by_usid, .admit = admit, .sent = ignore
};

PROPERTY("a policy that decides as MRC does gives the run of MRC, with either engine", 60)
{
    struct cluster cluster;
    struct cluster_outcome usual;
    struct cluster_outcome by_policy;

    cluster_random(&cluster, seed);
    usual = cluster_run(&cluster);
    cluster.config.policy = &as_mrc;
    cluster.config.checks = true;
    by_policy = cluster_run(&cluster);
    cluster_expect_same(&usual, &by_policy);
    cluster.config.engine = SIM_HEAP;
    by_policy = cluster_run(&cluster);
    cluster_expect_same(&usual, &by_policy);
}

static uint32_t forward_nowhere(void *network, const struct switch_crossing *crossing)
{
    (void)network;
    (void)crossing;
    return SWITCH_NO_PORT;
}

/* Seven NICs of a T0 write to the eighth at once, without congestion control; queues do not
 * trim. */
static void describe_incast(struct cluster *cluster, const struct switch_policy *policy)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.hosts_per_t0 = 8;
    cluster->fabric_config.t1_count = 2;
    cluster->fabric_config.host_link.rate_bps = UINT64_C(100000000000);
    cluster->fabric_config.buffers.trims = false;
    cluster->fabric_config.buffers.host_data_bytes = BUFFER_BYTES;
    cluster->workloads[0] = (struct sim_workload){ .name = "incast",
        .kind = SIM_INCAST,
        .rank_count = 8,
        .message_bytes = 1000000,
        .iterations = 1,
        .outstanding = 1,
        .qps = 1 };
    cluster->config.workload_count = 1;
    cluster->config.duration_ps = UINT64_C(50000000000);
    cluster->config.parameters.congestion_control = CONGESTION_CONTROL_NONE;
    cluster->config.policy = policy;
    cluster->config.checks = true;
}

static struct cluster_outcome run_incast(const struct switch_policy *policy, enum sim_engine engine)
{
    struct cluster cluster;

    describe_incast(&cluster, policy);
    cluster.config.engine = engine;
    return cluster_run(&cluster);
}

SPEC("packets for which a policy has no route are lost for this reason")
{
    struct switch_policy nowhere = as_mrc;
    struct cluster cluster;
    struct cluster_outcome outcome;

    nowhere.forward = forward_nowhere;
    describe_incast(&cluster, &nowhere);
    cluster.config.duration_ps = UINT64_C(20000000);
    outcome = cluster_run(&cluster);
    EXPECT_EQ(outcome.totals.packets_delivered, 0);
    EXPECT_GE(outcome.totals.packets_lost[LOST_NO_ROUTE], 7);
}

/* ---- a policy that pauses -------------------------------------------------------------------- */

/* Senders into a long queue of switch 0 are paused, and resumed one by one when it is short. */
static uint32_t paused; /* bit p: the sender at port p */
static uint32_t long_port;
static uint64_t pause_ps;

static struct switch_decision admit_and_pause(
    void *network, const struct switch_crossing *crossing, struct port *port, uint64_t now_ps)
{
    struct switch_decision decision = admit(network, crossing, port, now_ps);

    if (crossing->switch_index != 0 || paused >> crossing->in_port & 1 ||
        port->queues[PORT_DATA].bytes < XOFF_BYTES)
        return decision;
    paused |= UINT32_C(1) << crossing->in_port;
    long_port = crossing->out_port;
    decision.pause =
        (struct switch_pause){ .is_due = true, .port = crossing->in_port, .duration_ps = pause_ps };
    return decision;
}

static struct switch_pause resume(
    void *network, const struct switch_crossing *crossing, uint64_t now_ps)
{
    struct shard *shard = network;
    const struct port *port = &shard->ports[shard->switches[0].first_port + long_port];
    struct switch_pause end = { .is_due = true,
        .port = (uint32_t)__builtin_ctz(paused | 1u << 31) };

    (void)now_ps;
    if (crossing->switch_index != 0 || !paused || port->queues[PORT_DATA].bytes > XON_BYTES)
        return (struct switch_pause){ 0 };
    paused &= paused - 1;
    return end;
}

static const struct switch_policy pausing = {
    .forward = forward_by_usid, .admit = admit_and_pause, .sent = resume
};

SPEC("senders that are paused in time lose nothing and finish, with either engine")
{
    struct cluster_outcome lossy = run_incast(&as_mrc, SIM_WINDOWS);
    struct cluster_outcome windows;
    struct cluster_outcome heap;

    paused = 0;
    pause_ps = UINT64_C(40000000000); /* only a frame that ends the pause ends it in time */
    windows = run_incast(&pausing, SIM_WINDOWS);
    paused = 0;
    heap = run_incast(&pausing, SIM_HEAP);
    EXPECT_GE(lossy.totals.packets_lost[LOST_DATA_QUEUE], 1);
    EXPECT_STR_EQ(windows.violation, "");
    EXPECT_EQ(windows.status, SIM_FINISHED);
    EXPECT_EQ(windows.totals.packets_lost[LOST_DATA_QUEUE], 0);
    cluster_expect_same(&windows, &heap);
}

SPEC("a pause that no frame ends lasts as long as it says")
{
    struct switch_policy forgetful = pausing;
    struct cluster_outcome usual = run_incast(&as_mrc, SIM_WINDOWS);
    struct cluster_outcome outcome;

    paused = 0;
    pause_ps = UINT64_C(2000000000);
    forgetful.sent = ignore;
    outcome = run_incast(&forgetful, SIM_WINDOWS);
    EXPECT_EQ(outcome.status, SIM_FINISHED);
    EXPECT_GE(outcome.now_ps, pause_ps);
    EXPECT_LE(outcome.now_ps, pause_ps + 2 * usual.now_ps);
}
