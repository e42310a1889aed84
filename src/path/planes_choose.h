/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the plane of the next packet. Inline: it takes a large part of the cost of a packet. */
#pragma once

#include "path/planes.h"

static inline uint64_t planes_choose_lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The planes of most fabrics. With more, two groups of as many are examined. */
#define PLANES_CHOOSE_FEW 8
_Static_assert(PATH_PLANE_COUNT_MAX == 2 * PLANES_CHOOSE_FEW, "each plane is examined");

/* Returns the least of what the planes hold, each with its place. The search has no branches and is
 * unrolled by hand, because compilers do not unroll it. */
static inline uint64_t planes_choose_least(
    const uint64_t held[static PLANES_CHOOSE_FEW], const uint64_t place[static PLANES_CHOOSE_FEW])
{
    uint64_t low =
        planes_choose_lesser(planes_choose_lesser(held[0] + place[0], held[1] + place[1]),
            planes_choose_lesser(held[2] + place[2], held[3] + place[3]));
    uint64_t high =
        planes_choose_lesser(planes_choose_lesser(held[4] + place[4], held[5] + place[5]),
            planes_choose_lesser(held[6] + place[6], held[7] + place[7]));

    return planes_choose_lesser(low, high);
}

/* Returns the first of the lightest planes from `turn` on. Planes hold multiples of
 * PLANES_HELD_UNIT, so that their places from `turn` on decide only among equals, and the least
 * tells the plane. A search for a plane that holds the least would end after a number of steps that
 * processors cannot predict. */
static inline uint32_t planes_choose_lightest(const struct planes *planes)
{
    static const uint64_t places[2 * PATH_PLANE_COUNT_MAX] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
        12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    const uint64_t *place = &places[PATH_PLANE_COUNT_MAX - planes->turn];
    uint64_t least = planes_choose_least(planes->held, place);

    if (planes->plane_count > PLANES_CHOOSE_FEW)
        least = planes_choose_lesser(least,
            planes_choose_least(planes->held + PLANES_CHOOSE_FEW, place + PLANES_CHOOSE_FEW));
    return (uint32_t)((least + planes->turn) % PATH_PLANE_COUNT_MAX);
}

/* A plane with nothing in flight has room, however small its share: no window or weight is 0. */
static inline bool planes_choose_has_room(
    const struct planes *planes, uint32_t plane, uint32_t window_bytes)
{
    return (uint64_t)planes->inflight_bytes[plane] * planes->weight_sum <
           (uint64_t)window_bytes * planes->weight[plane];
}

/* As planes_choose(), for the rare cases: other planes divide the window than before, weights have
 * changed, or the lightest plane is not ready or has no room. */
uint32_t planes_choose_anew(
    struct planes *, uint32_t ready, uint32_t usable, uint32_t window_bytes);

/* Returns the plane in `ready` that holds least for its weight, among those with room in their
 * share of the window. The planes in `usable` divide the window. PATH_NONE: there is none. */
static inline uint32_t planes_choose(
    struct planes *planes, uint32_t ready, uint32_t usable, uint32_t window_bytes)
{
    uint32_t best = planes_choose_lightest(planes);

    if (usable != planes->weighed_mask || !(ready >> best & 1) ||
        !planes_choose_has_room(planes, best, window_bytes))
        return planes_choose_anew(planes, ready, usable, window_bytes);
    planes->turn = (uint8_t)(best + 1);
    return best;
}
