/* SPDX-License-Identifier: Apache-2.0 */
/* What a fabric can carry while something is broken, against figures worked out by hand. */
#include "spec.h"

#include <math.h>
#include <stdbool.h>

#include "capacity/capacity.h"
#include "graph_bench.h"

#define GBPS(count) ((count)*UINT64_C(1000000000))
#define SHARE(part) ((uint32_t)((part)*4294967296.0))

enum {
    NICS = 8,
    FAULTS_MAX = 3,
};

/* Four planes of 100 Gb/s, two T0s with four hosts each, four T1s; NIC n sends to NIC n + 4. */
struct bench {
    struct topology_config config;
    struct topology_exception exceptions[2];
    struct plan fabric;
    struct topology_exception sorted[2];
    struct capacity_demand demands[NICS];
    struct fault faults[FAULTS_MAX];
    struct topology_element where[FAULTS_MAX];
    const struct fault *in_force[FAULTS_MAX];
    uint32_t fault_count;
    struct capacity_fabric network;
    struct capacity_rates rates;
};

static void bench_init(struct bench *bench)
{
    *bench = (struct bench){ 0 };
    topology_config_init(&bench->config);
    bench->config.t0_count = 2;
    bench->config.t1_count = 4;
    bench->config.hosts_per_t0 = 4;
    for (uint32_t nic = 0; nic < NICS; nic++)
        bench->demands[nic] = (struct capacity_demand){
            .from_nic = nic, .to_nic = (nic + 4) % NICS, .payload_share = 1
        };
}

static void wire_up(struct bench *bench)
{
    struct topology_problem problem;

    bench->config.exceptions = bench->exceptions;
    EXPECT(plan_init(&bench->fabric, &bench->config, bench->sorted, &problem));
}

static void break_element(struct bench *bench, const char *name, struct fault fault)
{
    uint32_t index = bench->fault_count++;
    char reason[TOPOLOGY_REASON_BYTES];

    EXPECT(topology_find(&bench->fabric.topology, name, &bench->where[index], reason));
    fault.where = &bench->where[index];
    fault.where_count = 1;
    bench->faults[index] = fault;
    bench->in_force[index] = &bench->faults[index];
}

static void solve(struct bench *bench, uint32_t demand_count)
{
    EXPECT_EQ(capacity_fabric_init(&bench->network, &bench->fabric, bench->in_force,
                  bench->fault_count, bench->demands, demand_count),
        0);
    EXPECT_EQ(capacity_solve(&bench->network.input, &bench->rates), 0);
}

static void bench_fini(struct bench *bench)
{
    capacity_fabric_fini(&bench->network);
    capacity_rates_fini(&bench->rates);
}

static int64_t mbps(const struct bench *bench, uint32_t flow)
{
    return (int64_t)round(bench->rates.flow_bps[flow] / 1e6);
}

/* The rate of each of the eight flows with one fault. */
static void expect_rates(
    const char *where, struct fault fault, const int64_t expected_mbps[static NICS])
{
    struct bench bench;

    bench_init(&bench);
    wire_up(&bench);
    break_element(&bench, where, fault);
    solve(&bench, NICS);
    for (uint32_t i = 0; i < NICS; i++)
        EXPECT_EQ(mbps(&bench, i), expected_mbps[i]);
    bench_fini(&bench);
}

#define RATES(...) ((const int64_t[NICS]){ __VA_ARGS__ })
#define ALL(rate)  RATES(rate, rate, rate, rate, rate, rate, rate, rate)

SPEC("the solver reduces a healthy fabric to one plane with one T1, and NICs limit it")
{
    struct bench bench;

    bench_init(&bench);
    wire_up(&bench);
    solve(&bench, NICS);
    EXPECT_EQ(bench.rates.method, CAPACITY_WATER_FILLING);
    EXPECT_EQ(bench.network.input.path_count, NICS);
    EXPECT_EQ((int64_t)bench.rates.sum_bps, (int64_t)GBPS(3200));
    EXPECT_EQ(bench.network.names[0].plane_mask, 0xf);
    bench_fini(&bench);
}

SPEC("a link that is down costs its rate, in both directions")
{
    struct fault down = { .kind = FAULT_DOWN };

    expect_rates("p0.t0.0-t1.0", down, ALL(375000));
    expect_rates(
        "h1.p2", down, RATES(400000, 300000, 400000, 400000, 400000, 300000, 400000, 400000));
}

SPEC("flaps that are down, blackholes and reboots cost the rate of their links, and a T1 that of "
     "all its links")
{
    expect_rates("p0.t1.3", (struct fault){ .kind = FAULT_FLAP }, ALL(375000));
    expect_rates("p0.t1.3", (struct fault){ .kind = FAULT_REBOOT }, ALL(375000));
    expect_rates("p0.t1.3", (struct fault){ .kind = FAULT_BLACKHOLE }, ALL(375000));
    expect_rates("p1", (struct fault){ .kind = FAULT_DOWN }, ALL(300000));
    expect_rates("p1.t0.0", (struct fault){ .kind = FAULT_DOWN }, ALL(300000));
}

