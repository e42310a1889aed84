/* SPDX-License-Identifier: Apache-2.0 */
/* Fabric files with a `shape`: graphs from a generator or link by link (mrc-fabric(5)). */
#pragma once

#include "files/yaml.h"
#include "plan/plan.h"
#include "topology/topology.h"

/* Reads the mapping, builds the graph and makes its plan. The lists belong to `yaml`. */
bool graph_file_read(struct yaml *, const struct yaml_node *mapping,
    const struct topology_config *usual, struct plan *);
