/* SPDX-License-Identifier: Apache-2.0 */
/* The default algorithm: the signals of NSCC, with windows that converge to equal rates
 * (docs/protocol.md §19.6, docs/decisions/0018).
 *
 * All senders that share a queue see the same delay. Each compares it with a target that grows as
 * its own rate shrinks, so only equal rates are stable. Near and far senders, large and small
 * packets, one QP and many have the same target at the same rate, because the delay is measured
 * relative to the base RTT for the destination and packet size. Windows may be smaller than a
 * packet: see cc_gap_ns(). */
#include <string.h>

#include "cc/cc.h"

#define GROWTH         0.25  /* increase per round trip without delay, as a part of the window */
#define EMPTY          0.125 /* part of the target below which a delay counts as no delay */
#define TARGET_ALONE   0.9   /* target of a sender at full rate, as a part of the target delay */
#define SLOPE          0.18  /* the target grows by this part each time the rate falls by e */
#define VARIED_ALONE   0.8   /* the same two if paths vary */
#define VARIED_SLOPE   0.6
#define VARIED_MOST    1.4 /* up to this target; further ones are as usual */
#define TARGET_MOST    1.9 /* largest target, as a multiple of the target delay */
#define PACKET_SLOPE   0.4 /* the same for targets in packet times: queues hold more there */
#define PACKET_MOST    2.4
#define CROWD_FALLS    2.0 /* falls of the rate by e at PACKET_SLOPE; further ones at CROWD_SLOPE */
#define CROWD_SLOPE    0.2
#define SHARE_SLOPE    0.5    /* further growth below two planned shares, and ... */
#define BELOW_SLOPE    2.5    /* ... in addition below one, each time the rate falls by e */
#define BELOW_MOST     3.0    /* largest further growth */
#define LOW_MOST       1.0    /* the same at full ports of the receiver */
#define AVERAGE_LEAST  0.0125 /* weight of a sample in the average delay */
#define AVERAGE_MOST   0.5
#define SAMPLE_MOST    2.0  /* largest sample, in targets: one slow path must not stop the others */
#define CEILING_GROWTH 0.01 /* increase per round trip, as a part of the ceiling */
#define CEILING_WEIGHT 0.0625 /* weight of a lower peak */
#define CEILING_LEAST  0.5    /* smallest part of the target to which a ceiling lowers it */
#define FULL_CUT       0.3 /* cut after a full queue at the target delay, as a part of the window */
#define LN2            0.6931

enum {
    PEAK_SAMPLES = 8,  /* samples that measure a full queue */
    PEAKS_LEAST = 3,   /* peaks in succession that make a ceiling: bursts end sooner */
    PEAKS_APART = 16,  /* largest distance of two peaks, in round trips */
    LEFT_PACKETS = 4,  /* what the loss of a whole window leaves */
    SMALL_PACKETS = 8, /* windows below this grow in proportion to their size */
    TRIPS_MOST = 8,    /* largest number of round trips that one acknowledgement represents */
};

