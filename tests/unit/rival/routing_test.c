/* SPDX-License-Identifier: Apache-2.0 */
/* The choice among equal-cost ports: by hash, by flowlet, by queue. */
#include "cluster.h"
#include "spec.h"

#include <stdlib.h>

#include "rival/rival.h"

#define US(count) ((uint64_t)(count)*UINT64_C(1000000))
#define S(count)  (US(count) * 1000000)

enum {
    HOSTS = 4, /* of a T0: its ports 0 to 3 */
    T1S = 8,
};

struct fabric {
    struct cluster cluster;
    struct routing routing;
    uint64_t queues[HOSTS + T1S];
    void *memory;
};

static void open_fabric(struct fabric *fabric, enum routing_kind kind)
{
    struct routing_config config = { .kind = kind,
        .flowlet_gap_ps = US(10),
        .convergence = CONVERGENCE_SHIELD,
        .ecmp = { .seed = 3 } };
    struct arena arena;

    *fabric = (struct fabric){ 0 };
    cluster_leaf_spine(&fabric->cluster);
    fabric->cluster.fabric_config.t1_count = T1S;
    fabric->cluster.fabric_config.hosts_per_t0 = HOSTS;
    cluster_open(&fabric->cluster);
    arena_init(&arena, NULL, 0);
    routing_init(&fabric->routing, &arena, &fabric->cluster.fabric.topology, &config);
    fabric->memory = aligned_alloc(64, (arena.used_bytes + 63) / 64 * 64);
    arena_init(&arena, fabric->memory, arena.used_bytes);
    routing_init(&fabric->routing, &arena, &fabric->cluster.fabric.topology, &config);
}

static void close_fabric(struct fabric *fabric)
{
    free(fabric->memory);
    cluster_close(&fabric->cluster);
}

static uint64_t queue_bytes(const void *queues, uint32_t port)
{
    return ((const uint64_t *)queues)[port];
}

/* Returns the uplink that a packet of the flow takes at T0 0 to T0 1. */
static uint32_t forward(struct fabric *fabric, uint32_t flow, uint64_t now_ps)
{
    const struct ecmp_label label = { .flow = flow, .at = 1, .port = 2 };
    const struct routing_queues queues = { .bytes = queue_bytes, .context = fabric->queues };
    uint32_t port = routing_forward(&fabric->routing, 0, &label, &queues, now_ps);

    EXPECT_GE(port, HOSTS);
    EXPECT_LT(port, HOSTS + T1S);
    EXPECT_EQ(routing_forward(&fabric->routing, 1, &label, &queues, now_ps), 2);
    return port - HOSTS;
}

SPEC("with ECMP a flow keeps its port, and when that is dead, only its flows move")
{
    struct fabric fabric;
    uint32_t ports[64];
    uint32_t moved = 0;

    open_fabric(&fabric, ROUTING_ECMP);
    for (uint32_t flow = 0; flow < 64; flow++) {
        ports[flow] = forward(&fabric, flow, US(flow));
        EXPECT_EQ(forward(&fabric, flow, S(1)), ports[flow]);
    }
    convergence_on_link(
        &fabric.routing.convergence, 0, HOSTS + ports[0], CONVERGENCE_LINK_DOWN, S(1));
    for (uint32_t flow = 0; flow < 64; flow++) {
        uint32_t port = forward(&fabric, flow, S(1) + US(200));

        EXPECT_EQ(forward(&fabric, flow, S(1) + US(50)), ports[flow]); /* not known yet */
        EXPECT(port != ports[0]);
        EXPECT(port == ports[flow] || ports[flow] == ports[0]);
        moved += port != ports[flow];
    }
    EXPECT_GE(moved, 1);
    close_fabric(&fabric);
}

