/* SPDX-License-Identifier: Apache-2.0 */
/* Fat trees in place of fabrics of planes. */
#include "topology/topology.h"

#include <string.h>

#include "spec.h"

/* A full fabric whose leaves have as many uplinks as NICs. */
static struct topology_config planes_of(uint32_t planes, uint32_t t0s, uint32_t hosts)
{
    struct topology_config config;

    topology_config_init(&config);
    config.plane_count = planes;
    config.t0_count = t0s;
    config.t1_count = hosts;
    config.hosts_per_t0 = hosts;
    return config;
}

static struct topology_fat_tree tree_of(const struct topology_config *config)
{
    struct topology_fat_tree tree;
    char reason[TOPOLOGY_REASON_BYTES];

    EXPECT(topology_fat_tree_init(&tree, config, config->t0_count * config->hosts_per_t0, reason));
    return tree;
}

static void expect_switches(
    const struct topology_fat_tree *tree, uint32_t leaves, uint32_t spines, uint32_t cores)
{
    uint32_t leaf_count = tree->leaves_per_pod * tree->pods;
    uint32_t spine_count = tree->spines_per_pod * tree->pods;

    EXPECT_EQ(leaf_count, leaves);
    EXPECT_EQ(spine_count, spines);
    EXPECT_EQ(tree->cores, cores);
}

static bool has_few_uplinks(const void *uplinks, const struct topology_fat_tree *tree)
{
    return topology_fat_tree_uplinks(tree) <= *(const uint32_t *)uplinks;
}

static bool thin_to(struct topology_fat_tree *tree, uint32_t uplinks)
{
    const struct topology_fat_tree_budget budget = { has_few_uplinks, &uplinks };
    char reason[TOPOLOGY_REASON_BYTES];

    return topology_fat_tree_thin(tree, &budget, reason);
}

SPEC("16 NICs on two planes of switches with 8 ports become a fat tree of three tiers, FT3(4)")
{
    struct topology_config config = planes_of(2, 4, 4);
    struct topology_fat_tree tree = tree_of(&config);

    expect_switches(&tree, 8, 8, 4);
    EXPECT_EQ(topology_fat_tree_uplinks(&tree), 32);
    EXPECT_EQ(tree.host_bps, UINT64_C(200000000000));
    EXPECT_EQ(tree.ports, 4);
    EXPECT_EQ(tree.hosts_per_leaf, 2);
}

SPEC("16,384 NICs on four planes of switches with 512 ports need the 640 switches of a fat tree")
{
    struct topology_config config = planes_of(4, 64, 256);
    struct topology_fat_tree tree = tree_of(&config);

    expect_switches(&tree, 256, 256, 128);
}

SPEC("two tiers suffice if the switches have ports for all leaves")
{
    struct topology_config config = planes_of(2, 2, 8);
    struct topology_fat_tree tree = tree_of(&config);

    expect_switches(&tree, 4, 2, 0);
    EXPECT_EQ(tree.leaf_links, 2);
}

SPEC("half of the links between switches are half of the uplinks in each tier")
{
    struct topology_config config = planes_of(2, 4, 4);
    struct topology_fat_tree tree = tree_of(&config);

    EXPECT(thin_to(&tree, 16));
    expect_switches(&tree, 8, 4, 2);
}

SPEC("a budget below any fat tree is refused")
{
    struct topology_config config = planes_of(2, 4, 4);
    struct topology_fat_tree tree = tree_of(&config);

    EXPECT(!thin_to(&tree, 4));
}

SPEC("switches with too few ports for three tiers are refused, and a radix helps")
{
    struct topology_config config = planes_of(4, 8, 8);
    struct topology_fat_tree tree;
    char reason[TOPOLOGY_REASON_BYTES];

    EXPECT(!topology_fat_tree_init(&tree, &config, 64, reason));
    EXPECT(strstr(reason, "4 ports of 400 Gb/s") != NULL);
    config.radix = 64;
    EXPECT(topology_fat_tree_init(&tree, &config, 64, reason));
    EXPECT_EQ(tree.tiers, 2);
}

SPEC("a fabric with one plane is refused")
{
    struct topology_config config = planes_of(1, 4, 4);
    struct topology_fat_tree tree;
    char reason[TOPOLOGY_REASON_BYTES];

    EXPECT(!topology_fat_tree_init(&tree, &config, 16, reason));
}

static void expect_element_with_rails(
    struct topology_element element, uint32_t server_nics, const char *name)
{
    struct topology_config config = planes_of(2, 4, 4);
    struct topology_fat_tree tree = tree_of(&config);
    char reason[TOPOLOGY_REASON_BYTES];
    char written[TOPOLOGY_NAME_BYTES] = "";
    struct topology_element out;

    topology_fat_tree_rail(&tree, server_nics);
    if (topology_fat_tree_element(&tree, &config, &element, &out, reason))
        topology_name(&out, written);
    EXPECT_STR_EQ(written, name);
}

static void expect_element(struct topology_element element, const char *name)
{
    expect_element_with_rails(element, 1, name);
}

SPEC("servers have as many rails as divide the leaves")
{
    struct topology_config config = planes_of(2, 4, 4);
    struct topology_fat_tree tree = tree_of(&config);

    topology_fat_tree_rail(&tree, 8);
    EXPECT_EQ(tree.rails, 8);
    topology_fat_tree_rail(&tree, 7);
    EXPECT_EQ(tree.rails, 4);
}

SPEC("with rails, the leaf of a NIC is that of its place in its server")
{
    struct topology_element t0 = { .kind = TOPOLOGY_T0, .t0 = 1, .plane = 1 }; /* that of NIC 6 */

    expect_element_with_rails(t0, 2, "p0.t0.2");
    expect_element_with_rails(t0, 4, "p0.t0.2");
    expect_element_with_rails(t0, 8, "p0.t0.6");
}

SPEC("components have counterparts of the same role and rank, but planes have none")
{
    expect_element((struct topology_element){ .kind = TOPOLOGY_NIC, .nic = 5 }, "h5");
    expect_element(
        (struct topology_element){ .kind = TOPOLOGY_HOST_LINK, .nic = 5, .plane = 1 }, "h5.p0");
    expect_element(
        (struct topology_element){ .kind = TOPOLOGY_T0, .t0 = 1, .plane = 1 }, "p0.t0.3");
    expect_element(
        (struct topology_element){ .kind = TOPOLOGY_T1, .t1 = 2, .plane = 1 }, "p0.t1.6");
    expect_element(
        (struct topology_element){ .kind = TOPOLOGY_UPLINK, .t0 = 1, .t1 = 3, .plane = 1 },
        "p0.t0.3-t1.3");
    expect_element((struct topology_element){ .kind = TOPOLOGY_PLANE, .plane = 1 }, "");
}
