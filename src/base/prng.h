/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded pseudo-random numbers (splitmix64): 8 bytes of state, one stream per entity, the same on
 * every machine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct prng {
    uint64_t state;
};

static inline uint64_t prng_next(struct prng *prng)
{
    uint64_t mixed = (prng->state += UINT64_C(0x9e3779b97f4a7c15));

    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

/* Returns an independent stream for each (seed, entity). */
static inline struct prng prng_stream(uint64_t seed, uint64_t entity)
{
    struct prng of_seed = { .state = seed };
    struct prng of_entity = { .state =
                                  prng_next(&of_seed) ^ entity * UINT64_C(0xd1342543de82ef95) };

    return (struct prng){ .state = prng_next(&of_entity) };
}

/* Returns a number uniform in [0, bound), bound > 0. The bias of at most bound / 2^32 is below
 * anything we measure. */
static inline uint32_t prng_below(struct prng *prng, uint32_t bound)
{
    return (uint32_t)((prng_next(prng) >> 32) * bound >> 32);
}

/* True with probability `threshold` / 2^32. An integer, so that rounding is the same on all
 * machines. */
static inline bool prng_chance(struct prng *prng, uint32_t threshold)
{
    return prng_next(prng) >> 32 < threshold;
}
