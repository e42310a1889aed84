/* SPDX-License-Identifier: Apache-2.0 */
/* Topologies of htsim (.topo) as fabrics. */
#pragma once

#include "files/yaml.h"

/* Returns the keys of a fabric of two or three tiers in one plane, or NULL after a complaint.
 * `source` is the name of the file, and is kept. */
struct yaml_node *topo_file_parse(struct yaml *, const char *source, const char *text);
