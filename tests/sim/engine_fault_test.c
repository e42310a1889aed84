/* SPDX-License-Identifier: Apache-2.0 */
/* What faults do to packets, and when: one flow on a fabric of two planes, two T0s and four T1s a
 * plane. */
#include <string.h>

#include "cluster.h"
#include "spec.h"

#define US(count) ((uint64_t)(count)*UINT64_C(1000000))

enum {
    FROM = 0,
    TO = 1,
    MESSAGE_BYTES = 4000000, /* 80 us at 2 x 200 Gb/s */
};

struct seen {
    uint32_t events[SIM_EVENT_KIND_COUNT];
    uint64_t first_ps[SIM_EVENT_KIND_COUNT];
    uint64_t done_ps;
};

struct scene {
    struct cluster cluster;
    struct seen seen;
    uint32_t nics[2];
};

static void on_event(void *context, const struct sim_event *event)
{
    struct seen *seen = context;

    if (seen->events[event->kind]++ == 0)
        seen->first_ps[event->kind] = event->time_ps;
}

static void on_completion(void *context, const struct sim_completion *completion)
{
    struct seen *seen = context;

    seen->done_ps = completion->done_ps;
}

static void prepare(struct scene *scene)
{
    struct cluster *cluster = &scene->cluster;

    memset(&scene->seen, 0, sizeof(scene->seen));
    cluster_leaf_spine(cluster);
    cluster->fabric_config.plane_count = 2;
    cluster->fabric_config.t1_count = 4;
    cluster->fabric_config.hosts_per_t0 = 1;
    cluster->fabric_config.host_link.rate_bps = UINT64_C(200000000000);
    cluster->fabric_config.uplink.rate_bps = UINT64_C(200000000000);
    scene->nics[0] = FROM;
    scene->nics[1] = TO;
    cluster->workloads[0] = (struct sim_workload){ .name = "flow",
        .kind = SIM_STREAM,
        .placement = SIM_LIST,
        .rank_count = 2,
        .nics = scene->nics,
        .message_bytes = MESSAGE_BYTES,
        .iterations = 1,
        .outstanding = 1,
        .qps = 1 };
    cluster->config.workload_count = 1;
    cluster->config.duration_ps = US(20000);
    cluster->config.checks = true;
    cluster->config.parameters.port_up_holddown = 10000;
    cluster->config.observer = (struct sim_observer){
        .on_event = on_event, .on_completion = on_completion, .context = &scene->seen
    };
}

static void break_it(struct scene *scene, enum fault_kind kind, struct topology_element where,
    uint64_t from_ps, uint64_t until_ps)
{
    struct cluster *cluster = &scene->cluster;
    uint32_t index = cluster->config.fault_count++;

    cluster->places[index] = where;
    cluster->faults[index] = (struct fault){ .kind = kind,
        .where = &cluster->places[index],
        .where_count = 1,
        .from_ps = from_ps,
        .until_ps = until_ps };
}

static struct cluster_outcome run(struct scene *scene)
{
    struct cluster_outcome outcome = cluster_run(&scene->cluster);

    EXPECT_STR_EQ(outcome.violation, "");
    return outcome;
}

static const struct topology_element host_link = {
    .kind = TOPOLOGY_HOST_LINK, .nic = FROM, .plane = 1
};
static const struct topology_element uplink = {
    .kind = TOPOLOGY_UPLINK, .plane = 0, .t0 = 0, .t1 = 2
};
static const struct topology_element t1 = { .kind = TOPOLOGY_T1, .plane = 1, .t1 = 3 };
static const struct topology_element plane = { .kind = TOPOLOGY_PLANE, .plane = 1 };

static uint64_t undisturbed_ps(void)
{
    static struct scene scene;

    prepare(&scene);
    EXPECT_EQ(run(&scene).status, SIM_FINISHED);
    return scene.seen.done_ps;
}

