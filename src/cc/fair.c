/* SPDX-License-Identifier: Apache-2.0 */
/* The default: NSCC's signals, with windows that come to equal rates (docs/protocol.md §19.6,
 * docs/decisions/0018).
 *
 * All senders that meet in a queue see the same delay. Each compares it with a target that grows as
 * its own rate shrinks, so only equal rates rest. Near and far senders, large and small packets,
 * one QP and many have the same target at the same rate, because delay is what a packet took beyond
 * the base RTT of its destination and size. Windows may be smaller than a packet: see cc_gap_ns().
 */
#include <string.h>

#include "cc/cc.h"

#define GROWTH         0.25  /* of the window, in a round trip without any delay */
#define EMPTY          0.125 /* part of the target below which a delay counts as none */
#define TARGET_ALONE   0.9   /* part of the target delay that a sender at full rate aims at */
#define SLOPE          0.18  /* the target grows by this part each time the rate falls by e */
#define TARGET_MOST    1.9   /* times the target delay */
#define PACKET_SLOPE   0.4 /* the same where packet times are the measure: queues hold more there */
#define PACKET_MOST    2.4
#define CROWD_FALLS    2.0 /* so often the rate falls by e at that slope, from then on: */
#define CROWD_SLOPE    0.2
#define AVERAGE_LEAST  0.0125 /* weight of a sample in the average delay */
#define AVERAGE_MOST   0.5
#define SAMPLE_MOST    2.0    /* targets: one slow path among many must not stop the others */
#define CEILING_GROWTH 0.01   /* of the ceiling, in a round trip */
#define CEILING_WEIGHT 0.0625 /* of a lower peak */
#define CEILING_LEAST  0.5    /* part of the target below which no ceiling takes it */
#define FULL_CUT       0.3    /* of the window, at the target delay, when a queue was full */
#define LN2            0.6931

enum {
    PEAK_SAMPLES = 8,  /* that tell how much a full queue holds */
    PEAKS_LEAST = 3,   /* one after the other, for a ceiling: bursts are over sooner */
    PEAKS_APART = 16,  /* in round trips, at most */
    SMALL_PACKETS = 8, /* windows below this grow in proportion, however small */
    TRIPS_MOST = 8,    /* that one acknowledgement stands for */
};

/* Lives in cc->state, which is declared as words. */
struct __attribute__((may_alias)) fair {
    double average_delay_ns;
    uint64_t last_decrease_ns;
    uint64_t last_ack_ns;        /* of the last sample */
    uint64_t uncongested_bytes;  /* received in a row with a delay of about zero */
    double ceiling_ns;           /* the delay of a full queue, as far as one was met; 0: none was */
    double peak_delay_ns;        /* the longest since a queue was full */
    uint64_t peak_end_ns;        /* until then at least delays are compared */
    uint32_t peak_samples;       /* and until these have come; 0: no delays are compared */
    uint32_t peaks;              /* one after the other, up to PEAKS_LEAST */
    uint32_t saved_window_bytes; /* from before the receiver's penalty; 0: there is none */
    uint32_t covered_bytes;      /* of losses that the last decrease answers */
};

_Static_assert(sizeof(struct fair) <= CC_STATE_WORDS * sizeof(uint64_t), "it lives in cc->state");

static struct fair *fair_of(struct cc *cc)
{
    return (struct fair *)(void *)cc->state;
}

static const struct cc_settings *settings_of(const struct cc *cc)
{
    return &cc->profile->settings;
}

static uint64_t less(uint64_t from, uint64_t bytes)
{
    return from > bytes ? from - bytes : 0;
}

/* ---- the target ------------------------------------------------------------------------------ */

/* The binary logarithm of a positive number, within 0.09: its exponent, and its fraction for what
 * lies between two powers. Continuous and increasing, which is what matters here. */
static double log2_about(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    return (double)(bits >> 52) - 1023 +
           (double)(bits & ((UINT64_C(1) << 52) - 1)) / (double)(UINT64_C(1) << 52);
}

/* The part of all targets that is aimed at. The largest one, of the slowest senders, is to fit
 * below the ceiling. */
