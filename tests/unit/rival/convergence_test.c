/* SPDX-License-Identifier: Apache-2.0 */
/* How long routing takes to react to failures, and what switches know meanwhile. */
#include "cluster.h"
#include "spec.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/prng.h"
#include "rival/rival.h"

#define US(count) ((uint64_t)(count)*UINT64_C(1000000))
#define MS(count) (US(count) * 1000)
#define S(count)  (MS(count) * 1000)

enum {
    SAMPLES = 4001,
    T1S = 4,
    T0S = 3,
};

/* ---- times ----------------------------------------------------------------------------------- */

struct times {
    uint64_t local_ps[SAMPLES];  /* from the failure until the switch itself has reacted */
    uint64_t remote_ps[SAMPLES]; /* and its neighbours */
};

static int by_length(const void *a, const void *b)
{
    const uint64_t *first = a;
    const uint64_t *second = b;

    return *first < *second ? -1 : *first > *second;
}

/* Sorted. */
static struct times *sample(enum convergence_set set)
{
    static struct times times;
    struct prng prng = prng_stream(1, set);

    for (uint32_t i = 0; i < SAMPLES; i++) {
        times.local_ps[i] =
            convergence_detection_ps(set, &prng) + convergence_repair_ps(set, &prng);
        times.remote_ps[i] = times.local_ps[i] + convergence_notice_ps(set, 1, &prng);
    }
    qsort(times.local_ps, SAMPLES, sizeof(times.local_ps[0]), by_length);
    qsort(times.remote_ps, SAMPLES, sizeof(times.remote_ps[0]), by_length);
    return &times;
}

SPEC("hardware notification takes 0.1 to 3 ms")
{
    const struct times *times = sample(CONVERGENCE_FRR);

    EXPECT_GE(times->remote_ps[0], US(100));
    EXPECT_LE(times->remote_ps[SAMPLES - 1], MS(3));
}

SPEC("loss of light and prepared tables take about 50 ms")
{
    uint64_t median_ps = sample(CONVERGENCE_FAST)->remote_ps[SAMPLES / 2];

    EXPECT_GE(median_ps, MS(45));
    EXPECT_LE(median_ps, MS(55));
}

SPEC("BGP takes about 50 ms at the switch, 100 ms at its neighbours, and 1 % over a second")
{
    const struct times *times = sample(CONVERGENCE_BGP);
    uint32_t late = 0;

    EXPECT_GE(times->local_ps[SAMPLES / 2], MS(45));
    EXPECT_LE(times->local_ps[SAMPLES / 2], MS(55));
    EXPECT_GE(times->remote_ps[SAMPLES / 2], MS(90));
    EXPECT_LE(times->remote_ps[SAMPLES / 2], MS(110));
    for (uint32_t i = 0; i < SAMPLES; i++)
        late += times->remote_ps[i] > S(1);
    EXPECT_GE(late, SAMPLES / 200);
    EXPECT_LE(late, SAMPLES / 50);
}

SPEC("keep-alive messages take 3 to 10 s")
{
    const struct times *times = sample(CONVERGENCE_SLOW);

    EXPECT_GE(times->remote_ps[0], S(3));
    EXPECT_LE(times->remote_ps[SAMPLES - 1], S(10));
}

SPEC("switches that repair by themselves take 0.1 ms, and 1 ms for each neighbour")
{
    const struct times *times = sample(CONVERGENCE_SHIELD);

    EXPECT_EQ(times->local_ps[SAMPLES / 2], US(100));
    EXPECT_GE(times->remote_ps[0], US(1099));
    EXPECT_LE(times->remote_ps[SAMPLES - 1], US(1101));
}

SPEC("a subnet manager writes a table for 64 destinations with each packet, 4 at a time in 50 us")
{
    struct convergence_sweep small = convergence_sweep_of(
        &(struct convergence_size){ .switch_count = 96, .lid_count = 2048, .port_count = 6144 });
    struct convergence_sweep large = convergence_sweep_of(&(struct convergence_size){
        .switch_count = 1536, .lid_count = 32768, .port_count = 98304 });

    EXPECT_EQ(small.table_smps, 3072);
    EXPECT_EQ(small.tables_ps, US(38400));
    EXPECT_EQ(small.discovery_smps, 12288);
    EXPECT_EQ(small.before_ps, US(12288 / 4 * 50) + US(9600));
    EXPECT_EQ(large.table_smps, 786432);
    EXPECT_EQ(large.tables_ps, MS(9830) + US(400));
}

/* ---- a fabric -------------------------------------------------------------------------------- */

/* Three T0s, switches 0 to 2, and four T1s. */
struct fabric {
    struct cluster cluster;
    struct ecmp ecmp;
    struct convergence convergence;
    void *memory;
};

