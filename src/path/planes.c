/* SPDX-License-Identifier: Apache-2.0 */
/* The shares of planes: each plane has a weight that changes once per round trip. */
#include "path/planes.h"

#include "base/bits.h"
#include "path/path.h"

/* A plane whose packets take somewhat longer than the mean loses a quarter of that fraction of its
 * weight per round: packets already sent show the effect before the next round. A plane whose
 * packets take much longer gets the weight at which they would take the mean time. A small part of
 * the difference between planes decays in each round, so that equal planes become equal again and a
 * slow plane is tried. If the plan is rough, paths must first find their shares of a plane: planes
 * then change more slowly than paths. A plane whose queues are not too long keeps its weight,
 * because the other planes may have no capacity to spare, and a plane that does not use its share
 * of the window, because its port is the limit, gains none.
 *
 * The last two rules hold for all plans by which planes differ, as long as the window is not what
 * limits the sender: round trips then differ by the packet times of ports, and a plane that loses
 * weight leaves its port idle, because the ports of the others are full already. Planes that are
 * equal by the plan follow their queues even then, but return faster: round trips also differ by
 * what the other direction carries, which no weight changes (decision 51). */
enum {
    GAIN = 64, /* 256ths */
    GAIN_ROUGH = 32,
    LEAK = 3, /* 256ths */
    LEAK_ROUGH = 1,
    LEAK_UNUSED = 24,   /* while the window is not what limits the sender */
    USED_QUARTERS = 3,  /* of its share that a plane holds if the share is the limit */
    SACK_BYTES = 16384, /* acknowledged at a time: this much less is in flight at the end of a round
                           than before */
    EXCESS_LARGE = 128, /* 256ths of the mean */
    EXCESS_MOST = 16 * 256,
    EXCESS_LEAST = -128,
    LENGTH_MOST = 4, /* factor by which paths may be longer or shorter than the base RTT */
    WEIGHT_MOST = 8 * PLANES_EQUAL, /* at the start */
    EXCESS_SILENT = 256, /* for a plane with packets in flight of which none was acknowledged */
};

static int32_t clamped(int64_t value, int32_t least, int32_t most)
{
    return value < least ? least : value > most ? most : (int32_t)value;
}

void planes_init(struct planes *planes, uint32_t plane_count)
{
    *planes = (struct planes){ .plane_count = (uint8_t)plane_count };
    for (uint32_t plane = 0; plane < PATH_PLANE_COUNT_MAX; plane++)
        planes->weight[plane] = PLANES_EQUAL;
    for (uint32_t plane = plane_count; plane < PATH_PLANE_COUNT_MAX; plane++)
        planes->held[plane] = PLANES_HELD_NONE;
}

/* Returns the weight at which a plane with longer paths carries as much as others. */
static int32_t weight_of_length(
    const struct path_profile *profile, uint32_t plane, uint32_t base_rtt_ns)
{
    int64_t extra_ns = profile ? profile->plane_extras[plane] * (int64_t)PATH_EXTRA_NS : 0;

    if (extra_ns == 0)
        return PLANES_EQUAL;
    return clamped(PLANES_EQUAL + extra_ns * PLANES_EQUAL / base_rtt_ns, PLANES_EQUAL / LENGTH_MOST,
        PLANES_EQUAL * LENGTH_MOST);
}

void planes_start_with(
    struct planes *planes, const struct path_profile *profile, uint32_t base_rtt_ns)
{
    if (planes->has_moved)
        return;
    for (uint32_t plane = 0; plane < planes->plane_count; plane++) {
        int32_t length = weight_of_length(profile, plane, base_rtt_ns);

        planes->weight[plane] =
            (uint16_t)clamped((int64_t)profile->plane_weights[plane] * length / PLANES_EQUAL,
                PLANES_LEAST, WEIGHT_MOST);
    }
    planes->weighed_mask = 0;
}

static uint32_t weights_of(const struct planes *planes, uint32_t mask)
{
    uint32_t sum = 0;

    for (; mask; mask &= mask - 1)
        sum += planes->weight[bits_lowest(mask)];
    return sum;
}

