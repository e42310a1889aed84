/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a description by their names. */
#include "spec.h"

#include <string.h>

#include "topology/topology.h"

static const struct topology_count *called(const char *key)
{
    const struct topology_count *count = topology_counts;

    while (count->key && strcmp(count->key, key) != 0)
        count++;
    EXPECT(count->key);
    return count;
}

SPEC("each number is read from its own member")
{
    const struct topology_config config = { .plane_count = 1,
        .t0_count = 2,
        .t1_count = 3,
        .hosts_per_t0 = 4,
        .nic_count = 5,
        .radix = 6 };

    EXPECT_EQ(topology_count_get(&config, called("planes")), 1);
    EXPECT_EQ(topology_count_get(&config, called("t0s")), 2);
    EXPECT_EQ(topology_count_get(&config, called("t1s")), 3);
    EXPECT_EQ(topology_count_get(&config, called("hosts_per_t0")), 4);
    EXPECT_EQ(topology_count_get(&config, called("nics")), 5);
    EXPECT_EQ(topology_count_get(&config, called("radix")), 6);
}

SPEC("the default fabric is within the limits of its numbers")
{
    struct topology_problem problem;
    struct topology_config config;
    struct topology topology;

    topology_config_init(&config);
    EXPECT(topology_init(&topology, &config, NULL, &problem));
    for (const struct topology_count *count = topology_counts; count->key; count++) {
        EXPECT_GE(topology_count_get(&topology.config, count), count->least);
        EXPECT_LE(topology_count_get(&topology.config, count), count->most);
    }
}
