/* SPDX-License-Identifier: Apache-2.0 */
/* Max-min rates of networks that can be solved by hand. */
#include "spec.h"

#include <math.h>
#include <stdbool.h>

#include "capacity/capacity.h"

#define GBPS 1e9

enum {
    LINKS_MAX = 16,
    FLOWS_MAX = 16,
    PATHS_MAX = 32,
    HOPS_MAX = 64,
};

struct network {
    double links[LINKS_MAX];
    struct capacity_flow flows[FLOWS_MAX];
    struct capacity_path paths[PATHS_MAX];
    uint32_t hops[HOPS_MAX];
    struct capacity_input input;
    struct capacity_rates rates;
};

static uint32_t link_of(struct network *network, double gbps)
{
    network->links[network->input.link_count] = gbps * GBPS;
    return network->input.link_count++;
}

static struct capacity_flow *flow_of(struct network *network)
{
    struct capacity_flow *flow = &network->flows[network->input.flow_count++];

    *flow = (struct capacity_flow){ .first_path = network->input.path_count, .weight = 1 };
    return flow;
}

/* A further path of the flow that was added last; `count` links. */
static void path_of(struct network *network, uint32_t count, const uint32_t *links)
{
    struct capacity_input *input = &network->input;

    network->paths[input->path_count++] = (struct capacity_path){
        .first_hop = input->hop_count, .hop_count = count, .payload_share = 1
    };
    for (uint32_t i = 0; i < count; i++)
        network->hops[input->hop_count++] = links[i];
    network->flows[input->flow_count - 1].path_count++;
}

#define PATH(network, ...)                                                                         \
    path_of(network, sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t),                       \
        (uint32_t[]){ __VA_ARGS__ })

static void solve(struct network *network)
{
    network->input.link_bps = network->links;
    network->input.flows = network->flows;
    network->input.paths = network->paths;
    network->input.hops = network->hops;
    EXPECT_EQ(capacity_solve(&network->input, &network->rates), 0);
}

static int64_t mbps(const struct network *network, uint32_t flow)
{
    return (int64_t)round(network->rates.flow_bps[flow] / 1e6);
}

static bool is_limited_by(const struct network *network, uint32_t flow, uint32_t link)
{
    const struct capacity_rates *rates = &network->rates;

    for (uint32_t i = 0; i < rates->limit_count[flow]; i++)
        if (rates->limits[rates->first_limit[flow] + i] == link)
            return true;
    return false;
}

SPEC("one link is shared equally, and limits all flows on it")
{
    struct network network = { 0 };
    uint32_t link = link_of(&network, 90);

    for (uint32_t i = 0; i < 3; i++) {
        flow_of(&network);
        PATH(&network, link);
    }
    solve(&network);
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT_EQ(mbps(&network, i), 30000);
        EXPECT(is_limited_by(&network, i, link));
    }
    EXPECT_EQ(network.rates.method, CAPACITY_WATER_FILLING);
    EXPECT_EQ((int64_t)network.rates.sum_bps, INT64_C(90000000000));
    capacity_rates_fini(&network.rates);
}

SPEC("in a parking lot the long flow gets what the busiest link leaves")
{
    struct network network = { 0 };
    uint32_t first = link_of(&network, 100);
    uint32_t second = link_of(&network, 100);

    flow_of(&network);
    PATH(&network, first, second);
    flow_of(&network);
    PATH(&network, first);
    flow_of(&network);
    PATH(&network, second);
    flow_of(&network);
    PATH(&network, second);
    solve(&network);
    EXPECT_EQ(mbps(&network, 0), 33333);
    EXPECT_EQ(mbps(&network, 1), 66667);
    EXPECT_EQ(mbps(&network, 2), 33333);
    EXPECT(is_limited_by(&network, 0, second));
    EXPECT(!is_limited_by(&network, 0, first));
    EXPECT(is_limited_by(&network, 1, first));
    capacity_rates_fini(&network.rates);
}

SPEC("a flow that can use two planes leaves one of them to a flow that cannot")
{
    struct network network = { 0 };
    uint32_t left = link_of(&network, 100);
    uint32_t right = link_of(&network, 100);

    flow_of(&network);
    PATH(&network, left);
    PATH(&network, right);
    flow_of(&network);
    PATH(&network, left);
    solve(&network);
    EXPECT_EQ(network.rates.method, CAPACITY_LINEAR_PROGRAM);
    EXPECT_EQ(mbps(&network, 0), 100000);
    EXPECT_EQ(mbps(&network, 1), 100000);
    EXPECT(is_limited_by(&network, 0, left));
    EXPECT(is_limited_by(&network, 0, right));
    capacity_rates_fini(&network.rates);
}

