/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the parts of a case. */
#pragma once

#include "base/prng.h"
#include "study/hunt.h"

uint64_t hunt_hops_max(const struct hunt_options *);

void hunt_draw_wiring(struct study_trial *, struct prng *);
/* Requires the fabric to be drawn. */
void hunt_draw_work(struct study_trial *, const struct hunt_options *, struct prng *);
void hunt_draw_faults(struct study_trial *, const struct hunt_options *, struct prng *);

static inline uint32_t hunt_draw_between(struct prng *prng, uint32_t least, uint32_t most)
{
    return least + prng_below(prng, most - least + 1);
}

static inline bool hunt_draw_percent(struct prng *prng, uint32_t percent)
{
    return prng_below(prng, 100) < percent;
}

/* Every power of two is equally likely. */
static inline uint64_t hunt_draw_log(struct prng *prng, uint64_t least, uint64_t most)
{
    uint32_t doublings = 0;
    uint64_t value;

    while (least << (doublings + 1) <= most)
        doublings++;
    value = least << prng_below(prng, doublings + 1);
    value += prng_next(prng) % value;
    return value < most ? value : most;
}
