/* SPDX-License-Identifier: Apache-2.0 */
/* Links that are missing, or slower than their kind. */
#include "spec.h"

#include "topology/topology.h"

enum { EXCEPTIONS_MAX = 8 };

#define HOST_LINK(nic_, plane_)                                                                    \
    {                                                                                              \
        .kind = TOPOLOGY_HOST_LINK, .nic = (nic_), .plane = (plane_)                               \
    }
#define UPLINK(plane_, t0_, t1_)                                                                   \
    {                                                                                              \
        .kind = TOPOLOGY_UPLINK, .plane = (plane_), .t0 = (t0_), .t1 = (t1_)                       \
    }

struct bench {
    struct topology_config config;
    struct topology_exception sorted[EXCEPTIONS_MAX];
    struct topology_problem problem;
    struct topology topology;
};

/* The usual fabric with these exceptions; whether it can be wired. */
static bool set_up(struct bench *bench, const struct topology_exception *exceptions, uint32_t count)
{
    topology_config_init(&bench->config);
    bench->config.exceptions = exceptions;
    bench->config.exception_count = count;
    return topology_init(&bench->topology, &bench->config, bench->sorted, &bench->problem);
}

static void expect_refused(
    const struct topology_exception *exceptions, uint32_t count, uint32_t index, const char *reason)
{
    struct bench bench;

    EXPECT(!set_up(&bench, exceptions, count));
    EXPECT_STR_EQ(bench.problem.member, "exceptions");
    EXPECT_EQ(bench.problem.exception, index);
    EXPECT_STR_EQ(bench.problem.reason, reason);
}

static const struct topology_exception some[] = {
    { .link = UPLINK(3, 7, 7), .missing = true },
    { .link = UPLINK(0, 1, 2), .rate_bps = 40000000000 },
    { .link = HOST_LINK(63, 1), .missing = true },
    { .link = HOST_LINK(63, 0), .rate_bps = 25000000000 },
};

SPEC("a missing link has no cable at either end")
{
    struct bench bench;
    struct topology_end peer;
    struct topology_element t0 = { .kind = TOPOLOGY_T0, .plane = 3, .t0 = 7 };
    struct topology_element t1 = { .kind = TOPOLOGY_T1, .plane = 3, .t1 = 7 };

    EXPECT(set_up(&bench, some, 4));
    EXPECT(!topology_peer(&bench.topology,
        (struct topology_end){ .node = topology_switch_index(&bench.topology, &t0), .port = 8 + 7 },
        &peer));
    EXPECT(!topology_peer(&bench.topology,
        (struct topology_end){ .node = topology_switch_index(&bench.topology, &t1), .port = 7 },
        &peer));
    EXPECT(!topology_peer(
        &bench.topology, (struct topology_end){ .is_nic = true, .node = 63, .port = 1 }, &peer));
    EXPECT(topology_peer(
        &bench.topology, (struct topology_end){ .is_nic = true, .node = 63, .port = 2 }, &peer));
}

SPEC("a slower link has its own rate and the delay of its kind, at both ends")
{
    struct bench bench;
    struct topology_end end = { .is_nic = true, .node = 63, .port = 0 };
    struct topology_element link;
    struct topology_link_kind kind;

    EXPECT(set_up(&bench, some, 4));
    EXPECT(topology_link_at(&bench.topology, end, &link, &kind));
    EXPECT_EQ(kind.rate_bps, 25000000000);
    EXPECT_EQ(kind.delay_ps, 500000);
    EXPECT(topology_peer(&bench.topology, end, &end));
    EXPECT(topology_link_at(&bench.topology, end, &link, &kind));
    EXPECT_EQ(kind.rate_bps, 25000000000);
    EXPECT_EQ(link.kind, TOPOLOGY_HOST_LINK);
    EXPECT_EQ(link.nic, 63);
}

