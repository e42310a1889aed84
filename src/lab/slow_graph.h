/* SPDX-License-Identifier: Apache-2.0 */
/* A graph whose links are slower and longer. */
#pragma once

#include "topology/topology.h"

/* To be freed before the graph it was made from. NULL: there is no memory. */
struct graph *slow_graph_copy(const struct graph *, uint32_t slower);