static void follow_weights(struct planes *planes, uint32_t usable)
{
    if (planes->weighed_mask == 0)
        for (uint32_t plane = 0; plane < planes->plane_count; plane++)
            planes_weigh(planes, plane);
    planes->weight_sum = weights_of(planes, usable);
    planes->weighed_mask = (uint16_t)usable;
}

struct choice {
    uint32_t plane; /* PATH_NONE: none yet */
    uint64_t held;
};

/* Returns the lighter of the best plane so far and the planes of the mask from `first` up to but
 * not including `end`. */
static inline struct choice lighter(
    const struct planes *planes, uint32_t mask, uint32_t first, uint32_t end, struct choice best)
{
    for (uint32_t plane = first; plane < end; plane++)
        if (planes->held[plane] < best.held && mask >> plane & 1)
            best = (struct choice){ .plane = plane, .held = planes->held[plane] };
    return best;
}

static inline uint32_t lightest(const struct planes *planes, uint32_t mask)
{
    struct choice best = { .plane = PATH_NONE, .held = UINT64_MAX };

    best = lighter(planes, mask, planes->turn, planes->plane_count, best);
    return lighter(planes, mask, 0, planes->turn, best).plane;
}

/* Planes that hold more than the lightest have no room if that has none, but `held` is rounded, so
 * one with the same rounded value may have room. */
static uint32_t choose_with_room(struct planes *planes, uint32_t ready, uint32_t window_bytes)
{
    uint32_t best;

    for (uint32_t mask = ready; mask; mask &= mask - 1)
        if (!planes_choose_has_room(planes, bits_lowest(mask), window_bytes))
            ready &= ~(UINT32_C(1) << bits_lowest(mask));
    best = lightest(planes, ready);
    if (best != PATH_NONE)
        planes->turn = (uint8_t)(best + 1);
    return best;
}

uint32_t planes_choose_anew(
    struct planes *planes, uint32_t ready, uint32_t usable, uint32_t window_bytes)
{
    if (usable != planes->weighed_mask)
        follow_weights(planes, usable);
    return choose_with_room(planes, ready, window_bytes);
}