static double held_part(const struct cc *cc, const struct fair *fair)
{
    double most_ns = TARGET_MOST * cc->target_delay_ns;

    if (fair->ceiling_ns <= 0 || fair->ceiling_ns > most_ns)
        return 1;
    return fair->ceiling_ns > CEILING_LEAST * most_ns ? fair->ceiling_ns / most_ns : CEILING_LEAST;
}

/* Of all windows of this NIC to the destination, which see the same delay and come to be equal. */
static double shared_window(const struct cc *cc)
{
    return (double)cc->window_bytes * (1u + cc->sharer_count);
}

/* The delay to aim at when the rate has fallen by e `falls` times. The steeper, the less a sender
 * that meets two queues loses to those that meet one of them. */
static double at_rate(double delay_ns, double slope, double most, double falls)
{
    double factor = TARGET_ALONE + slope * falls;

    return delay_ns * (factor < most ? factor : most);
}

/* Rates are compared with the rate that all NICs of the network are made for, not with what is up
 * here at the moment: senders that meet must mean the same. To a destination that is slower than
 * any link, targets grow further: its senders share what it receives. */
static double target_ns(const struct cc *cc, const struct fair *fair)
{
    double full_bytes = (cc->base_rtt_ns + fair->average_delay_ns) * cc->profile->bytes_per_ns;
    double window_bytes = shared_window(cc);
    double falls = window_bytes < full_bytes ? LN2 * log2_about(full_bytes / window_bytes) : 0;
    double trips_ns = at_rate(cc->target_delay_ns, SLOPE, TARGET_MOST, falls);
    double steep = falls < CROWD_FALLS ? falls : CROWD_FALLS;
    double most = PACKET_MOST + (cc->slower > 1 ? CROWD_SLOPE * LN2 * log2_about(cc->slower) : 0);
    double packets_ns = at_rate(
        cc->packets_ns, PACKET_SLOPE, most, steep + (falls - steep) * (CROWD_SLOPE / PACKET_SLOPE));

    return held_part(cc, fair) * (trips_ns > packets_ns ? trips_ns : packets_ns);
}

/* A queue is full: the longest delay among the next samples is all that it holds, if it is full
 * again and again. */
static void meet_ceiling(const struct cc *cc, struct fair *fair, uint64_t now_ns)
{
    uint64_t trip_ns = cc->base_rtt_ns + cc->target_delay_ns;

    if (fair->peak_samples > 0)
        return;
    if (now_ns > fair->peak_end_ns + PEAKS_APART * trip_ns)
        fair->peaks = 0;
    fair->peak_end_ns = now_ns + trip_ns;
    fair->peak_samples = PEAK_SAMPLES;
    fair->peak_delay_ns = 0;
}

/* It grows until it no longer matters: queues may have become longer, or free of others' packets.
 */
static void grow_ceiling(const struct cc *cc, struct fair *fair, double trips)
{
    double most_ns = TARGET_MOST * cc->target_delay_ns;

    fair->ceiling_ns *= 1 + CEILING_GROWTH * trips;
    if (fair->ceiling_ns > most_ns)
        fair->ceiling_ns = most_ns;
}

static void end_peak(struct fair *fair)
{
    fair->peak_samples = 0;
    if (fair->peaks < PEAKS_LEAST)
        fair->peaks++;
    if (fair->peaks < PEAKS_LEAST)
        return;
    if (fair->ceiling_ns < fair->peak_delay_ns)
        fair->ceiling_ns = fair->peak_delay_ns;
    else
        fair->ceiling_ns += CEILING_WEIGHT * (fair->peak_delay_ns - fair->ceiling_ns);
}

static void update_ceiling(struct fair *fair, double delay_ns, uint64_t now_ns)
{
    if (fair->peak_samples == 0)
        return;
    if (fair->peak_delay_ns < delay_ns)
        fair->peak_delay_ns = delay_ns;
    if (fair->peak_samples > 1)
        fair->peak_samples--;
    else if (now_ns >= fair->peak_end_ns)
        end_peak(fair);
}

/* The part of a round trip for which this acknowledgement stands. Packets of windows smaller than
 * one are several round trips apart: were each to count as one, larger windows would grow faster.
 */
