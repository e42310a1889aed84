/* SPDX-License-Identifier: Apache-2.0 */
/* The shares of planes in the window of one destination. The share of a plane whose packets take
 * longer than those of the others shrinks until all take equally long (docs/protocol.md §14.1). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct path_profile;

#define PATH_PLANE_COUNT_MAX 16
#define PLANES_EQUAL         4096 /* weight of a plane if all planes are equal */
#define PLANES_LEAST         (PLANES_EQUAL / 256)
#define PLANES_TICK_NS       64
#define PLANES_HELD_UNIT     PATH_PLANE_COUNT_MAX /* leaves room for the order of equal planes */
#define PLANES_HELD_NONE     (UINT64_MAX / 2)

struct planes {
    uint32_t inflight_bytes[PATH_PLANE_COUNT_MAX];
    uint32_t rtt_ticks[PATH_PLANE_COUNT_MAX]; /* sum of the round trips measured in this round */
    uint16_t count[PATH_PLANE_COUNT_MAX];     /* their number */
    uint16_t weight[PATH_PLANE_COUNT_MAX];
    uint16_t mean_ticks[PATH_PLANE_COUNT_MAX]; /* mean of the last round with samples; 0: none */
    uint32_t ev_ticks[PATH_PLANE_COUNT_MAX]; /* as rtt_ticks, first sample of each EV, times ... */
    uint32_t ev_weights[PATH_PLANE_COUNT_MAX]; /* ... its weight; the sum of these weights */
    uint16_t ev_count[PATH_PLANE_COUNT_MAX];
    uint16_t ev_mean_ticks[PATH_PLANE_COUNT_MAX]; /* mean of these in the last round with several */
    uint16_t ev_mean_count[PATH_PLANE_COUNT_MAX];
    uint64_t held[PATH_PLANE_COUNT_MAX]; /* bytes in flight, scaled to a plane of equal weight,
                                            times PLANES_HELD_UNIT; PLANES_HELD_NONE: no plane */
    uint64_t round_end_ns; /* earliest end of the round; 0: it begins with the next SACK */
    uint32_t weight_sum;   /* of the planes in weighed_mask */
    uint16_t sample_count; /* of all planes */
    uint16_t heard_mask;   /* planes with an acknowledged packet in this round */
    uint16_t weighed_mask; /* 0: weights have changed, and `held` must be updated */
    uint8_t plane_count;
    uint8_t turn;   /* plane that is chosen first among equals; beyond the last: plane 0 */
    bool has_moved; /* a round has moved the weights */
};

void planes_init(struct planes *, uint32_t plane_count);
/* Starts, or starts again if no round is over yet, with the weights of a profile, whose mean is
 * PLANES_EQUAL. A plane with longer paths holds proportionally more. The weights then change as
 * usual. */
void planes_start_with(struct planes *, const struct path_profile *, uint32_t base_rtt_ns);

/* Returns the planes of the mask that have at least half of an equal share. */
uint32_t planes_delivering(const struct planes *, uint32_t mask);

/* For planes.c: called when the bytes in flight or the weight of the plane have changed. */
static inline void planes_weigh(struct planes *planes, uint32_t plane)
{
    planes->held[plane] = (uint64_t)planes->inflight_bytes[plane] * PLANES_EQUAL /
                          planes->weight[plane] * PLANES_HELD_UNIT;
}

static inline void planes_on_sent(struct planes *planes, uint32_t plane, uint32_t bytes)
{
    planes->inflight_bytes[plane] += bytes;
    planes_weigh(planes, plane);
}

/* Called when a packet is acknowledged or declared lost. */
static inline void planes_on_gone(struct planes *planes, uint32_t plane, uint32_t bytes)
{
    planes->inflight_bytes[plane] -= bytes;
    planes_weigh(planes, plane);
}

/* Called when a packet is acknowledged. */
static inline void planes_on_delivered(struct planes *planes, uint32_t plane)
{
    planes->heard_mask |= (uint16_t)(1u << plane);
}