/* The state, stored in cc->state, which is declared as words. */
struct __attribute__((may_alias)) fair {
    double average_delay_ns;
    uint64_t last_decrease_ns;
    uint64_t last_ack_ns;        /* time of the last sample */
    uint64_t uncongested_bytes;  /* received in succession with a delay of about zero */
    double ceiling_ns;           /* delay of a full queue; 0: not known */
    double peak_delay_ns;        /* longest delay since a queue was full */
    uint64_t peak_end_ns;        /* delays are compared at least until then */
    uint32_t peak_samples;       /* ... and for this many samples; 0: no comparison */
    uint32_t peaks;              /* peaks in succession, up to PEAKS_LEAST */
    uint32_t saved_window_bytes; /* window before the penalty of the receiver; 0: none */
    uint32_t covered_bytes;      /* bytes of losses that the last decrease covers */
    uint32_t destination_count;  /* of the last acknowledgement; 0: there was none */
    uint8_t penalty;             /* of the last acknowledgement */
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

/* Returns the binary logarithm of a positive number, within 0.09: its exponent plus its fraction.
 * The result is continuous and increasing, which is sufficient here. */
static double log2_about(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    return (double)(bits >> 52) - 1023 +
           (double)(bits & ((UINT64_C(1) << 52) - 1)) / (double)(UINT64_C(1) << 52);
}

/* Returns the factor for all targets. The largest target, that of the slowest senders, must fit
 * below the ceiling. */
static double held_part(const struct cc *cc, const struct fair *fair)
{
    double most_ns = TARGET_MOST * cc->target_delay_ns;

    if (fair->ceiling_ns <= 0 || fair->ceiling_ns > most_ns)
        return 1;
    return fair->ceiling_ns > CEILING_LEAST * most_ns ? fair->ceiling_ns / most_ns : CEILING_LEAST;
}

/* Returns the sum of all windows of this NIC to the destination. They see the same delay and become
 * equal. */
static double shared_window(const struct cc *cc)
{
    return (double)((uint64_t)cc->window_bytes * (1u + cc->sharer_count));
}

/* Returns the target when the rate has fallen by e `falls` times. With a steeper slope, a sender
 * that passes two queues loses less to those that pass one. */
static double at_rate(double delay_ns, double slope, double most, double falls)
{
    double factor = TARGET_ALONE + slope * falls;

    return delay_ns * (factor < most ? factor : most);
}

/* As at_rate(), for targets in round trips. If paths vary, some senders have only paths over
 * several full queues, and the others must leave them more. Slow senders are as usual, because they
 * are many, and queues are short. */
static double in_trips(const struct cc *cc, double falls)
{
    double usual_ns = at_rate(cc->target_delay_ns, SLOPE, TARGET_MOST, falls);
    double steep_ns;
    double most_ns;

    if (!cc->paths_vary)
        return usual_ns;
    steep_ns = cc->target_delay_ns * (VARIED_ALONE + VARIED_SLOPE * falls);
    most_ns = cc->target_delay_ns * VARIED_MOST;
    if (most_ns < usual_ns)
        most_ns = usual_ns;
    return steep_ns < most_ns ? steep_ns : most_ns;
}

/* Returns the planned share, as a part of the link. A slow destination receives no more than its
 * rate, and that counts by half, as the rate of the link does. */
static double planned_part(const struct cc *cc)
{
    double most = 0.5 / cc->slower;

    return cc->profile->share_part < most ? cc->profile->share_part : most;
}

/* Senders that meet at full ports of the receiver may all have less than the plan promises. */
static double further_most(uint8_t penalty)
{
    if (penalty > CC_PENALTY_LOW)
        return 0;
    return penalty == CC_PENALTY_LOW ? LOW_MOST : BELOW_MOST;
}

/* Returns by how much the target grows further, as a part of the target delay, for a sender with
 * less than the plan promises if all NICs send. It passes several full queues, and sees the sum of
 * their delays. */
static double below_share(
    const struct cc *cc, const struct fair *fair, double window_bytes, double full_bytes)
{
    double share_bytes = full_bytes * planned_part(cc);
    double most = further_most(fair->penalty);
    double falls;
    double part;

    window_bytes *= fair->destination_count;
    if (window_bytes >= 2 * share_bytes || window_bytes <= 0)
        return 0;
    falls = LN2 * log2_about(share_bytes / window_bytes);
    part = SHARE_SLOPE * (LN2 + falls) + BELOW_SLOPE * (falls > 0 ? falls : 0);
    return part < most ? part : most;
}

/* Returns the target. Rates are compared with the rate for which the profile was made, not with
 * that of the ports that are up, so that all senders use the same reference. For a destination that
 * is slower than any link, targets grow further, because its senders share its rate. */
static double target_ns(const struct cc *cc, const struct fair *fair)
{
    double full_bytes = (cc->base_rtt_ns + fair->average_delay_ns) * cc->profile->bytes_per_ns;
    double window_bytes = shared_window(cc);
    double falls = window_bytes < full_bytes ? LN2 * log2_about(full_bytes / window_bytes) : 0;
    double trips_ns = in_trips(cc, falls);
    double steep = falls < CROWD_FALLS ? falls : CROWD_FALLS;
    double most = PACKET_MOST + (cc->slower > 1 ? CROWD_SLOPE * LN2 * log2_about(cc->slower) : 0);
    double packets_ns = at_rate(
        cc->packets_ns, PACKET_SLOPE, most, steep + (falls - steep) * (CROWD_SLOPE / PACKET_SLOPE));
    double further = below_share(cc, fair, window_bytes, full_bytes);
    double usual_ns = trips_ns > packets_ns ? trips_ns : packets_ns;

    return held_part(cc, fair) * (usual_ns + further * cc->target_delay_ns);
}

/* Called when a queue was full. The longest delay among the next samples is the ceiling, if the
 * queue is full repeatedly. */
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

/* Raises the ceiling until it has no effect: queues may have become longer, or free of other
 * packets. Losses that are found late set a ceiling that is too low, because the queue has drained
 * by then. A sender with less than a packet per round trip does not fill the queue: if its packets
 * arrive after longer delays, the others have a higher ceiling, which is adopted. */
static void grow_ceiling(const struct cc *cc, struct fair *fair, double trips, double delay_ns)
{
    double most_ns = TARGET_MOST * cc->target_delay_ns;

    fair->ceiling_ns *= 1 + CEILING_GROWTH * trips;
    if (fair->ceiling_ns < delay_ns && cc->window_bytes < settings_of(cc)->mtu_bytes)
        fair->ceiling_ns = delay_ns;
    if (fair->ceiling_ns > most_ns)
        fair->ceiling_ns = most_ns;
}

static void end_peak(struct fair *fair)
{
    fair->peak_samples = 0;
    if (fair->peaks < PEAKS_LEAST - 1) {
        fair->peaks++;
        return;
    }
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

/* Returns the number of round trips that this acknowledgement represents. With windows smaller than
 * a packet, acknowledgements are several round trips apart. If each counted as one, larger windows
 * would grow faster. */
static double round_trips(const struct cc *cc, const struct cc_ack *ack)
{
    const struct fair *fair = (const struct fair *)(const void *)cc->state;
    double elapsed_ns = (double)(ack->now_ns - fair->last_ack_ns);
    double trips = elapsed_ns / (cc->base_rtt_ns + fair->average_delay_ns);

    if (ack->received_bytes < cc->window_bytes)
        return (double)ack->received_bytes / cc->window_bytes;
    return trips < 1 ? 1 : trips < TRIPS_MOST ? trips : TRIPS_MOST;
}

/* Averages over about one round trip, for any window. */
static void update_average(const struct cc *cc, struct fair *fair, double delay_ns, uint32_t bytes)
{
    double weight = (double)bytes / cc->window_bytes;

    if (weight < AVERAGE_LEAST)
        weight = AVERAGE_LEAST;
    if (weight > AVERAGE_MOST)
        weight = AVERAGE_MOST;
    fair->average_delay_ns += weight * (delay_ns - fair->average_delay_ns);
}

/* ---- changes of the window ------------------------------------------------------------------- */

/* Applies the penalty of the receiver (§20). An acknowledgement of more than the window counts as
 * one window. What is in flight does not matter: between messages, it is little. */
static void apply_penalty(struct cc *cc, const struct cc_ack *ack)
{
    struct fair *fair = fair_of(cc);
    double step_bytes;

    fair->penalty = ack->penalty;
    if (ack->penalty <= CC_PENALTY_GROWS) {
        if (fair->saved_window_bytes != 0 && ack->restore)
            cc_set_window(cc, fair->saved_window_bytes);
        fair->saved_window_bytes = 0;
        return;
    }
    if (fair->saved_window_bytes == 0)
        fair->saved_window_bytes = cc->window_bytes;
    step_bytes = ack->received_bytes < cc->window_bytes ? ack->received_bytes : cc->window_bytes;
    cc_set_window(cc, cc->window_bytes - ack->penalty * step_bytes / 128);
}

/* Shrinks the window. This covers a part of the losses of a round trip. */
static void shrink_window(struct cc *cc, double factor, uint64_t now_ns)
{
    struct fair *fair = fair_of(cc);

    fair->covered_bytes = SMALL_PACKETS * settings_of(cc)->mtu_bytes;
    fair->last_decrease_ns = now_ns;
    cc_set_window(cc, factor * cc->window_bytes);
}

/* Decreases the window, at most once for packets that were sent before the last decrease. */
static void decrease_window(struct cc *cc, double delay_ns, double target, uint64_t now_ns)
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
    shrink_window(cc, factor > least_factor ? factor : least_factor, now_ns);
}

/* True after a whole window without queueing: the network is empty, and the window may double per
 * round trip. */
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

/* Returns the additive increase. It does not depend on the window, so that small windows catch up,
 * except for very small windows, of which there are many. Senders with shorter round trips add the
 * same to their rate in the same time. */
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

/* Increases the window in proportion to its size and to the distance between delay and target. All
 * senders increase by the same part, so that the queue does not oscillate. */
static void increase_window(struct cc *cc, const struct cc_ack *ack, double delay_ns, double target)
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
    fair->destination_count = ack->destination_count;
    if (ack->rtt_ns == 0) /* no sample */
        return;
    cc->delay_ns = (uint32_t)delay_ns;
    target = target_ns(cc, fair);
    most_ns = SAMPLE_MOST * target;
    update_average(cc, fair, delay_ns < most_ns ? delay_ns : most_ns, ack->received_bytes);
    if (fair->ceiling_ns > 0)
        grow_ceiling(cc, fair, round_trips(cc, ack), delay_ns);
    update_ceiling(fair, delay_ns, ack->now_ns);
    if (delay_ns >= target)
        decrease_window(cc, delay_ns, target, ack->now_ns);
    else if (ack->penalty <= CC_PENALTY_GROWS) /* marks are ignored: the delay says more, and marks
                                   would keep small windows small */
        increase_window(cc, ack, delay_ns, target);
    fair->last_ack_ns = ack->now_ns;
}