SPEC("a port that goes down loses what waits and what is on the wire, and the NIC knows at once")
{
    static struct scene scene;
    struct cluster_outcome outcome;

    prepare(&scene);
    break_it(&scene, FAULT_DOWN, host_link, US(20), SIM_NEVER_PS);
    outcome = run(&scene);
    EXPECT_EQ(outcome.status, SIM_FINISHED);
    EXPECT_EQ(scene.seen.events[SIM_EVENT_PORT_CHANGED], 1);
    EXPECT_EQ(scene.seen.first_ps[SIM_EVENT_PORT_CHANGED], US(20));
    EXPECT_EQ(scene.seen.first_ps[SIM_EVENT_FAULT_BEGAN], US(20));
    EXPECT_GE(outcome.totals.packets_lost[LOST_LINK_DOWN], 3);
    EXPECT_LE(outcome.totals.packets_lost[LOST_LINK_DOWN], 40);
    EXPECT_GT(scene.seen.done_ps, undisturbed_ps() + US(50));
}

SPEC("a switch may lose a port beyond its 32nd, of which no NIC is informed")
{
    static struct scene scene;
    struct cluster_outcome outcome;

    prepare(&scene);
    scene.cluster.fabric_config.t1_count = 40;
    break_it(&scene, FAULT_DOWN,
        (struct topology_element){ .kind = TOPOLOGY_UPLINK, .plane = 0, .t0 = 0, .t1 = 39 }, US(20),
        US(40));
    outcome = run(&scene);
    EXPECT_EQ(outcome.status, SIM_FINISHED);
    EXPECT_EQ(scene.seen.events[SIM_EVENT_PORT_CHANGED], 0);
    EXPECT_EQ(scene.seen.events[SIM_EVENT_FAULT_ENDED], 1);
}

SPEC("a port that is down for a moment comes back")
{
    static struct scene scene;

    prepare(&scene);
    break_it(&scene, FAULT_DOWN, host_link, US(10), US(12));
    EXPECT_EQ(run(&scene).status, SIM_FINISHED);
    EXPECT_EQ(scene.seen.events[SIM_EVENT_FAULT_ENDED], 1);
    EXPECT_EQ(scene.seen.events[SIM_EVENT_PORT_CHANGED], 2);
}

SPEC("an uplink that is down from the beginning costs the packets that try it")
{
    static struct scene scene;
    struct cluster_outcome outcome;

    prepare(&scene);
    break_it(&scene, FAULT_DOWN, uplink, 0, SIM_NEVER_PS);
    outcome = run(&scene);
    EXPECT_EQ(outcome.status, SIM_FINISHED);
    EXPECT_GT(outcome.totals.packets_lost[LOST_LINK_DOWN], 0);
    EXPECT_EQ(scene.seen.events[SIM_EVENT_PORT_CHANGED], 0);
    EXPECT_GT(scene.seen.events[SIM_EVENT_EV_CHANGED], 0);
    EXPECT_EQ(outcome.totals.transport[COUNTER_TIMEOUT_FIRED], 0);
}

SPEC("a T1 with a blackhole is soon avoided")
{
    static struct scene scene;
    struct cluster_outcome outcome;

    prepare(&scene);
    break_it(&scene, FAULT_BLACKHOLE, t1, US(20), SIM_NEVER_PS);
    outcome = run(&scene);
    EXPECT_EQ(outcome.status, SIM_FINISHED);
    EXPECT_GT(outcome.totals.packets_lost[LOST_BLACKHOLE], 0);
    EXPECT_LT(outcome.totals.packets_lost[LOST_BLACKHOLE], 60);
    EXPECT_GE(scene.seen.first_ps[SIM_EVENT_EV_CHANGED], US(20));
    EXPECT_EQ(outcome.totals.packets_lost[LOST_LINK_DOWN], 0);
}

