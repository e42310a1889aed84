/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a graph with slower and longer links. */
#pragma once

#include "topology/topology.h"

/* The caller frees the copy before the original graph. Returns NULL if there is no memory. */
struct graph *slow_graph_copy(const struct graph *, uint32_t slower);