SPEC("a flow on one plane keeps its share when the flow beside it has two narrow ones")
{
    struct network network = { 0 };
    uint32_t left = link_of(&network, 100);
    uint32_t right = link_of(&network, 20);

    flow_of(&network);
    PATH(&network, left);
    PATH(&network, right);
    flow_of(&network);
    PATH(&network, left);
    solve(&network);
    EXPECT_EQ(mbps(&network, 0), 60000);
    EXPECT_EQ(mbps(&network, 1), 60000);
    capacity_rates_fini(&network.rates);
}

/* Both could have 60; the second path of the first flow ends at a link of 10. */
SPEC("a flow that cannot grow does not limit a flow that can")
{
    struct network network = { 0 };
    uint32_t narrow = link_of(&network, 10);
    uint32_t wide = link_of(&network, 120);

    flow_of(&network);
    PATH(&network, narrow, wide);
    flow_of(&network);
    PATH(&network, wide);
    PATH(&network, narrow);
    solve(&network);
    EXPECT_EQ(mbps(&network, 0), 10000);
    EXPECT_EQ(mbps(&network, 1), 110000);
    capacity_rates_fini(&network.rates);
}

SPEC("uplinks of different rates are all fully used")
{
    struct network network = { 0 };
    uint32_t host[2] = { link_of(&network, 100), link_of(&network, 100) };
    uint32_t uplink[3] = { link_of(&network, 50), link_of(&network, 50), link_of(&network, 10) };

    for (uint32_t i = 0; i < 2; i++) {
        flow_of(&network);
        for (uint32_t k = 0; k < 3; k++)
            PATH(&network, host[i], uplink[k]);
    }
    solve(&network);
    EXPECT_EQ(mbps(&network, 0), 55000);
    EXPECT_EQ(mbps(&network, 1), 55000);
    for (uint32_t k = 0; k < 3; k++)
        EXPECT(is_limited_by(&network, 0, uplink[k]));
    EXPECT(!is_limited_by(&network, 0, host[0]));
    capacity_rates_fini(&network.rates);
}

SPEC("rate levels above the first are computed one after the other")
{
    struct network network = { 0 };
    uint32_t link[3] = { link_of(&network, 30), link_of(&network, 60), link_of(&network, 90) };

    /* Three on the first, of which one also has the second; one more on the second; one with the
     * second and the third. */
    flow_of(&network);
    PATH(&network, link[0]);
    flow_of(&network);
    PATH(&network, link[0]);
    flow_of(&network);
    PATH(&network, link[0]);
    PATH(&network, link[1]);
    flow_of(&network);
    PATH(&network, link[1]);
    flow_of(&network);
    PATH(&network, link[1]);
    PATH(&network, link[2]);
    solve(&network);
    EXPECT_EQ(mbps(&network, 0), 15000);
    EXPECT_EQ(mbps(&network, 1), 15000);
    EXPECT_EQ(mbps(&network, 2), 30000);
    EXPECT_EQ(mbps(&network, 3), 30000);
    EXPECT_EQ(mbps(&network, 4), 90000);
    capacity_rates_fini(&network.rates);
}

SPEC("a flow without a usable path has no rate and limits no other flow")
{
    struct network network = { 0 };
    uint32_t dead = link_of(&network, 0);
    uint32_t link = link_of(&network, 100);

    flow_of(&network);
    PATH(&network, link, dead);
    PATH(&network, dead);
    flow_of(&network);
    PATH(&network, link);
    flow_of(&network);
    solve(&network);
    EXPECT_EQ(mbps(&network, 0), 0);
    EXPECT_EQ(network.rates.limit_count[0], 0);
    EXPECT_EQ(mbps(&network, 1), 100000);
    EXPECT_EQ(mbps(&network, 2), 0);
    capacity_rates_fini(&network.rates);
}