static double round_trips(const struct cc *cc, const struct cc_ack *ack)
{
    const struct fair *fair = (const struct fair *)(const void *)cc->state;
    double elapsed_ns = (double)(ack->now_ns - fair->last_ack_ns);
    double trips = elapsed_ns / (cc->base_rtt_ns + fair->average_delay_ns);

    if (ack->received_bytes < cc->window_bytes)
        return (double)ack->received_bytes / cc->window_bytes;
    return trips < 1 ? 1 : trips < TRIPS_MOST ? trips : TRIPS_MOST;
}

/* Averages over about a round trip, whatever the window. */
static void update_average(const struct cc *cc, struct fair *fair, double delay_ns, uint32_t bytes)
{
    double weight = (double)bytes / cc->window_bytes;

    if (weight < AVERAGE_LEAST)
        weight = AVERAGE_LEAST;
    if (weight > AVERAGE_MOST)
        weight = AVERAGE_MOST;
    fair->average_delay_ns += weight * (delay_ns - fair->average_delay_ns);
}

/* ---- how the window moves -------------------------------------------------------------------- */

/* §20. What an acknowledgement of more than the window tells counts as one window. */
static void apply_penalty(struct cc *cc, const struct cc_ack *ack)
{
    struct fair *fair = fair_of(cc);
    double used_bytes = (double)ack->inflight_bytes + ack->received_bytes;
    double step_bytes;

    if (ack->penalty == 0) {
        if (fair->saved_window_bytes != 0 && ack->restore)
            cc_set_window(cc, fair->saved_window_bytes);
        fair->saved_window_bytes = 0;
        return;
    }
    if (fair->saved_window_bytes == 0)
        fair->saved_window_bytes = cc->window_bytes;
    if (used_bytes < cc->window_bytes)
        cc_set_window(cc, used_bytes);
    step_bytes = ack->received_bytes < cc->window_bytes ? ack->received_bytes : cc->window_bytes;
    cc_set_window(cc, cc->window_bytes - ack->penalty * step_bytes / 128);
}

/* This answers some losses of a round trip. */
static void shrink(struct cc *cc, double factor, uint64_t now_ns)
{
    struct fair *fair = fair_of(cc);

    fair->covered_bytes = SMALL_PACKETS * settings_of(cc)->mtu_bytes;
    fair->last_decrease_ns = now_ns;
    cc_set_window(cc, factor * cc->window_bytes);
}

/* At most once for packets that were sent before the last decrease. */
static void decrease(struct cc *cc, double delay_ns, double target, uint64_t now_ns)
{
    struct fair *fair = fair_of(cc);
    const struct cc_settings *settings = settings_of(cc);
    double since_ns = (double)(now_ns - fair->last_decrease_ns);
    double average_ns = fair->average_delay_ns;
    double least_factor = 1e-3 * settings->max_md_jump_permille;
    double factor;

    fair->uncongested_bytes = 0;
    if (average_ns <= target || since_ns <= cc->base_rtt_ns + delay_ns)
        return;
    factor = 1 - 1e-3 * settings->gamma_permille * (average_ns - target) / average_ns;
    shrink(cc, factor > least_factor ? factor : least_factor, now_ns);
}

/* A whole window without queueing: the network is empty, and the window may double in a round trip.
 */
static bool increases_fast(struct cc *cc, uint32_t received_bytes, double delay_ns)
{
    struct fair *fair = fair_of(cc);

    if (delay_ns >= cc->target_delay_ns * EMPTY) {
        fair->uncongested_bytes = 0;
        return false;
    }
    fair->uncongested_bytes += received_bytes;
    return fair->uncongested_bytes > cc->window_bytes;
}

/* A little that does not depend on the window, so that small ones catch up; but very small windows
 * are many, and then it does. Senders with shorter round trips add as much to their rate in the
 * same time, not more. */
static double additive_share(const struct cc *cc)
{
    const struct fair *fair = (const struct fair *)(const void *)cc->state;
    double small_bytes = (double)SMALL_PACKETS * settings_of(cc)->mtu_bytes;
    double window_bytes = shared_window(cc);
    double bytes = window_bytes > small_bytes ? window_bytes : small_bytes;
    double shorter = (cc->base_rtt_ns + fair->average_delay_ns) /
                     (settings_of(cc)->base_rtt_ns + fair->average_delay_ns);

    return settings_of(cc)->eta_bytes * cc->link_share * shorter * shorter / bytes;
}

