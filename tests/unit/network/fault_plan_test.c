/* SPDX-License-Identifier: Apache-2.0 */
/* Faults as a stream of actions at ports: which links, when, and what they do to packets. */
#include "spec.h"

#include <stdalign.h>
#include <stdbool.h>
#include <string.h>

#include "network/network.h"

#define US(count) ((count)*UINT64_C(1000000))
#define MS(count) ((count)*UINT64_C(1000000000))

enum {
    PORTS_MAX = 64,
};

struct bench {
    alignas(16) uint8_t memory[1 << 20];
    struct plan fabric;
    struct fault_plan plan;
    struct fault_link nics[64][TOPOLOGY_PLANES_MAX];
    struct fault_link switches[64][PORTS_MAX];
    uint32_t began;
    uint32_t ended;
    uint32_t emptied;
};
static struct bench bench;

/* Two planes of 3 T0s with 4 hosts (11 NICs) and 2 T1s, without the link between T0 2 and T1 1 of
 * plane 0. */
static void wire_up(void)
{
    static const struct topology_exception missing = {
        .link = { .kind = TOPOLOGY_UPLINK, .t0 = 2, .t1 = 1 }, .missing = true
    };
    static struct topology_exception sorted[1];
    struct topology_problem problem;
    struct topology_config config;

    topology_config_init(&config);
    config.plane_count = 2;
    config.t0_count = 3;
    config.t1_count = 2;
    config.hosts_per_t0 = 4;
    config.nic_count = 11;
    config.exceptions = &missing;
    config.exception_count = 1;
    EXPECT(plan_init(&bench.fabric, &config, sorted, &problem));
}

static void begin_plan(const struct fault_plan_config *config)
{
    struct arena measure;
    struct arena arena;

    arena_init(&measure, NULL, 0);
    fault_plan_init(&bench.plan, &measure, config);
    EXPECT_LE(measure.used_bytes, sizeof(bench.memory));
    arena_init(&arena, bench.memory, measure.used_bytes);
    fault_plan_init(&bench.plan, &arena, config);
    EXPECT_EQ(arena.used_bytes, measure.used_bytes);
    memset(bench.nics, 0, sizeof(bench.nics));
    memset(bench.switches, 0, sizeof(bench.switches));
    bench.began = 0;
    bench.ended = 0;
    bench.emptied = 0;
}

static void begin(const struct fault *faults, uint32_t count, uint64_t until_ps)
{
    wire_up();
    begin_plan(&(struct fault_plan_config){ .fabric = &bench.fabric,
        .seed = 1,
        .faults = faults,
        .fault_count = count,
        .until_ps = until_ps });
}

static struct fault_link *link_at(struct topology_end end)
{
    return end.is_nic ? &bench.nics[end.node][end.port] : &bench.switches[end.node][end.port];
}

/* Does all that happens before the time; returns how many link directions changed. */
static uint32_t advance(uint64_t before_ps)
{
    struct fault_action action;
    uint64_t last_ps = 0;
    uint32_t changes = 0;

    while (fault_pop(&bench.plan, before_ps, &action)) {
        EXPECT_GE(action.time_ps, last_ps);
        last_ps = action.time_ps;
        bench.began += action.kind == FAULT_BEGAN;
        bench.ended += action.kind == FAULT_ENDED;
        bench.emptied += action.kind == FAULT_SWITCH_EMPTIED;
        if (action.kind == FAULT_LINK_IMPAIRED || action.kind == FAULT_LINK_RELIEVED) {
            fault_plan_apply(&bench.plan, link_at(action.end), &action);
            changes++;
        }
    }
    EXPECT_GE(fault_next_ps(&bench.plan), before_ps);
    return changes;
}

static bool is_wrong(bool nic, uint32_t node, uint32_t port)
{
    return !fault_link_is_healthy(
        link_at((struct topology_end){ .is_nic = nic, .node = node, .port = port }));
}

static uint32_t count_wrong(void)
{
    uint32_t count = 0;

    for (uint32_t node = 0; node < 64; node++) {
        for (uint32_t port = 0; port < TOPOLOGY_PLANES_MAX; port++)
            count += is_wrong(true, node, port);
        for (uint32_t port = 0; port < PORTS_MAX; port++)
            count += is_wrong(false, node, port);
    }
    return count;
}

static struct fault fault_of(
    enum fault_kind kind, const struct topology_element *where, uint64_t until_ps)
{
    return (struct fault){ .kind = kind,
        .where = where,
        .where_count = 1,
        .probability = UINT32_MAX,
        .rate_bps = 1000,
        .until_ps = until_ps };
}

static uint32_t coverage(
    struct topology_element where, enum fault_kind kind, enum fault_direction way)
{
    struct fault fault = fault_of(kind, &where, FAULT_NEVER_PS);

    fault.direction = way;
    begin(&fault, 1, MS(1));
    advance(1);
    return count_wrong();
}