SPEC("the rate that a flow does not want goes to other flows, with one path and with two")
{
    for (uint32_t two = 0; two < 2; two++) {
        struct network network = { 0 };
        uint32_t link = link_of(&network, two ? 50 : 100);
        uint32_t other = link_of(&network, 50);

        for (uint32_t i = 0; i < 2; i++) {
            struct capacity_flow *flow = flow_of(&network);

            PATH(&network, link);
            if (two)
                PATH(&network, other);
            if (i == 0)
                flow->limit_bps = 20 * GBPS;
        }
        solve(&network);
        EXPECT_EQ(network.rates.method, two ? CAPACITY_LINEAR_PROGRAM : CAPACITY_WATER_FILLING);
        EXPECT_EQ(mbps(&network, 0), 20000);
        EXPECT_EQ(mbps(&network, 1), 80000);
        EXPECT(is_limited_by(&network, 0, CAPACITY_OWN_LIMIT));
        EXPECT(is_limited_by(&network, 1, link));
        capacity_rates_fini(&network.rates);
    }
}

/* Flow 0 has 10 of its link. What it feeds has no more, and leaves 80 of 90 to flow 2, although
 * they share a link. */
static void solve_fed(struct network *network, bool has_two_paths)
{
    uint32_t slow = link_of(network, 10);
    uint32_t shared = link_of(network, 90);
    uint32_t wide = link_of(network, 400);

    flow_of(network)->feeds = 2;
    PATH(network, slow);
    flow_of(network);
    PATH(network, shared);
    flow_of(network);
    PATH(network, shared, wide);
    flow_of(network)->feeds = 5;
    PATH(network, wide);
    if (has_two_paths)
        PATH(network, slow);
    flow_of(network);
    PATH(network, wide);
    solve(network);
}

SPEC("a flow has no more than the flow that feeds it, and others have what it leaves")
{
    for (uint32_t paths = 1; paths <= 2; paths++) {
        struct network network = { 0 };

        solve_fed(&network, paths == 2);
        EXPECT_EQ(
            network.rates.method, paths == 2 ? CAPACITY_LINEAR_PROGRAM : CAPACITY_WATER_FILLING);
        EXPECT_EQ(mbps(&network, 0), 10000);
        EXPECT_EQ(mbps(&network, 1), 10000);
        EXPECT(is_limited_by(&network, 1, CAPACITY_OWN_LIMIT));
        EXPECT_EQ(mbps(&network, 2), 80000);
        EXPECT_EQ(mbps(&network, 3), 160000);
        EXPECT_EQ(mbps(&network, 4), 160000);
        capacity_rates_fini(&network.rates);
    }
}

/* Four flows feed each other. Each has two links of its own; the first has 2 x 5, the others
 * 2 x 50. */
SPEC("flows that feed each other in a ring have the rate of the slowest")
{
    struct network network = { 0 };

    for (uint32_t i = 0; i < 4; i++) {
        flow_of(&network)->feeds = (i + 1) % 4 + 1;
        PATH(&network, link_of(&network, i ? 50 : 5));
        PATH(&network, link_of(&network, i ? 50 : 5));
    }
    solve(&network);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(mbps(&network, i), 10000);
    capacity_rates_fini(&network.rates);
}

SPEC("what a flow without a path feeds has nothing, and so has what that one feeds")
{
    for (uint32_t paths = 1; paths <= 2; paths++) {
        struct network network = { 0 };
        uint32_t link = link_of(&network, 90);
        uint32_t other = link_of(&network, 30);

        flow_of(&network);
        PATH(&network, link);
        for (uint32_t i = 1; i < 4; i++) {
            flow_of(&network)->feeds = i < 3 ? i + 2 : 0;
            if (i > 1)
                PATH(&network, link);
        }
        flow_of(&network);
        PATH(&network, other);
        if (paths == 2)
            PATH(&network, link);
        solve(&network);
        EXPECT_EQ(
            network.rates.method, paths == 2 ? CAPACITY_LINEAR_PROGRAM : CAPACITY_WATER_FILLING);
        EXPECT_EQ(mbps(&network, 0), paths == 2 ? 60000 : 90000);
        for (uint32_t i = 1; i < 4; i++)
            EXPECT_EQ(mbps(&network, i), 0);
        EXPECT_EQ(mbps(&network, 4), paths == 2 ? 60000 : 30000);
        capacity_rates_fini(&network.rates);
    }
}

SPEC("rates follow weights, and headers are subtracted")
{
    struct network network = { 0 };
    uint32_t link = link_of(&network, 120);
    struct capacity_flow *flow;

    flow_of(&network);
    PATH(&network, link);
    network.paths[0].payload_share = 0.5;
    flow = flow_of(&network);
    PATH(&network, link);
    flow->weight = 2;
    solve(&network);
    /* u / 0.5 + 2 u = 120 */
    EXPECT_EQ(mbps(&network, 0), 30000);
    EXPECT_EQ(mbps(&network, 1), 60000);
    capacity_rates_fini(&network.rates);
}

