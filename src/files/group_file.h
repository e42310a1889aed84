/* SPDX-License-Identifier: Apache-2.0 */
/* The groups of a fabric file: components that fail together (mrc-fabric(5)). */
#pragma once

#include "files/yaml.h"
#include "topology/topology.h"

/* Reads the list, which may be NULL, into the topology, whose names can be looked up. The groups
 * belong to `yaml`. */
bool group_file_read(struct yaml *, const struct yaml_node *list, struct topology *);
