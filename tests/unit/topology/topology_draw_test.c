/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics at random, and smaller ones. */
#include "spec.h"

#include "base/prng.h"
#include "topology/topology.h"

enum {
    NICS_MAX = 64,
    SEEDS = 200,
};

static struct topology drawn(uint64_t seed)
{
    struct prng prng = prng_stream(seed, 0);
    struct topology_problem problem;
    struct topology_config config;
    struct topology topology;

    topology_config_init(&config);
    topology_draw_counts(&config, NICS_MAX, &prng);
    EXPECT(topology_init(&topology, &config, NULL, &problem));
    return topology;
}

SPEC("random fabrics are valid, have 2 to as many NICs as allowed, and differ")
{
    uint32_t fewest = NICS_MAX;
    uint32_t most = 2;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t count = drawn(seed).nic_count;

        EXPECT_LE(count, NICS_MAX);
        EXPECT_GE(count, 2);
        fewest = count < fewest ? count : fewest;
        most = count > most ? count : most;
    }
    EXPECT_EQ(fewest, 2);
    EXPECT_EQ(most, NICS_MAX);
}

SPEC("a random component is in the fabric")
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct topology topology = drawn(seed);
        struct prng prng = prng_stream(seed, 1);
        enum topology_component kind = prng_below(&prng, TOPOLOGY_UPLINK + 1);
        struct topology_element element = topology_draw(&topology.config, kind, &prng);
        char reason[TOPOLOGY_REASON_BYTES];

        EXPECT_EQ(element.kind, kind);
        EXPECT(topology_has(&topology, &element, reason));
    }
}

SPEC("every reduction of a fabric is valid and not larger")
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct topology from = drawn(seed);
        struct topology_config config = from.config;

        for (uint32_t variant = 0; topology_config_shrink(&config, variant); variant++) {
            struct topology_problem problem;
            struct topology topology;

            config.radix = 0;
            EXPECT(topology_init(&topology, &config, NULL, &problem));
            EXPECT_LE(topology.nic_count, from.nic_count);
            EXPECT_LE(topology_link_count(&topology), topology_link_count(&from));
            config = from.config;
        }
    }
}

SPEC("repeated reduction ends with one NIC on one plane")
{
    struct topology_config config = drawn(1).config;

    for (uint32_t i = 0; i < SEEDS; i++)
        for (uint32_t variant = 0; topology_config_shrink(&config, variant);)
            variant++;
    EXPECT_EQ(config.nic_count, 1);
    EXPECT_EQ(config.plane_count, 1);
    EXPECT_EQ(config.t1_count, 1);
}

SPEC("switches of level 0 are those with NICs")
{
    struct topology topology = drawn(2);

    EXPECT_EQ(topology_switch_at(&topology, topology_leaf_of(&topology, 0)).kind,
        topology_switch_kind(0));
    EXPECT_EQ(
        topology_switch_at(&topology, topology.switch_count - 1).kind, topology_switch_kind(1));
}
