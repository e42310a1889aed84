/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that each byte of a flow is placed once, and all bytes of a message before it
 * completes. */
#pragma once

#include "sim/shard.h"

struct account_gap { /* a range placed beyond `complete` */
    uint64_t from;
    uint64_t to;
};

struct account {
    uint64_t complete; /* everything below has been placed */
    uint32_t count;
    uint32_t count_max;
    struct account_gap *ahead; /* ascending, not adjacent */
};

/* Has room for as many ranges as packets can be ahead of the first missing one. */
struct account *account_init(struct arena *, uint32_t count_max);

void account_place(struct shard *, const struct engine_flow_end *, uint64_t from, uint32_t length);

/* Returns the end of the last range. */
uint64_t account_last(const struct account *);
/* Copies what account_check() needs from the account of another process. */
void account_set(struct account *, uint64_t complete, uint64_t last);

/* Checks, between two windows, that all bytes of completed messages have been placed, and no others
 * than those of posted ones. */
void account_check(struct shard *, uint32_t flow_index, uint64_t now_ps);
