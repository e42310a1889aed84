/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of InfiniBand: static by destination, adaptive by load, and how they avoid failed links.
 */
#include "cluster.h"
#include "spec.h"

#include <stdlib.h>

#include "rival/rival.h"

#define US(count) ((uint64_t)(count)*UINT64_C(1000000))
#define MS(count) ((uint64_t)(count)*UINT64_C(1000000000))

/* ---- choice ---------------------------------------------------------------------------------- */

static const uint64_t ports_of_four =
    UINT64_C(1) << 3 | UINT64_C(1) << 10 | UINT64_C(1) << 11 | UINT64_C(1) << 63;
static const struct ib_ports four = { .words = &ports_of_four, .word_count = 1 };

SPEC("static routes divide destinations evenly, and again in the next tier")
{
    static const uint32_t expected[4] = { 3, 10, 11, 63 };

    for (uint32_t lid = 0; lid < 32; lid++) {
        EXPECT_EQ(ib_route_static(four, lid, 0), expected[lid % 4]);
        EXPECT_EQ(ib_route_static(four, lid, 1), expected[lid / 4 % 4]);
    }
}

static uint32_t load_at(const void *context, uint32_t port)
{
    return ((const uint32_t *)context)[port];
}

SPEC("an adaptive route takes the port with the least load")
{
    uint32_t loads[64] = { [3] = 7, [10] = 5, [11] = 65536, [63] = 6 };
    struct ib_loads by_load = { .of = load_at, .context = loads };
    struct prng prng = { 0 };

    for (uint32_t i = 0; i < 20; i++)
        EXPECT_EQ(ib_route_adaptive(four, &by_load, &prng), 10);
    loads[63] = 0;
    EXPECT_EQ(ib_route_adaptive(four, &by_load, &prng), 63);
}

SPEC("ports with the same load are used equally often")
{
    uint32_t loads[64] = { [3] = 1, [10] = 1, [11] = 1, [63] = 1 };
    struct ib_loads by_load = { .of = load_at, .context = loads };
    struct prng prng = { 0 };
    uint32_t used[64] = { 0 };

    for (uint32_t i = 0; i < 4000; i++)
        used[ib_route_adaptive(four, &by_load, &prng)]++;
    for (uint32_t port = 0; port < 64; port++)
        EXPECT(!(ports_of_four >> port & 1) || (used[port] > 900 && used[port] < 1100));
}

/* ---- failures -------------------------------------------------------------------------------- */

/* "96 switches, 2048 LIDs: 3072 packets, 38 ms"; "1536 switches, 32768 LIDs: 9.8 s" */
SPEC("writing the tables takes what is published")
{
    struct ib_subnet_size small = { .switch_count = 96, .lid_count = 2048 };
    struct ib_subnet_size large = { .switch_count = 1536, .lid_count = 32768 };

    EXPECT_EQ(ib_subnet_writing_ps(&small), US(38400));
    EXPECT_EQ(ib_subnet_writing_ps(&large) / US(1), 9830400);
}

enum {
    T0S = 4,
    T1S = 4,
    HOSTS = 4,
};

/* Switches 0 to 3 are T0s, 4 to 7 T1s. Ports 4 to 7 of a T0 lead to T1s, port p of a T1 to T0 p. */
struct bench {
    struct cluster cluster;
    struct ecmp ecmp;
    struct ib_subnet subnet;
    void *memory;
};

static void init_tables(struct bench *bench, struct arena *arena, enum ib_recovery recovery)
{
    const struct topology *topology = &bench->cluster.fabric.topology;

    ecmp_init(&bench->ecmp, arena, topology, &(struct ecmp_config){ .seed = 1 });
    ib_subnet_init(&bench->subnet, arena, &bench->ecmp, topology,
        &(struct ib_subnet_config){ .recovery = recovery,
            .seed = 1,
            .size = { .switch_count = T0S + T1S, .lid_count = T0S * HOSTS, .port_count = 48 },
            .link_count = 48 });
}

