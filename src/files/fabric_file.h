/* SPDX-License-Identifier: Apache-2.0 */
/* fabric.yaml: mrc-fabric(5). */
#pragma once

#include "files/yaml.h"
#include "plan/plan.h"
#include "topology/topology.h"

#define FABRIC_FILE_VERSION 1 /* of the fabric and experiment files that this program reads */

/* Loads a file: keys of a fabric in YAML or, if its name ends with .topo, a topology of htsim. */
struct yaml_node *fabric_file_load(struct yaml *, const char *path);

/* Reads the mapping and completes the fabric. Its exceptions and graph belong to `yaml`. */
bool fabric_file_read(struct yaml *, const struct yaml_node *mapping, struct plan *);
/* The same, with other values than topology_config_init() gives for the keys that are not there. */
bool fabric_file_read_over(struct yaml *, const struct yaml_node *mapping,
    const struct topology_config *usual, struct plan *);

/* Finds the component that a value names. */
bool fabric_file_find(struct yaml *, const struct yaml_node *name, const struct topology *,
    struct topology_element *element);

/* Reads an EV, given as a number or as plane and uplink: p0/u3. */
bool fabric_file_ev(struct yaml *, const struct yaml_node *, const struct plan *, uint32_t *ev);

/* Parts that files with a `shape` also have. If the node is NULL, the value is unchanged. */
bool fabric_file_link(struct yaml *, const struct yaml_node *, struct topology_link_kind *);
bool fabric_file_buffers(struct yaml *, const struct yaml_node *, struct topology_buffers *);
/* Reports a problem of a description, at the node of its member. Returns false. */
bool fabric_file_complain(
    struct yaml *, const struct yaml_node *top, const struct topology_problem *);
bool fabric_file_block(struct yaml *, const struct yaml_node *, uint32_t *block);
