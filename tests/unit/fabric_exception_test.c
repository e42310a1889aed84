/* SPDX-License-Identifier: Apache-2.0 */
/* Links that are missing, or slower than their kind. */
#include "spec.h"

#include "fabric/fabric.h"

enum { EXCEPTIONS_MAX = 8 };

#define HOST_LINK(nic_, plane_)                                                                    \
    {                                                                                              \
        .kind = FABRIC_HOST_LINK, .nic = (nic_), .plane = (plane_)                                 \
    }
#define UPLINK(plane_, t0_, t1_)                                                                   \
    {                                                                                              \
        .kind = FABRIC_UPLINK, .plane = (plane_), .t0 = (t0_), .t1 = (t1_)                         \
    }

struct bench {
    struct fabric_config config;
    struct fabric_exception sorted[EXCEPTIONS_MAX];
    struct fabric_problem problem;
    struct fabric fabric;
};

/* The usual fabric with these exceptions; whether it can be wired. */
static bool set_up(struct bench *bench, const struct fabric_exception *exceptions, uint32_t count)
{
    fabric_config_init(&bench->config);
    bench->config.exceptions = exceptions;
    bench->config.exception_count = count;
    return fabric_init(&bench->fabric, &bench->config, bench->sorted, &bench->problem);
}

static void expect_refused(
    const struct fabric_exception *exceptions, uint32_t count, uint32_t index, const char *reason)
{
    struct bench bench;

    EXPECT(!set_up(&bench, exceptions, count));
    EXPECT_STR_EQ(bench.problem.member, "exceptions");
    EXPECT_EQ(bench.problem.exception, index);
    EXPECT_STR_EQ(bench.problem.reason, reason);
}

static const struct fabric_exception some[] = {
    { .link = UPLINK(3, 7, 7), .missing = true },
    { .link = UPLINK(0, 1, 2), .rate_bps = 40000000000 },
    { .link = HOST_LINK(63, 1), .missing = true },
    { .link = HOST_LINK(63, 0), .rate_bps = 25000000000 },
};

SPEC("a missing link has no cable at either end")
{
    struct bench bench;
    struct fabric_end peer;
    struct fabric_element t0 = { .kind = FABRIC_T0, .plane = 3, .t0 = 7 };
    struct fabric_element t1 = { .kind = FABRIC_T1, .plane = 3, .t1 = 7 };

    EXPECT(set_up(&bench, some, 4));
    EXPECT(!fabric_peer(&bench.fabric,
        (struct fabric_end){ .node = fabric_switch_index(&bench.fabric, &t0), .port = 8 + 7 },
        &peer));
    EXPECT(!fabric_peer(&bench.fabric,
        (struct fabric_end){ .node = fabric_switch_index(&bench.fabric, &t1), .port = 7 }, &peer));
    EXPECT(!fabric_peer(
        &bench.fabric, (struct fabric_end){ .is_nic = true, .node = 63, .port = 1 }, &peer));
    EXPECT(fabric_peer(
        &bench.fabric, (struct fabric_end){ .is_nic = true, .node = 63, .port = 2 }, &peer));
}

SPEC("a slower link has its own rate and the delay of its kind, at both ends")
{
    struct bench bench;
    struct fabric_end end = { .is_nic = true, .node = 63, .port = 0 };
    struct fabric_element link;
    struct fabric_link_kind kind;

    EXPECT(set_up(&bench, some, 4));
    EXPECT(fabric_link_at(&bench.fabric, end, &link, &kind));
    EXPECT_EQ(kind.rate_bps, 25000000000);
    EXPECT_EQ(kind.delay_ps, 500000);
    EXPECT(fabric_peer(&bench.fabric, end, &end));
    EXPECT(fabric_link_at(&bench.fabric, end, &link, &kind));
    EXPECT_EQ(kind.rate_bps, 25000000000);
    EXPECT_EQ(link.kind, FABRIC_HOST_LINK);
    EXPECT_EQ(link.nic, 63);
}

SPEC("exceptions are kept in the order of links")
{
    struct bench bench;

    EXPECT(set_up(&bench, some, 4));
    EXPECT_EQ(bench.fabric.config.exception_count, 4);
    EXPECT_EQ(bench.fabric.config.exceptions[0].rate_bps, 25000000000);
    EXPECT_EQ(bench.fabric.config.exceptions[1].link.plane, 1);
    EXPECT_EQ(bench.fabric.config.exceptions[2].rate_bps, 40000000000);
    EXPECT_EQ(bench.fabric.config.exceptions[3].link.t1, 7);
}

SPEC("an exception names a link of this fabric")
{
    expect_refused(&(struct fabric_exception){ .link = { .kind = FABRIC_T0 }, .missing = true }, 1,
        0, "p0.t0.0 is not a link");
    expect_refused(&(struct fabric_exception){ .link = HOST_LINK(64, 0), .missing = true }, 1, 0,
        "h64.p0 is not in this fabric");
    expect_refused(&(struct fabric_exception){ .link = UPLINK(4, 0, 0), .missing = true }, 1, 0,
        "p4.t0.0-t1.0 is not in this fabric");
    expect_refused(&(struct fabric_exception){ .link = UPLINK(0, 0, 8), .missing = true }, 1, 0,
        "p0.t0.0-t1.8 is not in this fabric");
}

SPEC("an exception says one thing: missing, or a rate")
{
    struct fabric_exception exceptions[2] = { { .link = UPLINK(0, 1, 1), .missing = true },
        { .link = HOST_LINK(5, 2) } };

    expect_refused(exceptions, 2, 1, "h5.p2 is neither missing nor has a rate");
    exceptions[1].rate_bps = 999999;
    expect_refused(exceptions, 2, 1,
        "h5.p2 has a rate of 999999 bit/s, not between 1000000 and 8000000000000");
    exceptions[1].missing = true;
    expect_refused(exceptions, 2, 1, "h5.p2 is missing and yet has a rate");
}

SPEC("no link is listed twice: the problem is with the later one")
{
    const struct fabric_exception exceptions[3] = {
        { .link = UPLINK(2, 1, 1), .missing = true },
        { .link = HOST_LINK(9, 0), .missing = true },
        { .link = UPLINK(2, 1, 1), .rate_bps = 1000000000 },
    };

    expect_refused(exceptions, 3, 2, "p2.t0.1-t1.1 is listed twice");
}

SPEC("a NIC has at least one link")
{
    const struct fabric_exception exceptions[4] = {
        { .link = HOST_LINK(9, 3), .missing = true },
        { .link = HOST_LINK(9, 1), .missing = true },
        { .link = HOST_LINK(9, 0), .missing = true },
        { .link = HOST_LINK(9, 2), .missing = true },
    };
    struct bench bench;

    EXPECT(set_up(&bench, exceptions, 3));
    expect_refused(exceptions, 4, 0, "h9.p3 is missing, as are all other links of this NIC");
}