uint32_t planes_delivering(const struct planes *planes, uint32_t mask)
{
    uint32_t delivering = 0;

    for (; mask; mask &= mask - 1) {
        uint32_t plane = bits_lowest(mask);

        if (planes->weight[plane] >= PLANES_EQUAL / 2)
            delivering |= UINT32_C(1) << plane;
    }
    return delivering;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static uint32_t mean_ticks(const struct planes *planes, uint32_t usable)
{
    uint64_t ticks = 0;
    uint32_t count = 0;

    for (; usable; usable &= usable - 1) {
        ticks += planes->rtt_ticks[bits_lowest(usable)];
        count += planes->count[bits_lowest(usable)];
    }
    return count ? (uint32_t)(ticks / count) : 0;
}

/* How weights change in a round. */
struct pace {
    int32_t gain; /* 256ths */
    int32_t leak; /* 256ths */
    bool is_calm; /* only long queues and used shares count */
};

static bool is_rough(const struct planes_times *times)
{
    return times->profile && times->profile->is_rough;
}

static bool is_window_used(const struct planes_times *times)
{
    return 4 * ((uint64_t)times->inflight_bytes + SACK_BYTES) >=
           USED_QUARTERS * (uint64_t)times->window_bytes;
}

static int32_t leak_of(const struct planes_times *times)
{
    if (is_window_used(times))
        return is_rough(times) ? LEAK_ROUGH : LEAK;
    return times->profile ? LEAK : LEAK_UNUSED;
}

static struct pace pace_of(const struct planes_times *times)
{
    return (struct pace){ .gain = is_rough(times) ? GAIN_ROUGH : GAIN,
        .leak = leak_of(times),
        .is_calm = is_rough(times) || (times->profile && !is_window_used(times)) };
}

/* Returns the part of a mean round trip that counts at a calm pace, if it is longer than the mean
 * of all planes. */
static int64_t calm_ticks(const struct planes_times *times, int64_t own, int64_t mean)
{
    int64_t calm = (times->base_rtt_ns + times->target_delay_ns) / PLANES_TICK_NS;
    int64_t most = calm > mean ? calm : mean;

    if (own <= mean)
        return own;
    return own > most ? own - most + mean : mean;
}

/* Returns the excess of the round trips of a plane over the mean, in 256ths. */
static int32_t excess_of(const struct planes *planes, uint32_t plane, uint32_t mean,
    const struct planes_times *times, bool is_calm)
{
    int64_t own;

    if (planes->inflight_bytes[plane] > 0 && !(planes->heard_mask >> plane & 1))
        return EXCESS_SILENT;
    if (planes->count[plane] == 0)
        return 0;
    own = planes->rtt_ticks[plane] / planes->count[plane];
    if (is_calm)
        own = calm_ticks(times, own, mean);
    return clamped((own - mean) * 256 / mean, EXCESS_LEAST, EXCESS_MOST);
}

/* True if the share of the window is not what limits the plane. */
static bool has_unused_share(
    const struct planes *planes, uint32_t plane, const struct planes_times *times)
{
    return 4 * (uint64_t)planes->inflight_bytes[plane] * planes->weight_sum <
           USED_QUARTERS * (uint64_t)times->window_bytes * planes->weight[plane];
}

static void move_weight(struct planes *planes, uint32_t plane, uint32_t mean,
    const struct planes_times *times, struct pace pace)
{
    int32_t weight = planes->weight[plane];
    int32_t excess = excess_of(planes, plane, mean, times, pace.is_calm);
    int32_t rest = weight_of_length(times->profile, plane, times->base_rtt_ns);

    if (pace.is_calm && excess < 0 && has_unused_share(planes, plane, times))
        excess = 0;
    if (excess > EXCESS_LARGE)
        weight = weight * 256 / (256 + excess);
    else
        weight -= weight * excess / 256 * pace.gain / 256;
    weight += (rest - weight) * pace.leak / 256;
    planes->weight[plane] = (uint16_t)clamped(weight, 0, UINT16_MAX);
}

/* Scales the weights so that their mean is PLANES_EQUAL. */
static void settle_weights(struct planes *planes, uint32_t usable)
{
    uint64_t wanted = (uint64_t)bits_count(usable) * PLANES_EQUAL;
    uint32_t sum = weights_of(planes, usable);

    for (uint32_t left = usable; left; left &= left - 1) {
        uint32_t plane = bits_lowest(left);
        uint64_t weight = planes->weight[plane] * wanted / sum; /* below `wanted` */

        planes->weight[plane] = (uint16_t)(weight > PLANES_LEAST ? weight : PLANES_LEAST);
    }
}

static void clear_round(struct planes *planes)
{
    planes->round_end_ns = 0;
    planes->heard_mask = 0;
    planes->sample_count = 0;
    for (uint32_t plane = 0; plane < planes->plane_count; plane++) {
        if (planes->count[plane] > 0)
            planes->mean_ticks[plane] = (uint16_t)(planes->rtt_ticks[plane] / planes->count[plane]);
        if (planes->ev_count[plane] > 1) {
            planes->ev_mean_ticks[plane] =
                (uint16_t)(planes->ev_ticks[plane] / planes->ev_weights[plane]);
            planes->ev_mean_count[plane] = planes->ev_count[plane];
        }
        planes->rtt_ticks[plane] = 0;
        planes->count[plane] = 0;
        planes->ev_ticks[plane] = 0;
        planes->ev_weights[plane] = 0;
        planes->ev_count[plane] = 0;
    }
}

void planes_end_round(struct planes *planes, uint32_t usable, const struct planes_times *times)
{
    uint32_t mean = mean_ticks(planes, usable);
    struct pace pace = pace_of(times);

    planes->has_moved = true;
    planes->weighed_mask = 0;
    if (mean > 0) {
        for (uint32_t left = usable; left; left &= left - 1)
            move_weight(planes, bits_lowest(left), mean, times, pace);
        settle_weights(planes, usable);
    }
    clear_round(planes);
}