/* ---- which links
 * ---------------------------------------------------------------------------------- */

static const struct topology_element host_link = {
    .kind = TOPOLOGY_HOST_LINK, .nic = 5, .plane = 1
};
static const struct topology_element nic = { .kind = TOPOLOGY_NIC, .nic = 5 };
static const struct topology_element t0 = { .kind = TOPOLOGY_T0, .plane = 1, .t0 = 1 };
static const struct topology_element last_t0 = { .kind = TOPOLOGY_T0, .plane = 0, .t0 = 2 };
static const struct topology_element t1 = { .kind = TOPOLOGY_T1, .plane = 1, .t1 = 1 };
static const struct topology_element uplink = {
    .kind = TOPOLOGY_UPLINK, .plane = 1, .t0 = 1, .t1 = 1
};

SPEC("a link that is down is down at both ends, and a lossy one in its direction")
{
    EXPECT_EQ(coverage(host_link, FAULT_DOWN, FAULT_BOTH_WAYS), 2);
    EXPECT(is_wrong(true, 5, 1));
    EXPECT(is_wrong(false, 5 + 1, 1)); /* T0 1 of plane 1 */
    EXPECT_EQ(coverage(host_link, FAULT_LOSS, FAULT_UPWARD), 1);
    EXPECT(is_wrong(true, 5, 1));
    EXPECT_EQ(coverage(uplink, FAULT_LOSS, FAULT_DOWNWARD), 1);
    EXPECT(is_wrong(false, 5 + 3 + 1, 1)); /* T1 1 of plane 1 */
    EXPECT_EQ(coverage(uplink, FAULT_SLOW, FAULT_BOTH_WAYS), 2);
}

SPEC("a switch that is down has no link; its other faults affect only packets that leave it")
{
    EXPECT_EQ(coverage(t0, FAULT_DOWN, FAULT_BOTH_WAYS), 2 * (4 + 2));
    EXPECT_EQ(coverage(t0, FAULT_BLACKHOLE, FAULT_BOTH_WAYS), 4 + 2);
    EXPECT_EQ(coverage(t0, FAULT_BLACKHOLE, FAULT_UPWARD), 2);
    EXPECT_EQ(coverage(t1, FAULT_LOSS, FAULT_BOTH_WAYS), 3);
    EXPECT_EQ(coverage(nic, FAULT_DOWN, FAULT_BOTH_WAYS), 4);
    EXPECT_EQ(coverage(last_t0, FAULT_DOWN, FAULT_BOTH_WAYS), 2 * (3 + 1));
}

SPEC("a fault of a plane affects exactly the links of the plane")
{
    for (uint32_t plane = 0; plane < 2; plane++) {
        struct topology_element element = { .kind = TOPOLOGY_PLANE, .plane = plane };

        EXPECT_EQ(coverage(element, FAULT_DOWN, FAULT_BOTH_WAYS), 2 * (11 + 6 - (plane == 0)));
        for (uint32_t node = 0; node < 11; node++) {
            EXPECT(is_wrong(true, node, plane));
            EXPECT(!is_wrong(true, node, 1 - plane));
        }
        for (uint32_t index = 0; index < 5; index++)
            EXPECT(!is_wrong(false, index + (1 - plane) * 5, 0));
        EXPECT_EQ(coverage(element, FAULT_LOSS, FAULT_DOWNWARD), 11 + 6 - (plane == 0));
    }
}

/* ---- when
 * ----------------------------------------------------------------------------------------- */

SPEC("a flap is down for its share of every period, to the picosecond, and up at the end")
{
    struct fault flap = fault_of(FAULT_FLAP, &host_link, US(100) + 3000);
    uint64_t down_ps = 0;

    flap.from_ps = US(10);
    flap.period_ps = US(7) + 1;
    flap.duty_permille = 300;
    begin(&flap, 1, MS(1));
    for (uint64_t time_ps = 0; fault_next_ps(&bench.plan) != FAULT_NEVER_PS;) {
        uint64_t next_ps = fault_next_ps(&bench.plan);

        EXPECT_EQ(fault_is_in_force(&bench.plan, 0), fault_link_is_down(&bench.nics[5][1]));
        down_ps += fault_link_is_down(&bench.nics[5][1]) ? next_ps - time_ps : 0;
        time_ps = next_ps;
        EXPECT_EQ(advance(next_ps + 1) % 2, 0);
    }
    EXPECT_EQ(down_ps, 13 * 2100000); /* 12 periods and the beginning of one more */
    EXPECT_EQ(count_wrong(), 0);
    EXPECT_EQ(bench.began, 1);
    EXPECT_EQ(bench.ended, 1);
}

