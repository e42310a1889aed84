/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold at any time: a run with `checks` stops at the first thing that does not. */
#pragma once

#include "sim/sim_engine.h"

/* After a node was run. */
void check_node(const struct sim *, uint32_t node);
/* After a window. */
void check_all(struct sim *);
