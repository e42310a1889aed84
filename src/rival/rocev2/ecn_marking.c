/* SPDX-License-Identifier: Apache-2.0 */
/* The congestion point of DCQCN. */
#include "rival/rocev2/ecn_marking.h"

#include <stddef.h>

#define BPS_PER_GBPS UINT64_C(1000000000)

const char *const ecn_set_words[ECN_SET_COUNT + 1] = {
#define ECN_SET(ID, name, least, most, chance, scale, meaning) name,
#include "rival/rocev2/ecn_sets.def"
    NULL,
};

struct published {
    uint32_t least_bytes;
    uint32_t most_bytes;
    uint32_t permille;
    uint32_t scale_gbps;
};

static const struct published sets[ECN_SET_COUNT] = {
#define ECN_SET(ID, name, least, most, chance, scale, meaning) { least, most, chance, scale },
#include "rival/rocev2/ecn_sets.def"
};

struct ecn_marking ecn_marking_of(enum ecn_set which, uint64_t rate_bps)
{
    const struct published *set = &sets[which];
    uint64_t from_bps = set->scale_gbps > 0 ? set->scale_gbps * BPS_PER_GBPS : rate_bps;

    return (struct ecn_marking){
        .least_bytes = (uint64_t)((double)set->least_bytes * (double)rate_bps / (double)from_bps),
        .most_bytes = (uint64_t)((double)set->most_bytes * (double)rate_bps / (double)from_bps),
        .chance = (uint32_t)((uint64_t)set->permille * UINT32_MAX / 1000),
    };
}

bool ecn_marking_marks(const struct ecn_marking *marking, uint64_t queue_bytes, struct prng *prng)
{
    uint64_t chance;

    if (queue_bytes <= marking->least_bytes)
        return false;
    if (queue_bytes > marking->most_bytes)
        return true;
    chance = marking->chance * (queue_bytes - marking->least_bytes) /
             (marking->most_bytes - marking->least_bytes);
    return prng_chance(prng, (uint32_t)chance);
}
