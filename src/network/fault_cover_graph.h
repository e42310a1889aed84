/* SPDX-License-Identifier: Apache-2.0 */
/* The same as fault_cover.h for topologies that are graphs: links by the graph's lists. */
#pragma once

#include "network/fault_cover.h"

uint32_t fault_cover_graph_slots(const struct graph *, const struct topology_element *);
uint32_t fault_cover_graph_slots_max(const struct graph *, enum topology_component);
bool fault_cover_graph_at(const struct graph *, const struct fault *,
    const struct topology_element *, uint32_t slot, struct topology_end *);