SPEC("a blackhole in the up direction of an uplink does not affect the down direction")
{
    struct fault hole = { .kind = FAULT_BLACKHOLE, .direction = FAULT_UPWARD };

    expect_rates("p0.t0.0-t1.0", hole,
        RATES(375000, 375000, 375000, 375000, 400000, 400000, 400000, 400000));
}

SPEC("a pair does not use a plane without a path back")
{
    struct fault hole = { .kind = FAULT_BLACKHOLE, .direction = FAULT_UPWARD };

    expect_rates(
        "h1.p2", hole, RATES(400000, 300000, 400000, 400000, 400000, 300000, 400000, 400000));
}

SPEC("a slow link has its own rate")
{
    struct fault slow = { .kind = FAULT_SLOW, .rate_bps = GBPS(20) };

    expect_rates("p0.t0.0-t1.0", slow, ALL(380000));
    expect_rates(
        "h1.p2", slow, RATES(400000, 320000, 400000, 400000, 400000, 320000, 400000, 400000));
}

SPEC("a link that loses less than 1 % carries the rest, and one that loses more is not used")
{
    struct fault little = { .kind = FAULT_LOSS, .probability = SHARE(0.008) };
    struct fault much = { .kind = FAULT_CORRUPT, .probability = SHARE(0.01) };

    expect_rates("p0.t0.0-t1.0", little, ALL(399800));
    expect_rates("p0.t0.0-t1.0", much, ALL(375000));
}

SPEC("a host link that loses a fifth is used: its plane has no other path")
{
    struct fault much = { .kind = FAULT_LOSS, .probability = SHARE(0.2) };

    expect_rates(
        "h1.p2", much, RATES(400000, 380000, 400000, 400000, 400000, 380000, 400000, 400000));
}

SPEC("a path whose host links together lose more than a fifth is not used if a plane is left")
{
    struct fault most = { .kind = FAULT_LOSS, .probability = SHARE(0.21) };
    struct fault half = { .kind = FAULT_LOSS, .probability = SHARE(0.11) };
    struct bench bench;

    expect_rates(
        "h1.p2", most, RATES(400000, 300000, 400000, 400000, 400000, 300000, 400000, 400000));
    bench_init(&bench);
    wire_up(&bench);
    break_element(&bench, "h1.p2", half);
    break_element(&bench, "h5.p2", half);
    solve(&bench, NICS);
    EXPECT_EQ(mbps(&bench, 1), 300000); /* 0.89 x 0.89 of the packets arrive */
    bench_fini(&bench);
}

SPEC("flows that keep to lossy paths have what these let through")
{
    struct bench bench;

    bench_init(&bench);
    for (uint32_t nic = 0; nic < NICS; nic++)
        bench.demands[nic].keeps_lossy = true;
    wire_up(&bench);
    break_element(
        &bench, "p0.t0.0-t1.0", (struct fault){ .kind = FAULT_LOSS, .probability = SHARE(0.04) });
    solve(&bench, NICS);
    for (uint32_t nic = 0; nic < NICS; nic++)
        EXPECT_EQ(mbps(&bench, nic), 399000); /* of 1.6 Tb/s for 4 NICs, 4 Gb/s are lost */
    bench_fini(&bench);
}

SPEC("a lossy path is used if no other path is left")
{
    struct bench bench;

    bench_init(&bench);
    bench.config.plane_count = 1;
    bench.config.t1_count = 1;
    bench.config.hosts_per_t0 = 1;
    wire_up(&bench);
    break_element(
        &bench, "p0.t0.0-t1.0", (struct fault){ .kind = FAULT_LOSS, .probability = SHARE(0.25) });
    bench.demands[0].to_nic = 1;
    solve(&bench, 1);
    EXPECT_EQ(mbps(&bench, 0), 75000);
    bench_fini(&bench);
}

SPEC("a fault of one EV removes only this path of the pair behind the host link")
{
    struct fault hole = { .kind = FAULT_BLACKHOLE, .direction = FAULT_UPWARD, .of_ev = true };
    struct fault other = hole;
    struct bench bench;

    bench_init(&bench);
    wire_up(&bench);
    hole.ev = plan_ev(&bench.fabric, (struct ev_path){ .plane = 0, .uplink = 1 });
    other.ev = plan_ev(&bench.fabric, (struct ev_path){ .plane = 0, .uplink = 2 });
    expect_rates("h1.p0", hole, ALL(400000));
    expect_rates("p0.t0.0-t1.1", hole,
        RATES(375000, 375000, 375000, 375000, 400000, 400000, 400000, 400000));
    expect_rates("p0.t0.0-t1.1", other, ALL(400000));
}

