/* SPDX-License-Identifier: Apache-2.0 */
/* Packet sequence numbers: 24 bits that wrap. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/serial.h"

/* A struct, so that `<` does not compile: comparing wrapping numbers with it is always a bug. */
struct psn {
    uint32_t value; /* < 2^24 */
};

static inline struct psn psn(uint32_t value)
{
    return (struct psn){ .value = value % SERIAL24_MODULUS };
}

static inline struct psn psn_add(struct psn from, int32_t steps)
{
    return (struct psn){ .value = serial24_add(from.value, steps) };
}

/* Returns the distance from `from` to `to` in [-2^23, 2^23); negative if `to` is behind. */
static inline int32_t psn_distance(struct psn from, struct psn to)
{
    return serial24_distance(from.value, to.value);
}

static inline bool psn_before(struct psn a, struct psn b)
{
    return psn_distance(a, b) > 0;
}

static inline bool psn_equal(struct psn a, struct psn b)
{
    return a.value == b.value;
}
