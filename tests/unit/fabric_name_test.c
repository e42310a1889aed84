/* SPDX-License-Identifier: Apache-2.0 */
/* What components are called. */
#include "spec.h"

#include "fabric/fabric.h"

struct naming {
    const char *name;
    struct fabric_element element;
};

static const struct naming namings[] = {
    { "h12", { .kind = FABRIC_NIC, .nic = 12 } },
    { "h12.p3", { .kind = FABRIC_HOST_LINK, .nic = 12, .plane = 3 } },
    { "p3", { .kind = FABRIC_PLANE, .plane = 3 } },
    { "p3.t0.17", { .kind = FABRIC_T0, .plane = 3, .t0 = 17 } },
    { "p3.t1.9", { .kind = FABRIC_T1, .plane = 3, .t1 = 9 } },
    { "p3.t0.17-t1.9", { .kind = FABRIC_UPLINK, .plane = 3, .t0 = 17, .t1 = 9 } },
    { "p0.t0.0-t1.0", { .kind = FABRIC_UPLINK } },
};

enum { NAMING_COUNT = sizeof(namings) / sizeof(namings[0]) };

static struct fabric_exception gone = {
    .link = { .kind = FABRIC_UPLINK, .plane = 1, .t0 = 2, .t1 = 3 }, .missing = true
};

/* 4 planes, 24 T0s with 10 hosts, 12 T1s, one link missing. */
static struct fabric some_fabric(void)
{
    static struct fabric_exception sorted[1];
    struct fabric_config config;
    struct fabric_problem problem;
    struct fabric fabric;

    fabric_config_init(&config);
    config.t0_count = 24;
    config.hosts_per_t0 = 10;
    config.t1_count = 12;
    config.exceptions = &gone;
    config.exception_count = 1;
    EXPECT(fabric_init(&fabric, &config, sorted, &problem));
    return fabric;
}

static void expect_nothing(const char *name, const char *expected)
{
    struct fabric fabric = some_fabric();
    struct fabric_element element;
    char reason[FABRIC_REASON_BYTES];

    EXPECT(!fabric_find(&fabric, name, &element, reason));
    EXPECT_STR_EQ(reason, expected);
}

SPEC("every kind of component has its form of name")
{
    for (uint32_t i = 0; i < NAMING_COUNT; i++) {
        char name[FABRIC_NAME_BYTES];

        fabric_name(&namings[i].element, name);
        EXPECT_STR_EQ(name, namings[i].name);
    }
}

SPEC("a name finds its component")
{
    struct fabric fabric = some_fabric();

    for (uint32_t i = 0; i < NAMING_COUNT; i++) {
        struct fabric_element element;
        char reason[FABRIC_REASON_BYTES];

        EXPECT(fabric_find(&fabric, namings[i].name, &element, reason));
        EXPECT_EQ(element.kind, namings[i].element.kind);
        EXPECT_EQ(element.nic, namings[i].element.nic);
        EXPECT_EQ(element.plane, namings[i].element.plane);
        EXPECT_EQ(element.t0, namings[i].element.t0);
        EXPECT_EQ(element.t1, namings[i].element.t1);
    }
}

SPEC("what is not there is said to be not there, and what is the last that is")
{
    expect_nothing("h240", "no NIC h240: the last of 240 is h239");
    expect_nothing("h240.p1", "no NIC h240: the last of 240 is h239");
    expect_nothing("h2.p4", "no plane p4: the last of 4 is p3");
    expect_nothing("p4", "no plane p4: the last of 4 is p3");
    expect_nothing("p1.t0.24", "no T0 t0.24: the last of 24 is t0.23");
    expect_nothing("p1.t1.12", "no T1 t1.12: the last of 12 is t1.11");
    expect_nothing("p1.t0.3-t1.99", "no T1 t1.99: the last of 12 is t1.11");
    expect_nothing("p99999999999999999999", "no plane p4294967295: the last of 4 is p3");
}

SPEC("a link that an exception took away bears no name")
{
    expect_nothing("p1.t0.2-t1.3", "this link is missing, by an exception");
}

SPEC("a fabric without T1s says so")
{
    struct fabric_config config;
    struct fabric_problem problem;
    struct fabric fabric;
    struct fabric_element element;
    char reason[FABRIC_REASON_BYTES];

    fabric_config_init(&config);
    config.t0_count = 1;
    config.t1_count = 0;
    EXPECT(fabric_init(&fabric, &config, NULL, &problem));
    EXPECT(!fabric_find(&fabric, "p0.t1.0", &element, reason));
    EXPECT_STR_EQ(reason, "no T1 t1.0: this fabric has none");
    EXPECT(fabric_find(&fabric, "p0.t0.0", &element, reason));
}

SPEC("anything else is not a name")
{
    static const char *const others[] = { "", "h", "h-1", "h1x", "h01", "H1", "h1.", "h1.p",
        "p1.t2.3", "p1.t0", "p1.t0.1-", "p1.t0.1-t0.1", "p1.t1.1-t0.1", "p1.t0.1-t1.1 ", " h1",
        "t0.1", "h1.p1.t0.1" };

    for (uint32_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        expect_nothing(others[i],
            "not a name; names are like h12, h12.p3, p3, p3.t0.17, p3.t1.9, p3.t0.17-t1.9");
}

SPEC("a name that is too long is cut off, and ends")
{
    struct fabric_element element = {
        .kind = FABRIC_UPLINK, .plane = UINT32_MAX, .t0 = UINT32_MAX, .t1 = UINT32_MAX
    };
    char name[FABRIC_NAME_BYTES];

    fabric_name(&element, name);
    EXPECT_STR_EQ(name, "p4294967295.t0.4294967295-t1.42");
}
