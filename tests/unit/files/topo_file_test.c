/* SPDX-License-Identifier: Apache-2.0 */
/* Topologies of htsim as fabrics, and what is said about wrong ones. */
#include "files/topo_file.h"

#include <string.h>

#include "files/files.h"
#include "spec.h"

static struct yaml yaml;
static struct plan fabric;

static const struct topology *read(const char *text)
{
    struct yaml_node *top;

    yaml_fini(&yaml);
    yaml_init(&yaml);
    top = topo_file_parse(&yaml, "f.topo", text);
    return top && fabric_file_read(&yaml, top, &fabric) ? &fabric.topology : NULL;
}

static const char *refusal_of(const char *text)
{
    EXPECT(!read(text));
    return yaml.problem;
}

#define TIER(number, up, more)                                                                     \
    "Tier " number "\nDownlink_speed_Gbps 100\nRadix_Down 4\n" up                                  \
    "Downlink_Latency_ns 500\nSwitch_Latency_ns 300\n" more "\n"
#define TWO   "# two tiers\nNodes 16\nTiers 2\nPodsize 16\n\n"
#define THREE "Nodes 64\nTiers 3\nPodsize 16\n"
#define UP    "Radix_Up 4\n"

SPEC("two tiers are a fabric of T0s and T1s")
{
    const struct topology *topology = read(TWO TIER("0", UP, "") TIER("1", "", ""));

    EXPECT(topology);
    EXPECT(!topology->graph);
    EXPECT_EQ(topology->config.t0_count, 4);
    EXPECT_EQ(topology->config.t1_count, 4);
    EXPECT_EQ(topology->nic_count, 16);
    EXPECT_EQ(topology->config.host_link.rate_bps, UINT64_C(100000000000));
    EXPECT_EQ(topology->config.uplink.delay_ps, 500000);
    EXPECT_EQ(topology->config.switch_latency_ps, 300000);
}

SPEC("the uplinks of oversubscribed tiers follow from the ratio")
{
    const struct topology *topology = read(TWO TIER("0", "", "Oversubscribed 2") TIER("1", "", ""));

    EXPECT(topology);
    EXPECT_EQ(topology->config.t1_count, 2);
}

SPEC("three tiers, and bundles, are a graph")
{
    const struct topology *topology =
        read(THREE TIER("0", UP, "") TIER("1", UP, "") TIER("2", "", ""));

    EXPECT(topology);
    EXPECT_EQ(topology->nic_count, 64);
    EXPECT_EQ(topology->switch_count, 16 + 16 + 16);
    topology = read("Nodes 8\nTiers 2\n" TIER("0", UP, "") TIER("1", "", "Bundle 2"));
    EXPECT(topology);
    EXPECT_EQ(topology->switch_count, 2 + 2);
}

SPEC("letters of keys may be of any case")
{
    EXPECT(read("nodes 4\ntiers 2\npodsize 4\ntier 0\ndownlink_speed_gbps 10\nradix_down 2\n"
                "radix_up 2\ndownlink_latency_ns 5\ntier 1\ndownlink_speed_gbps 10\n"
                "radix_down 2\ndownlink_latency_ns 5\n"));
}

SPEC("the messages about wrong topologies give line and reason")
{
    EXPECT_STR_EQ(
        refusal_of(""), "f.topo:1:1: Nodes and Tiers are needed; 2 or 3 tiers can be read");
    EXPECT_STR_EQ(refusal_of(TWO), "f.topo:1:1: tier 0 is missing");
    EXPECT_STR_EQ(
        refusal_of("Nodes x\n"), "f.topo:1:7: 'x' is not a number; Nodes is expected here");
    EXPECT_STR_EQ(
        refusal_of("Radix_Up 3\n"), "f.topo:1:1: 'Radix_Up' is of a tier; begin one: Tier 0");
    EXPECT_STR_EQ(refusal_of("Tier 0\nTier 0\n"), "f.topo:2:6: line 1 also begins tier 0");
    EXPECT_STR_EQ(refusal_of("Tier 0\nRadix_Up 1\nRadix_Up 1\n"),
        "f.topo:3:1: line 2 also gives Radix_Up of this tier");
    EXPECT_STR_EQ(refusal_of(TWO TIER("0", "", "") TIER("1", "", "")),
        "f.topo:6:1: Radix_Up of this tier is missing");
    EXPECT_STR_EQ(refusal_of(TWO TIER("0", UP, "Oversubscribed 2") TIER("1", "", "")),
        "f.topo:12:1: Oversubscribed is 2, but links down and up have 400 and 400 Gb/s");
    EXPECT_STR_EQ(refusal_of("Nodes 32\nTiers 2\n" TIER("0", UP, "") TIER("1", "", "")),
        "f.topo:12:1: Radix_Down of tier 1 must be 8: that many links lead to it from each unit "
        "below");
    EXPECT_STR_EQ(refusal_of("Nodes 15\nTiers 2\n" TIER("0", UP, "") TIER("1", "", "")),
        "f.topo:1:1: Podsize by Radix_Down: 15 cannot be divided by 4");
    EXPECT_STR_EQ(refusal_of("Tier 0\nQueue 3\n"),
        "f.topo:2:1: there is no 'Queue' of a tier; write Downlink_speed_Gbps, Radix_Down, "
        "Radix_Up, Downlink_Latency_ns, Switch_Latency_ns, Oversubscribed or Bundle");
}
