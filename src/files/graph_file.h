/* SPDX-License-Identifier: Apache-2.0 */
/* Fabric files with a `shape`: graphs by a generator or link by link (mrc-fabric(5)). */
#pragma once

#include "files/yaml.h"
#include "plan/plan.h"
#include "topology/topology.h"

struct graph_file {
    char name[TOPOLOGY_NAME_BYTES];
    struct graph graph;
    struct plan_graph plan; /* of the graph */
};

/* Reads the mapping, builds the graph and chooses the layout of uSIDs. Its lists live in `yaml`. */
bool graph_file_read(struct yaml *, const struct yaml_node *mapping, struct graph_file *);