SPEC("exceptions are kept in the order of links")
{
    struct bench bench;

    EXPECT(set_up(&bench, some, 4));
    EXPECT_EQ(bench.topology.config.exception_count, 4);
    EXPECT_EQ(bench.topology.config.exceptions[0].rate_bps, 25000000000);
    EXPECT_EQ(bench.topology.config.exceptions[1].link.plane, 1);
    EXPECT_EQ(bench.topology.config.exceptions[2].rate_bps, 40000000000);
    EXPECT_EQ(bench.topology.config.exceptions[3].link.t1, 7);
}

SPEC("an exception names a link of this fabric")
{
    expect_refused(&(struct topology_exception){ .link = { .kind = TOPOLOGY_T0 }, .missing = true },
        1, 0, "p0.t0.0 is not a link");
    expect_refused(&(struct topology_exception){ .link = HOST_LINK(64, 0), .missing = true }, 1, 0,
        "h64.p0 is not in this fabric");
    expect_refused(&(struct topology_exception){ .link = UPLINK(4, 0, 0), .missing = true }, 1, 0,
        "p4.t0.0-t1.0 is not in this fabric");
    expect_refused(&(struct topology_exception){ .link = UPLINK(0, 0, 8), .missing = true }, 1, 0,
        "p0.t0.0-t1.8 is not in this fabric");
}

SPEC("an exception has either a missing link or a rate")
{
    struct topology_exception exceptions[2] = { { .link = UPLINK(0, 1, 1), .missing = true },
        { .link = HOST_LINK(5, 2) } };

    expect_refused(exceptions, 2, 1, "h5.p2 is neither missing nor has a rate");
    exceptions[1].rate_bps = 999999;
    expect_refused(exceptions, 2, 1,
        "h5.p2 has a rate of 999999 bit/s, not between 1000000 and 8000000000000");
    exceptions[1].missing = true;
    expect_refused(exceptions, 2, 1, "h5.p2 is missing but has a rate");
}

SPEC("a link that is listed twice is refused, at its second entry")
{
    const struct topology_exception exceptions[3] = {
        { .link = UPLINK(2, 1, 1), .missing = true },
        { .link = HOST_LINK(9, 0), .missing = true },
        { .link = UPLINK(2, 1, 1), .rate_bps = 1000000000 },
    };

    expect_refused(exceptions, 3, 2, "p2.t0.1-t1.1 is listed twice");
}

SPEC("a NIC must have at least one link")
{
    const struct topology_exception exceptions[4] = {
        { .link = HOST_LINK(9, 3), .missing = true },
        { .link = HOST_LINK(9, 1), .missing = true },
        { .link = HOST_LINK(9, 0), .missing = true },
        { .link = HOST_LINK(9, 2), .missing = true },
    };
    struct bench bench;

    EXPECT(set_up(&bench, exceptions, 3));
    expect_refused(exceptions, 4, 0, "h9.p3 is missing, as are all other links of this NIC");
}

SPEC("the links of a T1 to all T0s but one are summed up without those that are missing")
{
    static const struct topology_exception exceptions[] = {
        { .link = UPLINK(1, 0, 2), .rate_bps = 50000000000 }, /* of the T0 that is left out */
        { .link = UPLINK(1, 3, 2), .rate_bps = 25000000000 },
        { .link = UPLINK(1, 4, 2), .missing = true },
        { .link = UPLINK(1, 5, 3), .missing = true }, /* of another T1 */
        { .link = UPLINK(0, 3, 2), .missing = true }, /* of another plane */
        { .link = HOST_LINK(3, 1), .rate_bps = 25000000000 },
    };
    struct topology_element top = { .kind = TOPOLOGY_T1, .plane = 1, .t1 = 2 };
    struct topology_element leaf = { .kind = TOPOLOGY_T0, .plane = 1, .t0 = 0 };
    struct topology_links links;
    struct bench bench;

    EXPECT(set_up(&bench, exceptions, 6));
    links = topology_links_of_top(&bench.topology, topology_switch_index(&bench.topology, &top),
        topology_switch_index(&bench.topology, &leaf));
    EXPECT_EQ(links.count, 6); /* of 7 */
    EXPECT_EQ(links.rate_bps, 525000000000);
}
