/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes of a flow have been placed: each once, all of a message before it completes, as much
 * by one plane as by another. */
#pragma once

#include "sim/engine.h"

struct account_gap { /* placed beyond what is complete */
    uint64_t from;
    uint64_t to;
};

struct account {
    uint64_t complete; /* everything below has been placed */
    uint32_t count;
    uint32_t count_max;
    struct account_gap *ahead; /* ascending, apart from each other */
    uint64_t plane_bytes[FABRIC_PLANES_MAX];
};

/* As many stretches as packets can be ahead of the first missing one. */
struct account *account_init(struct arena *, uint32_t count_max);

void account_place(struct sim *, struct engine_flow *, uint64_t from, uint32_t length);

/* Everything below `end` must be there. */
void account_expect(struct sim *, const struct engine_flow *, uint64_t end, uint64_t now_ps);

/* The planes carried the same, nearly: to be asked of runs in which nothing is broken. */
void account_check_planes(struct sim *, const struct engine_flow *);