/* In proportion to the window and to how far the delay is below the target; with many senders, each
 * of the same part, the queue does not swing. */
static void increase(struct cc *cc, const struct cc_ack *ack, double delay_ns, double target)
{
    double growth = GROWTH * (1 - delay_ns / target) + additive_share(cc);

    if (increases_fast(cc, ack->received_bytes, delay_ns) && growth < 1)
        growth = 1;
    cc_set_window(cc, cc->window_bytes * (1 + growth * round_trips(cc, ack)));
}

static void on_ack(struct cc *cc, const struct cc_ack *ack)
{
    struct fair *fair = fair_of(cc);
    double delay_ns = (double)less(ack->rtt_ns, cc->base_rtt_ns);
    double most_ns;
    double target;

    apply_penalty(cc, ack);
    if (ack->rtt_ns == 0) /* no sample, no news */
        return;
    target = target_ns(cc, fair);
    most_ns = SAMPLE_MOST * target;
    update_average(cc, fair, delay_ns < most_ns ? delay_ns : most_ns, ack->received_bytes);
    if (fair->ceiling_ns > 0)
        grow_ceiling(cc, fair, round_trips(cc, ack));
    update_ceiling(fair, delay_ns, ack->now_ns);
    if (delay_ns >= target)
        decrease(cc, delay_ns, target, ack->now_ns);
    else if (ack->penalty == 0) /* a mark says less than the delay: were it to stop small windows,
                                   they would stay small */
        increase(cc, ack, delay_ns, target);
    fair->last_ack_ns = ack->now_ns;
}

/* Where much of a window is lost, it becomes what got through, and at least a packet. */
static void cut_packet(struct cc *cc, uint32_t packet_bytes)
{
    struct fair *fair = fair_of(cc);
    uint32_t mtu_bytes = settings_of(cc)->mtu_bytes;
    double left_bytes = (double)cc->window_bytes - packet_bytes;

    if (fair->covered_bytes >= packet_bytes)
        fair->covered_bytes -= packet_bytes;
    else if (cc->window_bytes > mtu_bytes)
        cc_set_window(cc, left_bytes > mtu_bytes ? left_bytes : mtu_bytes);
}

/* A queue was full. Once in a round trip, and by a smaller part the slower the sender: if each lost
 * the same part, or what it sent too much, those that are ahead would stay ahead. But one packet of
 * a large window is little, and takes some packets at most. */
static void cut_window(struct cc *cc, uint32_t packet_bytes, uint64_t now_ns)
{
    struct fair *fair = fair_of(cc);
    double since_ns = (double)(now_ns - fair->last_decrease_ns);
    double part = FULL_CUT * held_part(cc, fair) * cc->target_delay_ns / target_ns(cc, fair);
    double most = (double)SMALL_PACKETS * settings_of(cc)->mtu_bytes / cc->window_bytes;

    if (since_ns > cc->base_rtt_ns + fair->average_delay_ns)
        shrink(cc, 1 - (part < most ? part : most), now_ns);
    else
        cut_packet(cc, packet_bytes);
}

static void on_nack(struct cc *cc, const struct cc_nack *nack)
{
    struct fair *fair = fair_of(cc);

    if (!nack->trimmed)
        return;
    /* It met a full queue, and counts as a round trip of delay (§19.4). */
    update_average(cc, fair, settings_of(cc)->base_rtt_ns, nack->packet_bytes);
    meet_ceiling(cc, fair, nack->now_ns);
    cut_window(cc, nack->packet_bytes, nack->now_ns);
}

/* Told only of losses that may be a queue that overflowed. */
static void on_inferred_loss(struct cc *cc, uint32_t packet_bytes, uint64_t now_ns)
{
    meet_ceiling(cc, fair_of(cc), now_ns);
    cut_window(cc, packet_bytes, now_ns);
}

const struct cc_algorithm cc_fair = {
    .name = "fair",
    .api_name = "openmrc-fair",
    .target_rtts = 0.8,
    .untrimmed_target_rtts = 0.8,
    .target_packets = 10,
    .limit_rtts = 1.0,
    .limit_targets = 1.0,
    .start_rtts = 1.0,
    .least_part = 16,
    .on_ack = on_ack,
    .on_nack = on_nack,
    .on_inferred_loss = on_inferred_loss,
};
