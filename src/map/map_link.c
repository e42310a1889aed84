/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of links. */
#include "map/map_link.h"

#include <assert.h>
#include <stddef.h>

enum {
    PPM = 1000000,
    BOUNCES_KEPT = 1 << 24, /* counts are halved beyond, so that old losses fade */
};

/* Weights of a lost crossing if one direction loses 98 % of all that are lost, against both losing
 * half: ln(0.98 / 0.5) and ln(0.5 / 0.02) in thousandths, and the sum that decides, ln(1000). */
enum {
    DIRECTION_GAIN = 673,
    DIRECTION_DRAIN = 3219,
    DIRECTION_CERTAIN = 6908,
};

const char *const map_direction_words[MAP_DIRECTION_COUNT + 1] = { "unknown", "up", "down", "both",
    NULL };

/* ln(q1 / q0) and ln((1 - q0) / (1 - q1)) in units of 2^-16 with q1 = 1 %, and q0 = 0.01 % for each
 * link of the way, there and back: 2, 4 or 6 of them. Rounded to the side of the link. */
struct weights {
    int32_t gain;
    int32_t drain;
};

static const struct weights weights[MAP_PROBE_KIND_COUNT] = {
    [MAP_NEAR] = { 256378, 646 },
    [MAP_FAR] = { 210952, 633 },
    [MAP_LOOP] = { 184379, 620 },
    [MAP_DEEP] = { 184379, 620 },
    [MAP_ONE_WAY] = { 256378, 646 },
};

int32_t map_link_gain(enum map_probe_kind kind)
{
    assert(kind < MAP_PROBE_KIND_COUNT);
    return weights[kind].gain;
}

int32_t map_link_drain(enum map_probe_kind kind)
{
    assert(kind < MAP_PROBE_KIND_COUNT);
    return weights[kind].drain;
}

static uint32_t less(uint32_t amount, uint32_t lost)
{
    return amount > lost ? amount - lost : 0;
}

/* Returns the kind of the probes that cross a link in one direction only. */
static enum map_probe_kind crossing_kind(enum map_probe_kind bounce)
{
    return bounce == MAP_NEAR ? MAP_ONE_WAY : MAP_LOOP;
}

static int64_t evidence(enum map_probe_kind kind, uint32_t sent, uint32_t lost)
{
    return (int64_t)lost * weights[kind].gain - (int64_t)less(sent, lost) * weights[kind].drain;
}

int64_t map_link_outlook(const struct map_link *link, const struct map_link_samples *samples)
{
    uint32_t crossings_lost = (uint32_t)link->round_up_lost + link->round_down_lost;

    return link->score + evidence(samples->bounce, samples->bounces, link->round_bounces_lost) +
           evidence(crossing_kind(samples->bounce), samples->crossings, crossings_lost);
}

static void begin_round(struct map_link *link)
{
    link->round_bounces_lost = 0;
    link->round_up_lost = 0;
    link->round_down_lost = 0;
}

static void halve_counts(struct map_link *link)
{
    link->bounces /= 2;
    link->bounces_lost /= 2;
    link->crossings /= 2;
    link->up_lost /= 2;
    link->down_lost /= 2;
}

static void forget_evidence(struct map_link *link)
{
    link->score = 0;
    link->certain = 0;
    link->bounces = link->bounces_lost = 0;
    link->crossings = link->up_lost = link->down_lost = 0;
}

void map_link_close_round(
    struct map_link *link, const struct map_link_samples *samples, uint64_t period)
{
    int64_t score = map_link_outlook(link, samples);

    if (link->score == 0)
        link->since = (uint32_t)period;
    link->bounces += samples->bounces;
    link->bounces_lost += link->round_bounces_lost;
    link->crossings += samples->crossings / 2;
    link->up_lost += link->round_up_lost;
    link->down_lost += link->round_down_lost;
    if (link->bounces > BOUNCES_KEPT)
        halve_counts(link);
    if (score <= 0)
        forget_evidence(link);
    else
        link->score = score < MAP_SCORE_MAX ? (int32_t)score : MAP_SCORE_MAX;
    begin_round(link);
}

bool map_link_is_certain(const struct map_link *link, enum map_probe_kind bounce)
{
    return map_link_weight(link) >= MAP_SCORE_CERTAIN &&
           evidence(bounce, link->bounces, link->bounces_lost) >= MAP_SCORE_BOUNCED;
}

enum map_direction map_link_direction(const struct map_link *link)
{
    int64_t more = link->up_lost > link->down_lost ? link->up_lost : link->down_lost;
    int64_t fewer = (int64_t)link->up_lost + link->down_lost - more;
    int64_t one_sided = more * DIRECTION_GAIN - fewer * DIRECTION_DRAIN;

    if (one_sided >= DIRECTION_CERTAIN)
        return more == link->up_lost ? MAP_DIRECTION_UP : MAP_DIRECTION_DOWN;
    return one_sided <= -DIRECTION_CERTAIN ? MAP_DIRECTION_BOTH : MAP_DIRECTION_UNKNOWN;
}

static uint32_t share_ppm(uint64_t lost, uint64_t sent)
{
    if (sent == 0)
        return 0;
    return lost >= sent ? PPM : (uint32_t)(lost * PPM / sent);
}

/* With a loss in one direction, bounces lose as much as the crossings of this direction. */
uint32_t map_link_loss_ppm(const struct map_link *link, enum map_direction direction)
{
    uint32_t one_way = direction == MAP_DIRECTION_UP ? link->up_lost : link->down_lost;

    if (direction == MAP_DIRECTION_UNKNOWN)
        return share_ppm(link->bounces_lost, link->bounces);
    if (direction == MAP_DIRECTION_BOTH)
        return share_ppm((uint64_t)link->up_lost + link->down_lost, UINT64_C(2) * link->crossings);
    return share_ppm(
        (uint64_t)link->bounces_lost + one_way, (uint64_t)link->bounces + link->crossings);
}
