/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants. A run with `checks` stops at the first violation. */
#pragma once

#include "sim/shard.h"

/* Called after a node was run. */
void check_node(const struct shard *, uint32_t node);
/* Called after a window of all shards. */
void check_all(struct sim *);