static void open_bench(struct bench *bench, enum ib_recovery recovery)
{
    struct arena arena;

    cluster_leaf_spine(&bench->cluster);
    bench->cluster.fabric_config.t0_count = T0S;
    bench->cluster.fabric_config.t1_count = T1S;
    bench->cluster.fabric_config.hosts_per_t0 = HOSTS;
    cluster_open(&bench->cluster);
    arena_init(&arena, NULL, 0);
    init_tables(bench, &arena, recovery);
    bench->memory = aligned_alloc(64, (arena.used_bytes + 63) / 64 * 64);
    arena_init(&arena, bench->memory, arena.used_bytes);
    init_tables(bench, &arena, recovery);
}

static void close_bench(struct bench *bench)
{
    free(bench->memory);
    cluster_close(&bench->cluster);
}

static uint64_t ways(struct bench *bench, uint32_t from, uint32_t to, uint64_t now_ps)
{
    return *ib_subnet_ports(&bench->subnet, from, to, now_ps).words;
}

SPEC("with SHIELD the switch at the link acts after 100 us, its neighbours a millisecond later")
{
    struct bench bench;

    open_bench(&bench, IB_SHIELD);
    EXPECT_EQ(ways(&bench, 0, 1, 0), 0xf0);
    ib_subnet_on_fault(&bench.subnet, 0, 5, true, MS(1)); /* T0 0 to T1 1, and back */
    ib_subnet_on_fault(&bench.subnet, 5, 0, true, MS(1));
    EXPECT_EQ(ways(&bench, 0, 1, MS(1) + US(99)), 0xf0);
    EXPECT_EQ(ways(&bench, 0, 1, MS(1) + US(100)), 0xd0);
    EXPECT_EQ(ways(&bench, 1, 0, MS(2) + US(99)), 0xf0);
    EXPECT_EQ(ways(&bench, 1, 0, MS(2) + US(100)), 0xd0);
    EXPECT_EQ(ways(&bench, 1, 2, MS(3)), 0xf0);
    ib_subnet_on_fault(&bench.subnet, 0, 5, false, MS(10));
    ib_subnet_on_fault(&bench.subnet, 5, 0, false, MS(10));
    EXPECT_EQ(ways(&bench, 0, 1, MS(10) + US(99)), 0xd0);
    EXPECT_EQ(ways(&bench, 0, 1, MS(10) + US(100)), 0xf0);
    EXPECT_EQ(ways(&bench, 1, 0, MS(11) + US(100)), 0xf0);
    close_bench(&bench);
}

/* A trap takes 1 to 50 ms, 48 ports 1.2 ms, 8 switches 0.8 ms; their tables are written in 0.1 ms.
 */
SPEC("the subnet manager acts after its trap and its sweep, each switch at its own time")
{
    struct bench bench;

    open_bench(&bench, IB_SUBNET_MANAGER);
    ib_subnet_on_fault(&bench.subnet, 0, 5, true, 0);
    ib_subnet_on_fault(&bench.subnet, 5, 0, true, 0);
    EXPECT_EQ(ways(&bench, 0, 1, MS(3)), 0xf0);
    EXPECT_EQ(ways(&bench, 1, 0, MS(3)), 0xf0);
    EXPECT_EQ(ways(&bench, 0, 1, MS(53)), 0xd0);
    EXPECT_EQ(ways(&bench, 1, 0, MS(53)), 0xd0);
    close_bench(&bench);
}

SPEC("if no way is left, routes stay as they are")
{
    struct bench bench;

    open_bench(&bench, IB_SHIELD);
    for (uint32_t port = 4; port < 8; port++)
        ib_subnet_on_fault(&bench.subnet, 0, port, true, 0);
    EXPECT_EQ(ways(&bench, 0, 1, MS(100)), 0xf0);
    close_bench(&bench);
}

SPEC("a link that two faults hold down comes back when both have ended")
{
    struct bench bench;

    open_bench(&bench, IB_SHIELD);
    ib_subnet_on_fault(&bench.subnet, 0, 5, true, 0);
    ib_subnet_on_fault(&bench.subnet, 0, 5, true, MS(1));
    ib_subnet_on_fault(&bench.subnet, 0, 5, false, MS(2));
    EXPECT_EQ(ways(&bench, 0, 1, MS(4)), 0xd0);
    ib_subnet_on_fault(&bench.subnet, 0, 5, false, MS(5));
    EXPECT_EQ(ways(&bench, 0, 1, MS(6)), 0xf0);
    close_bench(&bench);
}
