/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a fabric with exceptional links as NICs read it. */
#include "spec.h"

#include <string.h>

#include "plan/plan.h"

enum { TEXT_BYTES = 4096, EXCEPTIONS = 3 };

/* One uplink missing, one at a quarter of the rate, the link of a NIC at half. */
static struct plan uneven_plan(void)
{
    static const char *const names[EXCEPTIONS] = { "p0.t0.1-t1.2", "p1.t0.0-t1.0", "h3.p1" };
    static struct topology_exception exceptions[EXCEPTIONS];
    static struct topology_exception sorted[EXCEPTIONS];
    struct topology_problem problem;
    struct topology_config config;
    char reason[TOPOLOGY_REASON_BYTES];
    struct plan plan;

    topology_config_init(&config);
    config.plane_count = 2;
    config.usid_block = 0xfc000077;
    EXPECT(plan_init(&plan, &config, NULL, &problem));
    for (uint32_t i = 0; i < EXCEPTIONS; i++) {
        exceptions[i] =
            (struct topology_exception){ .missing = i == 0, .rate_bps = i * UINT64_C(25000000000) };
        EXPECT(topology_find(&plan.topology, names[i], &exceptions[i].link, reason));
    }
    config.exceptions = exceptions;
    config.exception_count = EXCEPTIONS;
    EXPECT(plan_init(&plan, &config, sorted, &problem));
    return plan;
}

static void write_text(const struct plan *plan, char out[static TEXT_BYTES])
{
    size_t length = 0;

    for (uint32_t i = 0; plan_exceptions_line(plan, i, out + length); i++)
        length += strlen(out + length);
    out[length] = '\0';
}

static bool read_text(const char *text, struct topology_exception *exceptions, struct plan *plan)
{
    uint32_t count;

    return plan_exceptions_size(text, &count) && count <= EXCEPTIONS &&
           plan_exceptions_read(text, exceptions, plan);
}

SPEC("a fabric with exceptions that is written and read has the same paths and text")
{
    static struct plan_route routes[2][64];
    struct topology_exception exceptions[2 * EXCEPTIONS];
    struct plan plan = uneven_plan();
    struct plan copy;
    char text[TEXT_BYTES];
    char again[TEXT_BYTES];
    uint32_t count;

    write_text(&plan, text);
    EXPECT(read_text(text, exceptions, &copy));
    write_text(&copy, again);
    EXPECT_STR_EQ(again, text);
    EXPECT(strstr(text, "exception p0.t0.1-t1.2 1 0\n"));
    EXPECT(strstr(text, "exception h3.p1 0 50000000000\n"));
    count = plan_pair_routes(&plan, 3, 12, NULL, routes[0], 64);
    EXPECT_EQ(plan_pair_routes(&copy, 3, 12, NULL, routes[1], 64), count);
    EXPECT_EQ(count, 15);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQ(routes[0][i].ev, routes[1][i].ev);
        EXPECT_EQ(routes[0][i].rate_bps, routes[1][i].rate_bps);
        EXPECT(ip_address_equal(&routes[0][i].outer, &routes[1][i].outer));
    }
}

SPEC("a fabric whose exceptions do not change rates needs no text")
{
    struct topology_exception exception = { .unmarked = true };
    struct plan plan = uneven_plan();

    EXPECT_EQ(plan_exceptions_count(&plan), 3);
    plan.topology.config.exceptions = &exception;
    plan.topology.config.exception_count = 1;
    EXPECT_EQ(plan_exceptions_count(&plan), 0);
}

SPEC("a text with a part missing, changed or added is refused")
{
    static const char *const wrong[] = { "", "fabric", "fabric 2 2 2 2 8 8 1 1 1 1 1 0",
        "fabric 2 8 8 8 64 16 4227858551 100000000000 500000 100000000000 500000 1\n",
        "fabric 2 8 8 8 64 16 4227858551 100000000000 500000 100000000000 500000 1\n"
        "exception h99.p0 1 0\n",
        "fabric 2 8 8 8 64 16 4227858551 100000000000 500000 100000000000 500000 1\n"
        "exception h9.p0 2 0\n",
        "fabric 2 8 8 8 64 16 4227858551 100000000000 500000 100000000000 500000 1\n"
        "exception h9.p0 1 0\nexception h9.p1 1 0\n",
        "fabric 99 8 8 8 64 16 4227858551 100000000000 500000 100000000000 500000 0\n",
        "fabric 2 8 8 8 64 16 4227858551 100000000000 500000 100000000000 500000 99999999\n" };
    struct topology_exception exceptions[2 * EXCEPTIONS];
    struct plan plan;

    EXPECT(read_text("fabric 2 8 8 8 64 16 4227858551 100000000000 500000 100000000000 500000 1\n"
                     "exception h9.p0 1 0\n",
        exceptions, &plan));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        EXPECT(!read_text(wrong[i], exceptions, &plan));
}