SPEC("a link with two down faults is up when both have ended")
{
    struct fault faults[2] = { fault_of(FAULT_DOWN, &host_link, US(20)),
        fault_of(FAULT_REBOOT, &t0, US(30)) };

    faults[1].from_ps = US(10);
    begin(faults, 2, MS(1));
    advance(US(15));
    EXPECT_EQ(bench.nics[5][1].down_count, 2);
    EXPECT_EQ(bench.emptied, 1);
    advance(US(20) + 1);
    EXPECT(fault_link_is_down(&bench.nics[5][1]));
    advance(US(30));
    EXPECT(fault_link_is_down(&bench.nics[5][1]));
    advance(US(30) + 1);
    EXPECT_EQ(count_wrong(), 0);
    EXPECT_EQ(bench.ended, 2);
}

SPEC("switches that reboot together lose their queues before their links go down")
{
    const struct topology_element group[2] = { last_t0, t1 };
    struct fault fault = fault_of(FAULT_REBOOT, group, US(20));
    struct fault_action action;
    uint32_t emptied = 0;

    fault.where_count = 2;
    begin(&fault, 1, MS(1));
    while (fault_pop(&bench.plan, US(20), &action)) {
        uint32_t node = topology_switch_index(&bench.fabric.topology, &group[emptied > 0]);

        if (action.kind != FAULT_SWITCH_EMPTIED)
            continue;
        EXPECT(!action.end.is_nic);
        EXPECT_EQ(action.end.node, node);
        emptied++;
    }
    EXPECT_EQ(emptied, 2);
}

SPEC("faults of one time are applied in the order of the list")
{
    struct fault faults[3] = { fault_of(FAULT_DOWN, &host_link, US(20)),
        fault_of(FAULT_DOWN, &t0, US(20)), fault_of(FAULT_DOWN, &t1, US(20)) };
    struct fault_action action;
    uint32_t last = 0;

    begin(faults, 3, MS(1));
    while (fault_pop(&bench.plan, US(20), &action)) {
        EXPECT_GE(action.fault, last);
        last = action.fault;
    }
    EXPECT_EQ(last, 2);
}

SPEC("no fault is applied at or after the end of the run")
{
    struct fault faults[2] = { fault_of(FAULT_DOWN, &host_link, US(20)),
        fault_of(FAULT_DOWN, &t0, US(30)) };

    faults[1].from_ps = US(20);
    begin(faults, 2, US(20));
    EXPECT_EQ(advance(FAULT_NEVER_PS), 2);
    EXPECT_EQ(fault_count(&bench.plan), 2);
    EXPECT_EQ(fault_next_ps(&bench.plan), FAULT_NEVER_PS);
}

/* ---- what becomes of packets
 * ----------------------------------------------------------------------- */

static uint32_t losses_of(uint32_t ev, enum fault_verdict verdict)
{
    uint32_t count = 0;

    for (uint64_t coin = 0; coin < 10000; coin++)
        count += fault_link_decide(&bench.nics[5][1], bench.plan.holds, ev, coin) == verdict;
    return count;
}

SPEC("loss, corruption and blackholes on one link each apply with their share, also to a single EV")
{
    struct fault faults[3] = { fault_of(FAULT_LOSS, &host_link, US(10)),
        fault_of(FAULT_CORRUPT, &host_link, US(20)),
        fault_of(FAULT_BLACKHOLE, &host_link, US(30)) };

    faults[0].probability = UINT32_MAX / 10;
    faults[1].probability = UINT32_MAX / 5;
    faults[2].of_ev = true;
    faults[2].ev = 7;
    begin(faults, 3, MS(1));
    advance(1);
    EXPECT(losses_of(1, FAULT_VERDICT_LOST) > 900 && losses_of(1, FAULT_VERDICT_LOST) < 1100);
    EXPECT(losses_of(1, FAULT_VERDICT_CORRUPTED) > 1650 &&
           losses_of(1, FAULT_VERDICT_CORRUPTED) < 1950);
    EXPECT_EQ(losses_of(7, FAULT_VERDICT_BLACKHOLED), 10000);
    advance(US(10) + 1);
    EXPECT_EQ(losses_of(1, FAULT_VERDICT_LOST), 0);
    advance(US(20) + 1);
    EXPECT_EQ(losses_of(1, FAULT_VERDICT_PASSES), 10000);
    EXPECT_EQ(losses_of(7, FAULT_VERDICT_PASSES), 0);
}

SPEC("the slower of two rates applies, and each ends with its fault")
{
    struct fault faults[2] = { fault_of(FAULT_SLOW, &host_link, US(30)),
        fault_of(FAULT_SLOW, &nic, US(20)) };

    faults[1].rate_bps = 500;
    begin(faults, 2, MS(1));
    advance(1);
    EXPECT_EQ(fault_link_rate_bps(&bench.nics[5][1], bench.plan.holds, 9999), 500);
    EXPECT_EQ(fault_link_rate_bps(&bench.nics[5][1], bench.plan.holds, 400), 400);
    advance(US(25));
    EXPECT_EQ(fault_link_rate_bps(&bench.nics[5][1], bench.plan.holds, 9999), 1000);
    advance(US(31));
    EXPECT_EQ(count_wrong(), 0);
}
