/* SPDX-License-Identifier: Apache-2.0 */
/* Gives an experiment a fat tree in place of its fabric of planes, rail-optimised or not. */
#pragma once

#include "files/files.h"
#include "topology/topology.h"

struct study_refit {
    bool has_budget; /* the fat tree may cost at most what the fabric of planes costs */
    bool has_rails;  /* NICs at the same place in servers share leaves */
    struct topology_fat_tree fat_tree; /* known when the tree is changed */
};

/* Replaces the fabric in the tree of an experiment, and the names of the components that fail by
 * those of their counterparts. Latencies and framing remain; a port has the buffers of the ports
 * that it replaces. Returns false with yaml->problem. */
bool study_refit_tree(struct study_refit *, struct yaml *, struct yaml_node *top);
