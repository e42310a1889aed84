/* SPDX-License-Identifier: Apache-2.0 */
/* The records that a shard can lend to its senders. */
#pragma once

#include <stdint.h>

/* Records of one size. Those that were never lent are not touched. */
struct loans_pool {
    uint8_t *returned; /* a list: each begins with a pointer to the next */
    uint8_t *next_new;
    uint32_t new_count;
    uint32_t bytes;
};

struct loans {
    struct loans_pool *pools; /* by class */
    uint32_t first_ending;    /* NICs that have flows which have ended; ENGINE_NONE */
    uint32_t last_ending;
};