SPEC("a path with longer headers carries less payload")
{
    struct network network = { 0 };
    uint32_t link[2] = { link_of(&network, 100), link_of(&network, 100) };

    for (uint32_t i = 0; i < 2; i++) {
        flow_of(&network);
        PATH(&network, link[0]);
        PATH(&network, link[1]);
        network.paths[2 * i].payload_share = 0.9;
        network.paths[2 * i + 1].payload_share = 0.8;
    }
    solve(&network);
    /* both links are full: (0.9 + 0.8) 100 Gb/s for two flows */
    EXPECT_EQ(mbps(&network, 0), 85000);
    EXPECT_EQ(mbps(&network, 1), 85000);
    capacity_rates_fini(&network.rates);
}

SPEC("flows prefer paths with short headers")
{
    struct network network = { 0 };
    uint32_t both = link_of(&network, 100);
    uint32_t only[2] = { link_of(&network, 60), link_of(&network, 100) };

    flow_of(&network);
    PATH(&network, both, only[0]);
    PATH(&network, both, only[1]);
    network.paths[1].payload_share = 0.5;
    solve(&network);
    EXPECT_EQ(mbps(&network, 0), 80000); /* 60 + 0.5 x 40 */
    capacity_rates_fini(&network.rates);
}

SPEC("flows with the same paths are solved as one, and each gets its rate and its limits")
{
    struct network network = { 0 };
    uint32_t spine[2] = { link_of(&network, 40), link_of(&network, 20) };
    uint32_t host[4];

    for (uint32_t i = 0; i < 4; i++) {
        host[i] = link_of(&network, i == 3 ? 5 : 100);
        flow_of(&network);
        PATH(&network, host[i], spine[0]);
        PATH(&network, host[i], spine[1]);
    }
    solve(&network);
    EXPECT_EQ(mbps(&network, 3), 5000);
    EXPECT(is_limited_by(&network, 3, host[3]));
    EXPECT(!is_limited_by(&network, 3, spine[0]));
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT_EQ(mbps(&network, i), 18333);
        EXPECT(is_limited_by(&network, i, spine[0]));
        EXPECT(is_limited_by(&network, i, spine[1]));
        EXPECT(!is_limited_by(&network, i, host[i]));
    }
    capacity_rates_fini(&network.rates);
}

SPEC("sixty flows with fifty paths each, no two alike, are solved exactly")
{
    enum { FLOWS = 60, EACH = 50, PATHS = FLOWS * EACH };
    static double links[PATHS + 1];
    static struct capacity_flow flows[FLOWS];
    static struct capacity_path paths[PATHS];
    static uint32_t hops[2 * PATHS];
    struct capacity_rates rates;

    links[PATHS] = 1e6 * GBPS; /* all paths cross it; it is never full */
    for (uint32_t i = 0; i < PATHS; i++) {
        links[i] = (1 + i / EACH) * GBPS; /* a link of its own: those of flow f have f + 1 Gb/s */
        paths[i] = (struct capacity_path){ .first_hop = 2 * i, .hop_count = 2, .payload_share = 1 };
        hops[2 * i] = i;
        hops[2 * i + 1] = PATHS;
        links[i] += i % EACH * 1e-3 * GBPS;
    }
    for (uint32_t f = 0; f < FLOWS; f++)
        flows[f] =
            (struct capacity_flow){ .first_path = EACH * f, .path_count = EACH, .weight = 1 };
    EXPECT_EQ(capacity_solve(&(struct capacity_input){ .link_bps = links,
                                 .link_count = PATHS + 1,
                                 .flows = flows,
                                 .flow_count = FLOWS,
                                 .paths = paths,
                                 .path_count = PATHS,
                                 .hops = hops,
                                 .hop_count = 2 * PATHS },
                  &rates),
        0);
    EXPECT_EQ(rates.method, CAPACITY_LINEAR_PROGRAM);
    for (uint32_t f = 0; f < FLOWS; f++) /* 0 + 1 + ... + 49 Mb/s more than its number says */
        EXPECT_EQ((int64_t)round(rates.flow_bps[f] / 1e6), 50000 * (f + 1) + 1225);
    capacity_rates_fini(&rates);
}

SPEC("a network without flows has no rates")
{
    struct network network = { 0 };

    link_of(&network, 100);
    solve(&network);
    EXPECT_EQ((int64_t)network.rates.sum_bps, 0);
    capacity_rates_fini(&network.rates);
}