static void take_parts(struct fabric *fabric, struct arena *arena, enum convergence_set set)
{
    ecmp_init(
        &fabric->ecmp, arena, &fabric->cluster.fabric.topology, &(struct ecmp_config){ .seed = 1 });
    convergence_init(&fabric->convergence, arena, &fabric->ecmp, set, 7);
}

static void open_fabric(struct fabric *fabric, enum convergence_set set)
{
    struct arena arena;

    cluster_leaf_spine(&fabric->cluster);
    fabric->cluster.fabric_config.t0_count = T0S;
    fabric->cluster.fabric_config.t1_count = T1S;
    fabric->cluster.fabric_config.hosts_per_t0 = 2;
    cluster_open(&fabric->cluster);
    arena_init(&arena, NULL, 0);
    take_parts(fabric, &arena, set);
    fabric->memory = aligned_alloc(64, (arena.used_bytes + 63) / 64 * 64);
    arena_init(&arena, fabric->memory, arena.used_bytes);
    take_parts(fabric, &arena, set);
}

static void close_fabric(struct fabric *fabric)
{
    free(fabric->memory);
    cluster_close(&fabric->cluster);
}

static uint32_t first_port(const struct fabric *fabric, uint32_t from, uint32_t to)
{
    return bits_lowest(*ecmp_group(&fabric->ecmp, from, to));
}

/* The first uplink of T0 0, in both directions. */
static void change_link(struct fabric *fabric, enum convergence_event event, uint64_t at_ps)
{
    uint32_t up = first_port(fabric, 0, 1);
    uint32_t t1;

    EXPECT(ecmp_neighbour(&fabric->ecmp, 0, up, &t1));
    convergence_on_link(&fabric->convergence, 0, up, event, at_ps);
    convergence_on_link(&fabric->convergence, t1, first_port(fabric, t1, 0), event, at_ps);
}

/* Returns when T0 `from` uses its first uplink differently for packets to T0 `to`, to 10 us;
 * UINT64_MAX: not within the time. */
static uint64_t change_after(
    const struct fabric *fabric, uint32_t from, uint32_t to, uint64_t at_ps, uint64_t within_ps)
{
    uint32_t port = first_port(fabric, from, to);
    bool used = convergence_uses(&fabric->convergence, from, port, to, at_ps);

    for (uint64_t time_ps = 0; time_ps < within_ps; time_ps += US(10))
        if (convergence_uses(&fabric->convergence, from, port, to, at_ps + time_ps) != used)
            return time_ps;
    return UINT64_MAX;
}

SPEC("a switch stops using its dead link, and later its neighbours stop sending there")
{
    struct fabric fabric;
    uint64_t own_ps;
    uint64_t others_ps;

    open_fabric(&fabric, CONVERGENCE_FAST);
    change_link(&fabric, CONVERGENCE_LINK_DOWN, S(1));
    own_ps = change_after(&fabric, 0, 1, S(1), S(1));
    others_ps = change_after(&fabric, 1, 0, S(1), S(1));
    EXPECT_GE(own_ps, MS(1));
    EXPECT_LE(own_ps, MS(100));
    EXPECT_GE(others_ps, MS(4));
    EXPECT_LE(others_ps, MS(500));
    EXPECT_EQ(change_after(&fabric, 1, 2, S(1), S(1)), UINT64_MAX); /* not over the link */
    EXPECT_EQ(change_after(&fabric, 0, 1, 0, S(1)), UINT64_MAX);    /* before the failure */
    close_fabric(&fabric);
}

SPEC("neighbours know of a failure of another switch later, by the time of the notice")
{
    struct fabric fabric;

    open_fabric(&fabric, CONVERGENCE_SHIELD);
    change_link(&fabric, CONVERGENCE_LINK_DOWN, S(1));
    EXPECT_EQ(change_after(&fabric, 0, 1, S(1), S(1)), US(100));
    EXPECT_EQ(change_after(&fabric, 1, 0, S(1), S(1)), US(1100));
    close_fabric(&fabric);
}

SPEC("a link that returns is used after the hold-down")
{
    struct fabric fabric;

    open_fabric(&fabric, CONVERGENCE_SHIELD);
    change_link(&fabric, CONVERGENCE_LINK_DOWN, S(1));
    change_link(&fabric, CONVERGENCE_LINK_UP, S(2));
    EXPECT_EQ(change_after(&fabric, 0, 1, S(1), S(1)), US(100));
    EXPECT_EQ(change_after(&fabric, 0, 1, S(2), S(3)), S(1));
    EXPECT_EQ(change_after(&fabric, 1, 0, S(2), S(3)), S(1) + MS(1));
    change_link(&fabric, CONVERGENCE_LINK_DOWN, S(4));
    EXPECT_EQ(change_after(&fabric, 0, 1, S(4), S(1)), US(100));
    close_fabric(&fabric);
}

