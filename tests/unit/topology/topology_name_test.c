/* SPDX-License-Identifier: Apache-2.0 */
/* What components are called. */
#include "spec.h"

#include "topology/topology.h"

struct naming {
    const char *name;
    struct topology_element element;
};

static const struct naming namings[] = {
    { "h12", { .kind = TOPOLOGY_NIC, .nic = 12 } },
    { "h12.p3", { .kind = TOPOLOGY_HOST_LINK, .nic = 12, .plane = 3 } },
    { "p3", { .kind = TOPOLOGY_PLANE, .plane = 3 } },
    { "p3.t0.17", { .kind = TOPOLOGY_T0, .plane = 3, .t0 = 17 } },
    { "p3.t1.9", { .kind = TOPOLOGY_T1, .plane = 3, .t1 = 9 } },
    { "p3.t0.17-t1.9", { .kind = TOPOLOGY_UPLINK, .plane = 3, .t0 = 17, .t1 = 9 } },
    { "p0.t0.0-t1.0", { .kind = TOPOLOGY_UPLINK } },
};

enum { NAMING_COUNT = sizeof(namings) / sizeof(namings[0]) };

static struct topology_exception gone = {
    .link = { .kind = TOPOLOGY_UPLINK, .plane = 1, .t0 = 2, .t1 = 3 }, .missing = true
};

/* 4 planes, 24 T0s with 10 hosts, 12 T1s, one link missing. */
static struct topology some_fabric(void)
{
    static struct topology_exception sorted[1];
    struct topology_config config;
    struct topology_problem problem;
    struct topology topology;

    topology_config_init(&config);
    config.t0_count = 24;
    config.hosts_per_t0 = 10;
    config.t1_count = 12;
    config.exceptions = &gone;
    config.exception_count = 1;
    EXPECT(topology_init(&topology, &config, sorted, &problem));
    return topology;
}

static void expect_nothing(const char *name, const char *expected)
{
    struct topology topology = some_fabric();
    struct topology_element element;
    char reason[TOPOLOGY_REASON_BYTES];

    EXPECT(!topology_find(&topology, name, &element, reason));
    EXPECT_STR_EQ(reason, expected);
}

SPEC("every kind of component has its form of name")
{
    for (uint32_t i = 0; i < NAMING_COUNT; i++) {
        char name[TOPOLOGY_NAME_BYTES];

        topology_name(&namings[i].element, name);
        EXPECT_STR_EQ(name, namings[i].name);
    }
}

SPEC("a name finds its component")
{
    struct topology topology = some_fabric();

    for (uint32_t i = 0; i < NAMING_COUNT; i++) {
        struct topology_element element;
        char reason[TOPOLOGY_REASON_BYTES];

        EXPECT(topology_find(&topology, namings[i].name, &element, reason));
        EXPECT_EQ(element.kind, namings[i].element.kind);
        EXPECT_EQ(element.nic, namings[i].element.nic);
        EXPECT_EQ(element.plane, namings[i].element.plane);
        EXPECT_EQ(element.t0, namings[i].element.t0);
        EXPECT_EQ(element.t1, namings[i].element.t1);
    }
}

SPEC("an unknown component is refused with the last one that exists")
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

SPEC("a link that an exception removed has no name")
{
    expect_nothing("p1.t0.2-t1.3", "an exception declares this link missing");
}

SPEC("the message for a T1 of a fabric without T1s says that there are none")
{
    struct topology_config config;
    struct topology_problem problem;
    struct topology topology;
    struct topology_element element;
    char reason[TOPOLOGY_REASON_BYTES];

    topology_config_init(&config);
    config.t0_count = 1;
    config.t1_count = 0;
    EXPECT(topology_init(&topology, &config, NULL, &problem));
    EXPECT(!topology_find(&topology, "p0.t1.0", &element, reason));
    EXPECT_STR_EQ(reason, "no T1 t1.0: this fabric has none");
    EXPECT(topology_find(&topology, "p0.t0.0", &element, reason));
}

SPEC("any other text is refused")
{
    static const char *const others[] = { "", "h", "h-1", "h1x", "h01", "H1", "h1.", "h1.p",
        "p1.t2.3", "p1.t0", "p1.t0.1-", "p1.t0.1-t0.1", "p1.t1.1-t0.1", "p1.t0.1-t1.1 ", " h1",
        "t0.1", "h1.p1.t0.1" };

    for (uint32_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        expect_nothing(others[i],
            "not a name; names are like h12, h12.p3, p3, p3.t0.17, p3.t1.9, p3.t0.17-t1.9");
}

SPEC("a name that is too long for its buffer is truncated and terminated")
{
    struct topology_element element = {
        .kind = TOPOLOGY_UPLINK, .plane = UINT32_MAX, .t0 = UINT32_MAX, .t1 = UINT32_MAX
    };
    char name[TOPOLOGY_NAME_BYTES];

    topology_name(&element, name);
    EXPECT_STR_EQ(name, "p4294967295.t0.4294967295-t1.42");
}
