/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a fabric for pages: mrc-dashboard(5). */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "topology/topology.h"

/* Returns "name", "planes" and "nics" with "switches", their names, and "links", arrays [name,
 * node, node, plane]. Nodes are numbered: NICs, then switches. The first node of a link is its
 * lower end. A fabric of two tiers with more than nic_links_max links of NICs has "shape", its
 * counts, instead. */
json_t *fabric_layout(const struct topology *, uint32_t nic_links_max);
