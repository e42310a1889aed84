/* SPDX-License-Identifier: Apache-2.0 */
/* Topologies for tests: the usual description, and what a description makes. */
#pragma once

#include "spec.h"
#include "topology/topology.h"

enum { MADE_EXCEPTIONS_MAX = 8 };

static inline struct topology_config made_topology_usual(void)
{
    struct topology_config config;

    topology_config_init(&config);
    return config;
}

static inline struct topology made_topology_of(const struct topology_config *config)
{
    static struct topology_exception exceptions[MADE_EXCEPTIONS_MAX];
    struct topology_problem problem;
    struct topology topology;

    EXPECT(topology_init(&topology, config, exceptions, &problem));
    return topology;
}
