/* SPDX-License-Identifier: Apache-2.0 */
/* Round trips of two tiers with exceptional links. */
#include "spec.h"

#include "plan/plan.h"

enum { NEAR_NIC = 1, FAR_NIC = 2, EXCEPTIONS_MAX = 4 };

#define GBPS UINT64_C(1000000000)

struct exception {
    const char *link;
    uint64_t gbps; /* 0: missing */
};

/* Two planes, two T1s in each, two NICs at each T0, links of 100 Gb/s, with these exceptions.
 * Returns the round trip from NIC 0. */
static struct plan_rtt rtt_to(uint32_t to, uint32_t count, const struct exception *given)
{
    struct topology_exception exceptions[EXCEPTIONS_MAX];
    struct topology_exception sorted[EXCEPTIONS_MAX];
    struct topology_problem problem;
    struct topology_config config;
    char reason[TOPOLOGY_REASON_BYTES];
    struct plan plan;

    topology_config_init(&config);
    config.plane_count = 2;
    config.t0_count = 2;
    config.t1_count = 2;
    config.hosts_per_t0 = 2;
    config.nic_count = 4;
    config.host_link.rate_bps = 100 * GBPS;
    config.uplink.rate_bps = 100 * GBPS;
    EXPECT(plan_init(&plan, &config, NULL, &problem));
    for (uint32_t i = 0; i < count; i++) {
        exceptions[i] = (struct topology_exception){ .missing = given[i].gbps == 0,
            .rate_bps = given[i].gbps * GBPS };
        EXPECT(topology_find(&plan.topology, given[i].link, &exceptions[i].link, reason));
    }
    config.exceptions = exceptions;
    config.exception_count = count;
    EXPECT(plan_init(&plan, &config, sorted, &problem));
    return plan_rtt(&plan, 0, to);
}

SPEC("if all paths to a NIC are slow, packets arrive at the rate of the fastest, and take longer")
{
    static const struct exception slow[] = { { "p0.t0.1-t1.0", 10 }, { "p0.t0.0-t1.1", 20 },
        { "p1.t0.1-t1.0", 10 }, { "p1.t0.1-t1.1", 10 } };
    struct plan_rtt usual = rtt_to(FAR_NIC, 0, NULL);
    struct plan_rtt longer = rtt_to(FAR_NIC, 4, slow);

    EXPECT_EQ(usual.arrival_bps, 100 * GBPS);
    EXPECT_EQ(longer.arrival_bps, 20 * GBPS);
    EXPECT_GT(longer.fixed_ps, usual.fixed_ps);
    EXPECT_GT(longer.per_kib_ps, usual.per_kib_ps);
    EXPECT_EQ(rtt_to(NEAR_NIC, 4, slow).arrival_bps, 100 * GBPS);
}

SPEC("one path of the usual rate is enough")
{
    static const struct exception links[] = { { "p0.t0.1-t1.0", 10 }, { "p0.t0.0-t1.1", 0 },
        { "p1.t0.1-t1.0", 10 }, { "p1.t0.1-t1.1", 0 }, { "p0.t0.1-t1.0", 10 },
        { "p0.t0.0-t1.1", 0 } };
    struct plan_rtt usual = rtt_to(FAR_NIC, 0, NULL);

    for (uint32_t i = 0; i < 3; i++) {
        EXPECT_EQ(rtt_to(FAR_NIC, 3, links + i).arrival_bps, 100 * GBPS);
        EXPECT_EQ(rtt_to(FAR_NIC, 3, links + i).fixed_ps, usual.fixed_ps);
    }
}

SPEC("missing paths do not count, nor those of a plane in which a NIC has no port")
{
    static const struct exception missing[] = { { "p0.t0.1-t1.0", 0 }, { "p0.t0.0-t1.1", 0 },
        { "p1.t0.1-t1.0", 0 }, { "p1.t0.1-t1.1", 50 } };
    static const struct exception no_port[] = { { "h2.p1", 0 }, { "p0.t0.1-t1.0", 10 },
        { "p0.t0.0-t1.1", 10 } };

    EXPECT_EQ(rtt_to(FAR_NIC, 4, missing).arrival_bps, 50 * GBPS);
    EXPECT_EQ(rtt_to(FAR_NIC, 3, missing).arrival_bps, 100 * GBPS);
    EXPECT_EQ(rtt_to(FAR_NIC, 3, no_port).arrival_bps, 10 * GBPS);
    EXPECT_EQ(rtt_to(FAR_NIC, 2, no_port + 1).arrival_bps, 100 * GBPS);
}

SPEC("a port slower than the uplinks is what counts")
{
    static const struct exception links[] = { { "h2.p0", 5 }, { "h2.p1", 0 },
        { "p0.t0.1-t1.0", 10 }, { "p0.t0.0-t1.1", 10 } };

    EXPECT_EQ(rtt_to(FAR_NIC, 4, links).arrival_bps, 5 * GBPS);
}
