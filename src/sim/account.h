/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes of a flow have been placed: each once, all of a message before it completes. */
#pragma once

#include "sim/sim_engine.h"

struct account_gap { /* placed beyond what is complete */
    uint64_t from;
    uint64_t to;
};

struct account {
    uint64_t complete; /* everything below has been placed */
    uint32_t count;
    uint32_t count_max;
    struct account_gap *ahead; /* ascending, apart from each other */
};

/* As many stretches as packets can be ahead of the first missing one. */
struct account *account_init(struct arena *, uint32_t count_max);

void account_place(struct sim *, struct engine_flow *, uint64_t from, uint32_t length);

/* Everything below `end` must be there. */
void account_expect(struct sim *, const struct engine_flow *, uint64_t end, uint64_t now_ps);
