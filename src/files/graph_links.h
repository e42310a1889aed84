/* SPDX-License-Identifier: Apache-2.0 */
/* A graph given link by link. */
#pragma once

#include "files/yaml.h"
#include "topology/topology.h"

/* Adds the links of the list, and each switch when it is first named. */
bool graph_links_read(struct yaml *, const struct yaml_node *list,
    const struct topology_link_kind *usual, struct graph *);
/* Reports a problem of a link of the list, at its line. Returns false. */
bool graph_links_complain(
    struct yaml *, const struct yaml_node *list, uint32_t link, const char *reason);
