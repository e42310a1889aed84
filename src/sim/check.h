/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants. A run with `checks` stops at the first violation. */
#pragma once

#include "sim/sim_engine.h"

/* Called after a node was run. */
void check_node(const struct sim *, uint32_t node);
/* Called after a window. */
void check_all(struct sim *);