/* Three of the four uplinks of its only plane are out for h1's data: it is left with one. */
SPEC("a NIC that loses its paths one by one has the capacity of the remaining paths")
{
    struct bench bench;

    bench_init(&bench);
    bench.config.plane_count = 1;
    bench.config.uplink.rate_bps = GBPS(50);
    wire_up(&bench);
    for (uint32_t uplink = 0; uplink < 3; uplink++)
        break_element(&bench, "h1.p0",
            (struct fault){ .kind = FAULT_BLACKHOLE,
                .direction = FAULT_UPWARD,
                .of_ev = true,
                .ev = plan_ev(&bench.fabric, (struct ev_path){ .plane = 0, .uplink = uplink }) });
    solve(&bench, NICS);
    EXPECT_EQ(mbps(&bench, 1), 50000);
    EXPECT_EQ(mbps(&bench, 0), 50000);
    bench.demands[0] = bench.demands[1];
    bench_fini(&bench);
    solve(&bench, 1);
    EXPECT_EQ(mbps(&bench, 0), 50000);
    bench_fini(&bench);
}

SPEC("links with rates of their own count with these rates")
{
    struct bench bench;

    bench_init(&bench);
    bench.exceptions[0] =
        (struct topology_exception){ .link = { .kind = TOPOLOGY_HOST_LINK, .nic = 5, .plane = 1 },
            .rate_bps = GBPS(10) };
    bench.exceptions[1] = (struct topology_exception){
        .link = { .kind = TOPOLOGY_UPLINK, .plane = 3, .t0 = 1, .t1 = 2 }, .missing = true
    };
    bench.config.exception_count = 2;
    wire_up(&bench);
    solve(&bench, NICS);
    EXPECT_EQ(mbps(&bench, 1), 310000);
    EXPECT_EQ(mbps(&bench, 5), 310000);
    /* Plane 3 has 300 Gb/s between the T0s, of which h5, that has least, takes 100. */
    EXPECT_EQ(mbps(&bench, 0), 366667);
    EXPECT_EQ(mbps(&bench, 7), 366667);
    bench_fini(&bench);
}

SPEC("a T0 with fewer uplinks than hosts shares the uplinks, and they are the limit")
{
    struct bench bench;
    const struct capacity_name *name;

    bench_init(&bench);
    bench.config.t1_count = 2;
    wire_up(&bench);
    solve(&bench, NICS);
    EXPECT_EQ(mbps(&bench, 0), 200000);
    name = &bench.network.names[bench.rates.limits[bench.rates.first_limit[0]]];
    EXPECT_EQ(name->link.kind, TOPOLOGY_UPLINK);
    EXPECT_EQ(name->plane_links, 2);
    EXPECT_EQ((int64_t)name->healthy_bps, (int64_t)GBPS(800));
    bench_fini(&bench);
}

SPEC("pairs below one T0 need no uplinks")
{
    struct bench bench;

    bench_init(&bench);
    wire_up(&bench);
    break_element(&bench, "p0.t0.0-t1.0", (struct fault){ .kind = FAULT_DOWN });
    break_element(&bench, "p1.t0.0-t1.0", (struct fault){ .kind = FAULT_DOWN });
    for (uint32_t nic = 0; nic < NICS; nic++)
        bench.demands[nic].to_nic = nic ^ 1;
    solve(&bench, NICS);
    EXPECT_EQ((int64_t)bench.rates.sum_bps, (int64_t)GBPS(3200));
    bench_fini(&bench);
}

SPEC("flows with given EVs use no other paths")
{
    struct bench bench;
    uint32_t evs[2];

    bench_init(&bench);
    wire_up(&bench);
    evs[0] = plan_ev(&bench.fabric, (struct ev_path){ .plane = 0, .uplink = 1 });
    evs[1] = plan_ev(&bench.fabric, (struct ev_path){ .plane = 2, .uplink = 3 });
    for (uint32_t i = 0; i < 2; i++) {
        bench.demands[i].evs = evs;
        bench.demands[i].ev_count = 2;
    }
    solve(&bench, 2);
    EXPECT_EQ(mbps(&bench, 0), 100000);
    EXPECT_EQ(mbps(&bench, 1), 100000);
    bench_fini(&bench);
}

/* Seven switches in a row. From h0 to h6 a packet passes all of them and has an SRH of 24 bytes
 * behind its 128 bytes of headers; from h3 to h4 it passes two and has none. Both flows cross the
 * link from the fourth to the fifth switch. */
SPEC("paths that need an SRH carry less payload")
{
    struct topology_problem problem = { .member = "" };
    struct graph_bench graph = { 0 };
    struct bench bench;

    bench_init(&bench);
    graph_bench_chain(&graph, 7, false);
    EXPECT(plan_init_graph(&bench.fabric, &bench.config, &graph.graph, 0, graph.scratch, &problem));
    for (uint32_t i = 0; i < 2; i++)
        bench.demands[i] = (struct capacity_demand){ .from_nic = i == 0 ? 0 : 3,
            .to_nic = i == 0 ? 6 : 4,
            .payload_share = 4096.0 / 4224,
            .srh_payload_share = 4096.0 / 4248 };
    solve(&bench, 2);
    /* 100 Gb/s x 4096 / (4224 + 4248) */
    EXPECT_EQ(mbps(&bench, 0), 48347);
    EXPECT_EQ(mbps(&bench, 1), 48347);
    bench_fini(&bench);
    graph_bench_fini(&graph);
}