SPEC("a link that two faults hold down comes back when both have ended")
{
    struct fabric fabric;

    open_fabric(&fabric, CONVERGENCE_SHIELD);
    change_link(&fabric, CONVERGENCE_LINK_DOWN, S(1));
    change_link(&fabric, CONVERGENCE_LINK_DOWN, S(2));
    change_link(&fabric, CONVERGENCE_LINK_UP, S(3));
    EXPECT_EQ(change_after(&fabric, 0, 1, S(3), S(3)), UINT64_MAX);
    change_link(&fabric, CONVERGENCE_LINK_UP, S(7));
    EXPECT_EQ(change_after(&fabric, 0, 1, S(7), S(3)), S(1));
    close_fabric(&fabric);
}

SPEC("a link that fails again during the hold-down stays out of use")
{
    struct fabric fabric;

    open_fabric(&fabric, CONVERGENCE_SHIELD);
    change_link(&fabric, CONVERGENCE_LINK_DOWN, S(1));
    change_link(&fabric, CONVERGENCE_LINK_UP, S(2));
    change_link(&fabric, CONVERGENCE_LINK_DOWN, S(2) + MS(500));
    EXPECT_EQ(change_after(&fabric, 0, 1, S(2), S(3)), UINT64_MAX);
    close_fabric(&fabric);
}

SPEC("an interruption that is shorter than the detection has no effect and no messages")
{
    struct fabric fabric;

    open_fabric(&fabric, CONVERGENCE_BGP);
    change_link(&fabric, CONVERGENCE_LINK_DOWN, S(1));
    change_link(&fabric, CONVERGENCE_LINK_UP, S(1) + US(900));
    EXPECT_EQ(change_after(&fabric, 0, 1, S(1), S(4)), UINT64_MAX);
    EXPECT_EQ(change_after(&fabric, 1, 0, S(1), S(4)), UINT64_MAX);
    EXPECT_EQ(fabric.convergence.messages, 0);
    close_fabric(&fabric);
}

SPEC("a link that loses everything is found by lost probes, or never")
{
    struct fabric fabric;
    uint64_t time_ps;

    open_fabric(&fabric, CONVERGENCE_FAST);
    change_link(&fabric, CONVERGENCE_LINK_SILENT, S(1));
    time_ps = change_after(&fabric, 0, 1, S(1), S(1));
    EXPECT_GE(time_ps, MS(150));
    EXPECT_LE(time_ps, MS(250));
    close_fabric(&fabric);
    open_fabric(&fabric, CONVERGENCE_SHIELD);
    change_link(&fabric, CONVERGENCE_LINK_SILENT, S(1));
    EXPECT_EQ(change_after(&fabric, 0, 1, S(1), S(1)), UINT64_MAX);
    close_fabric(&fabric);
}

SPEC("a T1 without a link to a T0 tells the other T0s, when the link fails and when it returns")
{
    struct fabric fabric;

    open_fabric(&fabric, CONVERGENCE_BGP);
    change_link(&fabric, CONVERGENCE_LINK_DOWN, S(1));
    EXPECT_EQ(fabric.convergence.messages, T0S - 1);
    change_link(&fabric, CONVERGENCE_LINK_UP, S(2));
    EXPECT_EQ(fabric.convergence.messages, 2 * (T0S - 1));
    close_fabric(&fabric);
}

SPEC("a subnet manager changes one switch after the other")
{
    struct fabric fabric;
    const struct convergence_sweep *sweep = &fabric.convergence.sweep;
    uint64_t own_ps;
    uint64_t others_ps;

    open_fabric(&fabric, CONVERGENCE_SUBNET_MANAGER);
    change_link(&fabric, CONVERGENCE_LINK_DOWN, S(1));
    own_ps = change_after(&fabric, 0, 1, S(1), S(1));
    others_ps = change_after(&fabric, 1, 0, S(1), S(1));
    EXPECT(own_ps != others_ps);
    EXPECT_GE(own_ps, MS(1) + sweep->before_ps);
    EXPECT_GE(others_ps, MS(1) + sweep->before_ps);
    EXPECT_LE(own_ps, MS(51) + sweep->before_ps + sweep->tables_ps);
    EXPECT_LE(others_ps, MS(51) + sweep->before_ps + sweep->tables_ps);
    EXPECT_EQ(fabric.convergence.messages, 2 * (sweep->discovery_smps + sweep->table_smps));
    close_fabric(&fabric);
}

SPEC("without convergence, routes never change")
{
    struct fabric fabric;

    open_fabric(&fabric, CONVERGENCE_NONE);
    change_link(&fabric, CONVERGENCE_LINK_DOWN, S(1));
    EXPECT_EQ(change_after(&fabric, 0, 1, S(1), S(20)), UINT64_MAX);
    EXPECT_EQ(fabric.convergence.messages, 0);
    close_fabric(&fabric);
}
