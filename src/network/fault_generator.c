/* SPDX-License-Identifier: Apache-2.0 */
/* Draws exponential intervals by comparing random integers: without logarithms, every machine draws
 * the same values. */
#include "network/fault_generator.h"

#define FAULT_GENERATOR_ENTITY UINT64_C(0x6661756c74)

struct prng fault_generator_stream(uint64_t seed, uint32_t generator, uint32_t component)
{
    struct prng of_generator = prng_stream(seed, FAULT_GENERATOR_ENTITY + generator);

    return prng_stream(of_generator.state, component);
}

/* `share` is in units of 2^-32. */
static uint64_t share_of(uint64_t whole, uint32_t share)
{
    return (whole >> 32) * share + ((whole & UINT32_MAX) * share >> 32);
}

/* Draws numbers while each is below the previous one. The first number of a run that ends after an
 * odd count, plus one for every even run before it, is exponential with mean 1 (von Neumann 1951).
 */
uint64_t fault_generator_interval_ps(struct prng *prng, uint64_t mean_ps)
{
    uint64_t whole_ps = 0;

    for (;;) {
        uint32_t first = (uint32_t)(prng_next(prng) >> 32);
        uint32_t last = first;
        bool is_odd = true;

        for (;;) {
            uint32_t next = (uint32_t)(prng_next(prng) >> 32);

            if (next >= last)
                break;
            last = next;
            is_odd = !is_odd;
        }
        if (is_odd) {
            uint64_t rest_ps = share_of(mean_ps, first);

            return rest_ps > FAULT_NEVER_PS - whole_ps ? FAULT_NEVER_PS : whole_ps + rest_ps;
        }
        if (mean_ps > FAULT_NEVER_PS - whole_ps)
            return FAULT_NEVER_PS;
        whole_ps += mean_ps;
    }
}
