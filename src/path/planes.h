/* SPDX-License-Identifier: Apache-2.0 */
/* Planes towards one destination: how much of the window each may hold. A plane is judged by what
 * it delivers: the share of one whose packets take longer than those of the others shrinks until
 * all take equally long (docs/protocol.md §14.1). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct path_profile;

#define PATH_PLANE_COUNT_MAX 8
#define PLANES_EQUAL         4096 /* the weight of a plane like any other */
#define PLANES_LEAST         (PLANES_EQUAL / 256)
#define PLANES_TICK_NS       64

struct planes {
    uint32_t inflight_bytes[PATH_PLANE_COUNT_MAX];
    uint32_t rtt_ticks[PATH_PLANE_COUNT_MAX]; /* round trips measured in this round, together */
    uint16_t count[PATH_PLANE_COUNT_MAX];     /* how many these are */
    uint16_t weight[PATH_PLANE_COUNT_MAX];
    uint32_t
        mean_ns[PATH_PLANE_COUNT_MAX]; /* their mean, in the last round that had any; 0: none */
    uint32_t ev_ticks[PATH_PLANE_COUNT_MAX]; /* as rtt_ticks, the first of each EV in this round */
    uint16_t ev_count[PATH_PLANE_COUNT_MAX];
    uint32_t ev_mean_ns[PATH_PLANE_COUNT_MAX]; /* their mean, in the last round that had several */
    uint16_t ev_mean_count[PATH_PLANE_COUNT_MAX];
    uint32_t held[PATH_PLANE_COUNT_MAX]; /* in flight, in bytes of a plane of equal weight; planes
                                          * that do not exist hold as much as can be */
    uint64_t round_end_ns;
    uint32_t weight_sum;   /* of the planes in weighed_mask */
    uint16_t sample_count; /* of all planes */
    uint8_t heard_mask;    /* planes of which a packet was acknowledged in this round */
    uint8_t plane_count;
    uint8_t turn;         /* the plane that comes first among equals; beyond the last: plane 0 */
    uint8_t weighed_mask; /* 0: weights have changed, and `held` is to follow */
};

void planes_init(struct planes *, uint32_t plane_count);
/* Begins, or begins anew if no round is over yet, with the weights of a profile, whose mean is
 * PLANES_EQUAL. A plane with longer paths holds more by that part. Weights move as any. */
void planes_start_with(struct planes *, const struct path_profile *, uint32_t base_rtt_ns);

/* Of the planes in `ready` that have room in their share of the window, which those in `usable`
 * divide, the one that holds least for its weight; PATH_NONE: there is none. */
uint32_t planes_choose(struct planes *, uint32_t ready, uint32_t usable, uint32_t window_bytes);

/* For planes.c: what the plane holds, or its weight, has changed. */
static inline void planes_weigh(struct planes *planes, uint32_t plane)
{
    uint64_t held = (uint64_t)planes->inflight_bytes[plane] * PLANES_EQUAL / planes->weight[plane];

    planes->held[plane] = held < UINT32_MAX ? (uint32_t)held : UINT32_MAX;
}

static inline void planes_on_sent(struct planes *planes, uint32_t plane, uint32_t bytes)
{
    planes->inflight_bytes[plane] += bytes;
    planes_weigh(planes, plane);
}

/* A packet was acknowledged or is taken for lost. */
static inline void planes_on_gone(struct planes *planes, uint32_t plane, uint32_t bytes)
{
    planes->inflight_bytes[plane] -= bytes;
    planes_weigh(planes, plane);
}

/* A packet was acknowledged. */
static inline void planes_on_delivered(struct planes *planes, uint32_t plane)
{
    planes->heard_mask |= (uint8_t)(1u << plane);
}

/* The round trip of a packet that was answered at once. Others say nothing: they wait for their
 * SACK. */
static inline void planes_on_rtt(struct planes *planes, uint32_t plane, uint64_t rtt_ns)
{
    if (planes->count[plane] == UINT16_MAX || rtt_ns / PLANES_TICK_NS > UINT16_MAX)
        return;
    planes->rtt_ticks[plane] += (uint32_t)(rtt_ns / PLANES_TICK_NS);
    planes->count[plane]++;
    planes->sample_count++;
}

/* The first round trip of an EV in this round. SACKs answer packets of crowded paths more often
 * than others: counted once, each EV weighs the same. */
static inline void planes_on_ev_rtt(struct planes *planes, uint32_t plane, uint64_t rtt_ns)
{
    if (planes->ev_count[plane] == UINT16_MAX || rtt_ns / PLANES_TICK_NS > UINT16_MAX)
        return;
    planes->ev_ticks[plane] += (uint32_t)(rtt_ns / PLANES_TICK_NS);
    planes->ev_count[plane]++;
}

/* By how much an EV's round trip is longer than the mean of the others; 0: not known. */
static inline int64_t planes_ev_excess_ns(
    const struct planes *planes, uint32_t plane, uint64_t rtt_ns)
{
    int64_t count = planes->ev_mean_count[plane];
    int64_t excess_ns = (int64_t)rtt_ns - planes->ev_mean_ns[plane];

    return count < 2 ? 0 : excess_ns * count / (count - 1);
}

/* A packet was trimmed: it met a queue that is full, and counts as one that took twice as long as
 * others do, once it is known how long they take. */
static inline void planes_on_trimmed(struct planes *planes, uint32_t plane)
{
    if (planes->mean_ns[plane] > 0)
        planes_on_rtt(planes, plane, 2 * (uint64_t)planes->mean_ns[plane]);
}

/* A round of at least a round trip is over, and has enough to tell. */
static inline bool planes_round_is_over(
    const struct planes *planes, uint64_t now_ns, uint32_t rtt_ns)
{
    enum { SAMPLES_PER_PLANE = 2, ROUND_RTTS_MOST = 8 };

    if (now_ns < planes->round_end_ns)
        return false;
    return planes->sample_count >= SAMPLES_PER_PLANE * planes->plane_count ||
           now_ns >= planes->round_end_ns + (uint64_t)ROUND_RTTS_MOST * rtt_ns;
}

/* What round trips are compared with. */
struct planes_times {
    uint32_t rtt_ns; /* now; the next round takes this or longer */
    uint32_t base_rtt_ns;
    uint32_t target_delay_ns;           /* at which congestion control aims */
    const struct path_profile *profile; /* NULL: all paths are equal */
};

/* Then weights follow. */
void planes_end_round(
    struct planes *, uint32_t usable, uint64_t now_ns, const struct planes_times *);
