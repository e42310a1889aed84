/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a namespace fabric. */
#include "lab/netns_name.h"

#include <stdio.h>
#include <string.h>

#include "spec.h"

static struct topology small_fabric(void)
{
    struct topology_config config;
    struct topology_problem problem;
    struct topology fabric;

    topology_config_init(&config);
    config.plane_count = 3;
    config.t0_count = 3;
    config.t1_count = 2;
    config.hosts_per_t0 = 2;
    EXPECT(topology_init(&fabric, &config, NULL, &problem));
    return fabric;
}

SPEC("the name of a namespace is that of its component, after the prefix")
{
    struct topology fabric = small_fabric();
    char name[NETNS_NAME_BYTES];

    netns_name_of_nic("lab", 5, name);
    EXPECT_EQ(strcmp(name, "lab-h5"), 0);
    netns_name_of_switch(&fabric, "lab", 6, name);
    EXPECT_EQ(strcmp(name, "lab-p1.t0.1"), 0);
    netns_name_of_switch(&fabric, "lab", 4, name);
    EXPECT_EQ(strcmp(name, "lab-p0.t1.1"), 0);
    netns_name_of_management("lab", name);
    EXPECT_EQ(strcmp(name, "lab-mgmt"), 0);
}

SPEC("only namespaces of a fabric are found by its prefix")
{
    static const char *const ours[] = { "a-h0", "a-h12", "a-p0.t0.1", "a-p7.t1.1023", "a-mgmt" };
    static const char *const others[] = { "a", "a-", "a-h", "a-h0x", "a-b-h0", "ab-h0", "a-p0",
        "a-p0.t0", "a-p0.t0.1-t1.0", "a-management", "h0", "a-h-1", "a-h 1", "a-h4294967296" };

    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        EXPECT(netns_name_has_prefix(ours[i], "a"));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        EXPECT(!netns_name_has_prefix(others[i], "a"));
}

SPEC("a prefix cannot be a device name or a path")
{
    EXPECT(netns_name_is_prefix("lab"));
    EXPECT(netns_name_is_prefix("my-lab_2"));
    EXPECT(!netns_name_is_prefix(""));
    EXPECT(!netns_name_is_prefix("-n"));
    EXPECT(!netns_name_is_prefix("a/b"));
    EXPECT(!netns_name_is_prefix("a b"));
    EXPECT(!netns_name_is_prefix(".."));
    EXPECT(!netns_name_is_prefix("mrc0"));
    EXPECT(!netns_name_is_prefix("a12345678901234567890123456789012"));
}

SPEC("hosts have IPv4 addresses from 10.99.0.1 on")
{
    char text[NETNS_IPV4_BYTES];

    netns_name_ipv4(0, text);
    EXPECT_EQ(strcmp(text, "10.99.0.1"), 0);
    netns_name_ipv4(255, text);
    EXPECT_EQ(strcmp(text, "10.99.1.0"), 0);
    netns_name_ipv4(1023, text);
    EXPECT_EQ(strcmp(text, "10.99.4.0"), 0);
}
