/* SPDX-License-Identifier: Apache-2.0 */
/* Recycled entropy values first, then the others in turn, as in htsim. */
#include "rival/uet/uet_spray.h"

enum { PENALTY_MAX = 15 };

static const uint8_t penalty_of[UET_MET_COUNT] = {
    [UET_MET_MARK] = 1,
    [UET_MET_TRIM] = 4,
    [UET_MET_LOSS] = PENALTY_MAX,
};

void uet_spray_init(struct uet_spray *spray, struct arena *arena, const struct uet_profile *profile,
    struct prng prng)
{
    uint8_t *penalties = arena_take(arena, profile->paths, sizeof(*penalties), sizeof(uint64_t));

    if (arena->memory)
        *spray = (struct uet_spray){ .penalties = penalties, .prng = prng };
}

static bool is_ready(uint32_t ev, uint32_t ready, uint32_t way_count)
{
    return ready >> ev % way_count & 1;
}

/* Returns true and takes the oldest entropy value to use again, if its way is ready. */
static bool take_again(struct uet_spray *spray, uint32_t ready, uint32_t way_count, uint32_t *ev)
{
    if (spray->again_in == spray->again_out)
        return false;
    *ev = spray->again[spray->again_out % UET_SPRAY_RING];
    if (!is_ready(*ev, ready, way_count))
        return false;
    spray->again_out++;
    return true;
}

static uint32_t next_ready(
    const struct uet_profile *profile, uint32_t ev, uint32_t ready, uint32_t way_count)
{
    for (uint32_t i = 0; i < profile->paths; i++) {
        ev = ev + 1 == profile->paths ? 0 : ev + 1;
        if (is_ready(ev, ready, way_count))
            break;
    }
    return ev;
}

/* Passes over those with a penalty, once for each point. If all have one, ends after as many steps
 * as there are entropy values. */
static uint32_t next_unpenalized(
    struct uet_spray *spray, const struct uet_profile *profile, uint32_t ready, uint32_t way_count)
{
    for (uint32_t i = 0; i < profile->paths; i++) {
        spray->last = next_ready(profile, spray->last, ready, way_count);
        if (spray->penalties[spray->last] == 0)
            break;
        spray->penalties[spray->last]--;
    }
    return spray->last;
}

uint32_t uet_spray_next(
    struct uet_spray *spray, const struct uet_profile *profile, uint32_t ready, uint32_t way_count)
{
    uint32_t ev;

    if (profile->spray == UET_SPRAY_OBLIVIOUS)
        return next_ready(profile, prng_below(&spray->prng, profile->paths), ready, way_count);
    if (take_again(spray, ready, way_count, &ev))
        return ev;
    return next_unpenalized(spray, profile, ready, way_count);
}

void uet_spray_on_met(
    struct uet_spray *spray, const struct uet_profile *profile, uint32_t ev, enum uet_met met)
{
    uint32_t penalty;

    if (profile->spray == UET_SPRAY_OBLIVIOUS)
        return;
    penalty = spray->penalties[ev] + penalty_of[met];
    spray->penalties[ev] = (uint8_t)(penalty < PENALTY_MAX ? penalty : PENALTY_MAX);
    if (met != UET_MET_NOTHING)
        return;
    spray->again[spray->again_in++ % UET_SPRAY_RING] = (uint16_t)ev;
    if (spray->again_in - spray->again_out > UET_SPRAY_RING)
        spray->again_out++;
}