SPEC("a lossy link loses its share, each packet for a reason")
{
    static struct scene scene;
    struct cluster_outcome outcome;

    prepare(&scene);
    break_it(&scene, FAULT_LOSS, host_link, 0, SIM_NEVER_PS);
    scene.cluster.faults[0].probability = UINT32_MAX / 100;
    scene.cluster.faults[0].direction = FAULT_UPWARD;
    outcome = run(&scene);
    EXPECT_EQ(outcome.status, SIM_FINISHED);
    EXPECT_GE(outcome.totals.packets_lost[LOST_FAULT], 1);
    EXPECT_LE(outcome.totals.packets_lost[LOST_FAULT], 30);
    EXPECT_EQ(outcome.totals.packets_sent, outcome.totals.packets_delivered +
                                               outcome.totals.packets_lost[LOST_FAULT] +
                                               outcome.totals.packets_in_flight);
}

SPEC("a damaged packet travels to the end and is dropped there")
{
    static struct scene scene;
    struct cluster_outcome outcome;

    prepare(&scene);
    break_it(&scene, FAULT_CORRUPT, host_link, 0, SIM_NEVER_PS);
    scene.cluster.faults[0].probability = UINT32_MAX / 20;
    outcome = run(&scene);
    EXPECT_EQ(outcome.status, SIM_FINISHED);
    EXPECT_GT(outcome.totals.packets_lost[LOST_CORRUPT], 0);
}

SPEC("a slow link slows its flow, and no longer than it is slow")
{
    static struct scene scene;
    uint64_t all_along_ps;

    prepare(&scene);
    break_it(&scene, FAULT_SLOW, host_link, 0, SIM_NEVER_PS);
    scene.cluster.faults[0].rate_bps = UINT64_C(50000000000);
    EXPECT_EQ(run(&scene).status, SIM_FINISHED);
    all_along_ps = scene.seen.done_ps;
    prepare(&scene);
    break_it(&scene, FAULT_SLOW, host_link, 0, US(20));
    scene.cluster.faults[0].rate_bps = UINT64_C(50000000000);
    EXPECT_EQ(run(&scene).status, SIM_FINISHED);
    EXPECT_GT(all_along_ps, undisturbed_ps() + US(30));
    EXPECT_LT(scene.seen.done_ps, all_along_ps);
    EXPECT_GT(scene.seen.done_ps, undisturbed_ps());
}

SPEC("a rebooting switch loses its queues, and its links are down meanwhile")
{
    static struct scene scene;
    struct cluster_outcome outcome;

    prepare(&scene);
    break_it(&scene, FAULT_REBOOT, t1, US(15), US(40));
    outcome = run(&scene);
    EXPECT_EQ(outcome.status, SIM_FINISHED);
    EXPECT_GT(outcome.totals.packets_lost[LOST_LINK_DOWN], 0);
    EXPECT_EQ(scene.seen.events[SIM_EVENT_PORT_CHANGED], 0);
}

/* Both engines, from the same scene. */
static void expect_the_same_run(struct scene *scene)
{
    struct cluster_outcome windows = run(scene);
    struct cluster_outcome heap;

    scene->cluster.config.engine = SIM_HEAP;
    heap = run(scene);
    EXPECT_EQ(windows.status, heap.status);
    EXPECT_EQ(windows.totals.packet_hops, heap.totals.packet_hops);
    EXPECT_EQ(windows.hash, heap.hash);
}

SPEC("a plane that goes down and up hundreds of times in a window does so at the right times")
{
    static struct scene scene;

    prepare(&scene);
    break_it(&scene, FAULT_FLAP, plane, US(10), US(13));
    scene.cluster.faults[0].period_ps = 2345;
    scene.cluster.faults[0].duty_permille = 300;
    expect_the_same_run(&scene);
    EXPECT_EQ(scene.seen.events[SIM_EVENT_FAULT_ENDED], 2);
}

SPEC("a fault at time 0 applies from the beginning")
{
    static struct scene scene;

    prepare(&scene);
    break_it(&scene, FAULT_DOWN, plane, 0, US(30));
    break_it(&scene, FAULT_REBOOT, t1, 0, US(20));
    expect_the_same_run(&scene);
    EXPECT_EQ(scene.seen.first_ps[SIM_EVENT_PORT_CHANGED], 0);
}