/* Adds the round trip of a packet that was answered immediately. Others are not used, because they
 * wait for their SACK. */
static inline void planes_on_rtt(struct planes *planes, uint32_t plane, uint64_t rtt_ns)
{
    if (planes->count[plane] == UINT16_MAX || rtt_ns / PLANES_TICK_NS > UINT16_MAX)
        return;
    planes->rtt_ticks[plane] += (uint32_t)(rtt_ns / PLANES_TICK_NS);
    planes->count[plane]++;
    planes->sample_count++;
}

#define PLANES_EV_WEIGHT_MOST 256

/* Adds the first round trip of an EV in this round. SACKs answer packets of busy paths more often
 * than others; an EV counts once, with its weight, which is 1 to PLANES_EV_WEIGHT_MOST. */
static inline void planes_on_ev_rtt(
    struct planes *planes, uint32_t plane, uint64_t rtt_ns, uint32_t weight)
{
    if (planes->ev_ticks[plane] > UINT32_MAX - UINT16_MAX * PLANES_EV_WEIGHT_MOST ||
        rtt_ns / PLANES_TICK_NS > UINT16_MAX)
        return;
    planes->ev_ticks[plane] += (uint32_t)(rtt_ns / PLANES_TICK_NS) * weight;
    planes->ev_weights[plane] += weight;
    planes->ev_count[plane]++;
}

/* Returns the difference between the round trip of an EV and the mean of the last round; 0: not
 * known. */
static inline int64_t planes_ev_difference_ns(
    const struct planes *planes, uint32_t plane, uint64_t rtt_ns)
{
    if (planes->ev_mean_count[plane] < 2)
        return 0;
    return (int64_t)rtt_ns - (int64_t)planes->ev_mean_ticks[plane] * PLANES_TICK_NS;
}

/* Returns the same for the mean of the other EVs, if all have the same weight. */
static inline int64_t planes_ev_excess_ns(
    const struct planes *planes, uint32_t plane, uint64_t rtt_ns)
{
    int64_t count = planes->ev_mean_count[plane];

    return count < 2 ? 0 : planes_ev_difference_ns(planes, plane, rtt_ns) * count / (count - 1);
}

/* Called when a packet was trimmed. It met a full queue and counts as a packet that took twice the
 * mean, once the mean is known. */
static inline void planes_on_trimmed(struct planes *planes, uint32_t plane)
{
    if (planes->mean_ticks[plane] > 0)
        planes_on_rtt(planes, plane, 2 * (uint64_t)planes->mean_ticks[plane] * PLANES_TICK_NS);
}

/* Called for each SACK. Returns true if it ends a round of at least one round trip with enough
 * samples. The first SACK after a round begins the next one. After idle time, and at the start, all
 * planes then have a round trip to answer; otherwise those whose SACK is not the first would count
 * as silent. */
static inline bool planes_on_sack(struct planes *planes, uint64_t now_ns, uint32_t rtt_ns)
{
    enum { SAMPLES_PER_PLANE = 2, ROUND_RTTS_MOST = 8 };

    if (now_ns < planes->round_end_ns)
        return false;
    if (planes->round_end_ns == 0) {
        planes->round_end_ns = now_ns + rtt_ns;
        return false;
    }
    return planes->sample_count >= SAMPLES_PER_PLANE * planes->plane_count ||
           now_ns >= planes->round_end_ns + (uint64_t)ROUND_RTTS_MOST * rtt_ns;
}

/* What the planes are compared with. */
struct planes_times {
    uint32_t base_rtt_ns;
    uint32_t target_delay_ns;           /* of congestion control */
    uint32_t window_bytes;              /* which the planes share */
    uint32_t inflight_bytes;            /* of all planes */
    const struct path_profile *profile; /* NULL: all paths are equal */
};

/* Ends the round and updates the weights. */
void planes_end_round(struct planes *, uint32_t usable, const struct planes_times *);