SPEC("a flowlet keeps its port, and after a pause another may be drawn")
{
    struct fabric fabric;
    uint32_t before;
    uint32_t changes = 0;

    open_fabric(&fabric, ROUTING_FLOWLET);
    before = forward(&fabric, 5, S(1));
    for (uint32_t i = 1; i < 100; i++)
        EXPECT_EQ(forward(&fabric, 5, S(1) + i * US(10)), before);
    for (uint32_t i = 1; i <= 100; i++) {
        uint32_t port = forward(&fabric, 5, S(2) + i * US(11));

        changes += port != before;
        before = port;
    }
    EXPECT_GE(changes, 70); /* 7 of 8 draws */
    close_fabric(&fabric);
}

SPEC("a flowlet leaves a port that is dead")
{
    struct fabric fabric;
    uint32_t before;

    open_fabric(&fabric, ROUTING_FLOWLET);
    before = forward(&fabric, 5, S(1));
    convergence_on_link(
        &fabric.routing.convergence, 0, HOSTS + before, CONVERGENCE_LINK_DOWN, S(1));
    for (uint32_t i = 0; i < 20; i++)
        EXPECT_EQ(forward(&fabric, 5, S(1) + i * US(5)), before);
    for (uint32_t i = 20; i < 40; i++)
        EXPECT(forward(&fabric, 5, S(1) + i * US(5)) != before);
    close_fabric(&fabric);
}

SPEC("adaptive routing takes the shortest queue, and of several a random one")
{
    struct fabric fabric;
    uint32_t used = 0;

    open_fabric(&fabric, ROUTING_ADAPTIVE);
    for (uint32_t i = 0; i < T1S; i++)
        fabric.queues[HOSTS + i] = 1000 + i % 4;
    fabric.queues[HOSTS + 3] = 10;
    for (uint32_t i = 0; i < 20; i++)
        EXPECT_EQ(forward(&fabric, i, US(i)), 3);
    fabric.queues[HOSTS + 3] = 5000;
    for (uint32_t i = 0; i < 200; i++)
        used |= UINT32_C(1) << forward(&fabric, 1, US(i));
    EXPECT_EQ(used, 0x11); /* 0 and 4 */
    close_fabric(&fabric);
}

SPEC("adaptive routing uses ports with queues of the same length equally often")
{
    enum { PACKETS = 1000 * T1S };
    struct fabric fabric;
    uint32_t counts[T1S] = { 0 };

    open_fabric(&fabric, ROUTING_ADAPTIVE);
    for (uint32_t i = 0; i < PACKETS; i++)
        counts[forward(&fabric, 1, US(i))]++;
    for (uint32_t i = 0; i < T1S; i++) {
        EXPECT_GT(counts[i], 850);
        EXPECT_LT(counts[i], 1150);
    }
    close_fabric(&fabric);
}

SPEC("adaptive routing avoids a dead port, whose queue is empty, once it is known")
{
    struct fabric fabric;

    open_fabric(&fabric, ROUTING_ADAPTIVE);
    for (uint32_t i = 0; i < T1S; i++)
        fabric.queues[HOSTS + i] = i == 2 ? 0 : 1000;
    convergence_on_link(&fabric.routing.convergence, 0, HOSTS + 2, CONVERGENCE_LINK_DOWN, S(1));
    EXPECT_EQ(forward(&fabric, 1, S(1) + US(99)), 2);
    EXPECT(forward(&fabric, 1, S(1) + US(100)) != 2);
    close_fabric(&fabric);
}

SPEC("if no port is left, there is no route")
{
    const struct ecmp_label label = { .flow = 1, .at = 1, .port = 2 };
    struct fabric fabric;

    for (enum routing_kind kind = 0; kind < ROUTING_KIND_COUNT; kind++) {
        const struct routing_queues queues = { .bytes = queue_bytes, .context = fabric.queues };

        open_fabric(&fabric, kind);
        for (uint32_t i = 0; i < T1S; i++)
            convergence_on_link(
                &fabric.routing.convergence, 0, HOSTS + i, CONVERGENCE_LINK_DOWN, S(1));
        EXPECT_EQ(
            routing_forward(&fabric.routing, 0, &label, &queues, S(2)), (uint32_t)ECMP_NO_PORT);
        close_fabric(&fabric);
    }
}