/* If much of a window is lost, reduces it to what got through, and at least a few packets: a sender
 * whose first window came too late for the queue would otherwise be far behind the others. */
static void cut_packet(struct cc *cc, uint32_t packet_bytes)
{
    struct fair *fair = fair_of(cc);
    uint32_t least_bytes = LEFT_PACKETS * settings_of(cc)->mtu_bytes;
    double left_bytes = (double)cc->window_bytes - packet_bytes;

    if (fair->covered_bytes >= packet_bytes)
        fair->covered_bytes -= packet_bytes;
    else if (cc->window_bytes > least_bytes)
        cc_set_window(cc, left_bytes > least_bytes ? left_bytes : least_bytes);
}

/* Cuts the window after a full queue, once per round trip, and less for slower senders. If all
 * senders lost the same part, or what they sent in excess, those that are ahead would stay ahead.
 * One lost packet of a large window costs a few packets at most. */
static void cut_window(struct cc *cc, uint32_t packet_bytes, uint64_t now_ns)
{
    struct fair *fair = fair_of(cc);
    double since_ns = (double)(now_ns - fair->last_decrease_ns);
    double part = FULL_CUT * held_part(cc, fair) * cc->target_delay_ns / target_ns(cc, fair);
    double most = (double)SMALL_PACKETS * settings_of(cc)->mtu_bytes / cc->window_bytes;

    if (since_ns > cc->base_rtt_ns + fair->average_delay_ns)
        shrink_window(cc, 1 - (part < most ? part : most), now_ns);
    else
        cut_packet(cc, packet_bytes);
}

static void on_nack(struct cc *cc, const struct cc_nack *nack)
{
    struct fair *fair = fair_of(cc);

    if (!nack->trimmed)
        return;
    /* The packet met a full queue and counts as a round trip of delay (§19.4). */
    update_average(cc, fair, settings_of(cc)->base_rtt_ns, nack->packet_bytes);
    meet_ceiling(cc, fair, nack->now_ns);
    cut_window(cc, nack->packet_bytes, nack->now_ns);
}

/* Called only for losses that may come from a full queue. */
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
    .untrimmed_start_rtts = 0.25,
    .least_part = 16,
    .on_ack = on_ack,
    .on_nack = on_nack,
    .on_inferred_loss = on_inferred_loss,
};
