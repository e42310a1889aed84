/* SPDX-License-Identifier: Apache-2.0 */
/* Avoided EVs: each counts once on the links of its way, however often it is reported. */
#include "map/map_evs.h"

#include "prober.h"

enum { PLACES = 2048, OF_NIC = PLACES / 64 };

static struct prober prober;
static struct map_evs evs;
static _Alignas(64) struct map_evs_place memory[PLACES];

static void open_evs_of(uint32_t t0_count)
{
    struct arena arena;

    prober_open(&prober, t0_count, 4, 4);
    memset(memory, 0, sizeof(memory));
    arena_init(&arena, memory, sizeof(memory));
    map_evs_init(&evs, &arena, PLACES);
    evs.places = memory;
}

static void open_evs(void)
{
    open_evs_of(4);
}

static void change_ev_of(uint32_t from, uint32_t to, uint32_t qpn, const char *ev, bool is_bad)
{
    struct map_avoided avoided = { .from = from, .to = to, .qpn = qpn, .time_ms = 100 * qpn };

    EXPECT(plan_ev_find(&prober.plan, ev, &avoided.ev));
    map_evs_change(&evs, &prober.map, &avoided, is_bad);
}

static void change_ev(uint32_t to, uint32_t qpn, const char *ev, bool is_bad)
{
    change_ev_of(0, to, qpn, ev, is_bad);
}

static struct map_verdict verdict_on(const char *name)
{
    char reason[TOPOLOGY_REASON_BYTES];
    struct map_verdict verdict = { 0 };

    EXPECT(topology_find(&prober.plan.topology, name, &verdict.element, reason));
    if (topology_is_link(verdict.element.kind))
        topology_link_of(
            &prober.plan.topology, &verdict.element, 0, &verdict.lower, &verdict.upper);
    return verdict;
}

static uint32_t evs_on(const char *link)
{
    struct map_verdict verdict = verdict_on(link);

    return prober.map.links[topology_link_number(&prober.plan.topology, verdict.lower)].evs_bad;
}

SPEC("an EV that is reported twice counts once, and is taken back once")
{
    open_evs();
    change_ev(5, 1, "p1/u2", true);
    change_ev(5, 1, "p1/u2", true);
    change_ev(5, 2, "p1/u2", true);
    EXPECT_EQ(evs_on("p1.t0.0-t1.2"), 2);
    EXPECT_EQ(evs_on("p1.t0.1-t1.2"), 2);
    EXPECT_EQ(evs_on("p1.t0.2-t1.2"), 0);
    change_ev(5, 1, "p1/u2", false);
    change_ev(5, 1, "p1/u2", false);
    EXPECT_EQ(evs_on("p1.t0.0-t1.2"), 1);
    EXPECT_EQ(evs.count, 1);
    prober_close(&prober);
}

SPEC("a QP or NIC that is gone, and an old report, no longer count")
{
    open_evs();
    for (uint32_t qpn = 1; qpn <= 9; qpn++)
        change_ev(4 + qpn, qpn % 3 + 1, "p0/u1", true);
    EXPECT_EQ(evs_on("h0.p0"), 9);
    map_evs_forget_qp(&evs, &prober.map, 0, 2);
    EXPECT_EQ(evs_on("h0.p0"), 6);
    map_evs_expire(&evs, &prober.map, 200); /* QP 1 was last heard of at 100 */
    EXPECT_EQ(evs_on("h0.p0"), 3);
    map_evs_forget_nic(&evs, &prober.map, 1);
    EXPECT_EQ(evs_on("h0.p0"), 3);
    map_evs_forget_nic(&evs, &prober.map, 0);
    EXPECT_EQ(evs_on("h0.p0"), 0);
    EXPECT_EQ(evs.count, 0);
    prober_close(&prober);
}

SPEC("an avoided EV implicates the links, switches and NICs of its way, and no others")
{
    static const char *const on_way[] = { "h0.p1", "p1.t0.0-t1.2", "p1.t1.2", "p1.t0.1-t1.2",
        "p1.t0.1", "h5.p1", "h5" };
    static const char *const beside[] = { "h1.p1", "p1.t0.0-t1.1", "p0.t1.2", "p1.t0.2", "h5.p0",
        "h4" };
    struct map_avoided avoided = { .from = 0, .to = 5 };
    struct map_verdict verdict;

    open_evs();
    EXPECT(plan_ev_find(&prober.plan, "p1/u2", &avoided.ev));
    for (size_t i = 0; i < sizeof(on_way) / sizeof(on_way[0]); i++) {
        verdict = verdict_on(on_way[i]);
        EXPECT(map_evs_implicates(&prober.map, &avoided, &verdict));
    }
    for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
        verdict = verdict_on(beside[i]);
        EXPECT(!map_evs_implicates(&prober.map, &avoided, &verdict));
    }
    prober_close(&prober);
}

SPEC("one NIC cannot take the room of others, and gets back what it gives back")
{
    open_evs();
    for (uint32_t qpn = 0; qpn < 2 * OF_NIC; qpn++)
        change_ev(5, qpn, "p0/u3", true);
    EXPECT_EQ(evs.count, OF_NIC);
    EXPECT_EQ(evs.dropped, OF_NIC);
    change_ev_of(1, 5, 1, "p0/u3", true);
    EXPECT_EQ(evs.count, OF_NIC + 1);
    map_evs_forget_qp(&evs, &prober.map, 0, 3);
    change_ev(5, 1000, "p0/u3", true);
    EXPECT_EQ(evs.count, OF_NIC + 1);
    change_ev(5, 1001, "p0/u3", true);
    EXPECT_EQ(evs.dropped, OF_NIC + 1);
    map_evs_forget_nic(&evs, &prober.map, 0);
    EXPECT_EQ(evs.count, 1);
    EXPECT_EQ(evs_on("h1.p0"), 1);
    prober_close(&prober);
}

SPEC("what counts no more of a NIC without entries costs nothing: the table is not looked at")
{
    open_evs();
    evs.places = NULL;
    map_evs_forget_qp(&evs, &prober.map, 0, 2);
    map_evs_forget_nic(&evs, &prober.map, 0);
    map_evs_expire(&evs, &prober.map, 200);
    EXPECT_EQ(evs.count, 0);
    prober_close(&prober);
}

SPEC("three quarters of the places are taken at most, and the rest is counted")
{
    open_evs_of(16);
    for (uint32_t nic = 0; nic < 64; nic++)
        for (uint32_t qpn = 0; qpn < OF_NIC; qpn++)
            change_ev_of(nic, (nic + 4) % 64, qpn, "p0/u3", true);
    EXPECT_EQ(evs.count, PLACES / 4 * 3);
    EXPECT_EQ(evs.dropped, PLACES / 4);
    prober_close(&prober);
}

PROPERTY("the table holds what a list would hold", 50)
{
    struct prng prng = { .state = seed };
    bool is_bad[4][8] = { { false } };
    uint32_t count = 0;

    open_evs();
    for (uint32_t step = 0; step < 500; step++) {
        uint32_t qpn = prng_below(&prng, 4);
        uint32_t to = 4 + prng_below(&prng, 8);
        bool bad = prng_below(&prng, 2) == 0;

        change_ev(to, qpn, "p0/u3", bad);
        count += (uint32_t)bad - (uint32_t)is_bad[qpn][to - 4];
        is_bad[qpn][to - 4] = bad;
        EXPECT_EQ(evs.count, count);
        EXPECT_EQ(evs_on("h0.p0"), count);
    }
    prober_close(&prober);
}
