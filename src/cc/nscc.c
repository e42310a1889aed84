/* SPDX-License-Identifier: Apache-2.0 */
/* NSCC, network-signalled congestion control, as published: ECN and delay, with two values each,
 * select the change of the window (docs/protocol.md §19, §20; MRC 1.0 Table 8-1). */
#include "cc/cc.h"

/* Weight of a new sample in the average delay. UET leaves it open; this is the value of htsim
 * (§19.3). */
#define AVERAGE_WEIGHT 0.0125

/* The state, stored in cc->state, which is declared as words. */
struct __attribute__((may_alias)) nscc {
    double average_delay_ns;
    double increase_bytes2;  /* inc_bytes: accumulated and not yet applied, in bytes squared */
    uint64_t received_bytes; /* since the increase was last applied */
    uint64_t last_adjust_ns;
    uint64_t last_decrease_ns;
    uint64_t quick_adapt_end_ns; /* 0: before the first period */
    uint64_t achieved_bytes;     /* received in this period of quick adapt */
    uint64_t ignore_bytes;      /* sent before the last quick adapt, not yet acknowledged or lost */
    uint64_t uncongested_bytes; /* fi_count: received in succession with a delay of about zero */
    uint32_t saved_window_bytes; /* window before the penalty of the receiver; 0: none */
    bool increases_fast;
    bool quick_adapt_wanted; /* trigger_qa: a packet was trimmed */
};

_Static_assert(sizeof(struct nscc) <= CC_STATE_WORDS * sizeof(uint64_t), "it lives in cc->state");

/* The state of the network according to one acknowledgement. */
struct feedback {
    double delay_ns;
    double target_ns;
    bool marked; /* by ECN, or by a delay that counts as a mark */
};

static struct nscc *nscc_of(struct cc *cc)
{
    return (struct nscc *)(void *)cc->state;
}

static const struct cc_settings *settings_of(const struct cc *cc)
{
    return &cc->profile->settings;
}

static uint64_t less(uint64_t from, uint64_t bytes)
{
    return from > bytes ? from - bytes : 0;
}

static void cut_window(struct cc *cc, uint64_t bytes)
{
    cc_set_window(cc, (double)cc->window_bytes - (double)bytes);
}

static void update_average(struct nscc *nscc, double delay_ns)
{
    nscc->average_delay_ns += AVERAGE_WEIGHT * (delay_ns - nscc->average_delay_ns);
}

static struct feedback read_feedback(struct cc *cc, const struct cc_ack *ack)
{
    struct nscc *nscc = nscc_of(cc);
    struct feedback feedback = {
        .delay_ns = nscc->average_delay_ns,
        .target_ns = cc->target_delay_ns,
    };
    bool delay_marks = settings_of(cc)->unmarked_delay == CC_UNMARKED_DECREASE;

    if (ack->rtt_ns != 0)
        feedback.delay_ns = (double)less(ack->rtt_ns, cc->base_rtt_ns);
    feedback.marked = ack->marked || (delay_marks && feedback.delay_ns >= feedback.target_ns);

    /* A long delay without a mark is assumed to be over and enters as a short one (§19.3). */
    if (ack->rtt_ns != 0)
        update_average(nscc, !feedback.marked && feedback.delay_ns > feedback.target_ns
                                 ? 0.25 * cc->base_rtt_ns
                                 : feedback.delay_ns);
    return feedback;
}

static void apply_penalty(struct cc *cc, const struct cc_ack *ack)
{
    struct nscc *nscc = nscc_of(cc);

    if (ack->penalty > 0) {
        /* The bytes in flight before this acknowledgement. Without the bytes that it acknowledges,
         * the smallest penalty would close the window; a penalty of 64 is meant to halve it in a
         * round trip. */
        double used_bytes = (double)ack->inflight_bytes + ack->received_bytes;

        if (nscc->saved_window_bytes == 0)
            nscc->saved_window_bytes = cc->window_bytes;
        if (used_bytes < cc->window_bytes)
            cc_set_window(cc, used_bytes);
        cut_window(cc, (uint64_t)ack->penalty * ack->received_bytes >> 7);
    } else if (nscc->saved_window_bytes != 0) {
        if (ack->restore)
            cc_set_window(cc, nscc->saved_window_bytes);
        nscc->saved_window_bytes = 0;
    }
}

/* True if this feedback must not change the window any further. */
static bool quick_adapt(
    struct cc *cc, bool congested, bool marked, uint32_t inflight_bytes, uint64_t now_ns)
{
    struct nscc *nscc = nscc_of(cc);
    const struct cc_settings *settings = settings_of(cc);
    bool adapted = false;

    if (settings->quick_adapt_off)
        return false;
    if (nscc->ignore_bytes > 0 && marked) {
        adapted = true;
    } else if (now_ns >= nscc->quick_adapt_end_ns) {
        adapted = nscc->quick_adapt_end_ns != 0 && (nscc->quick_adapt_wanted || congested) &&
                  nscc->achieved_bytes < cc->max_window_bytes >> settings->quick_adapt_gate;
        if (adapted) {
            cc_set_window(cc, (double)nscc->achieved_bytes);
            nscc->ignore_bytes = inflight_bytes;
            nscc->quick_adapt_wanted = false;
        }
        nscc->achieved_bytes = 0;
        nscc->quick_adapt_end_ns = now_ns + cc->base_rtt_ns + cc->target_delay_ns;
    }
    if (adapted) {
        nscc->increase_bytes2 = 0;
        nscc->received_bytes = 0;
    }
    return adapted;
}

/* After a whole window without queueing, the network is empty: grows the window by a share of every
 * byte. */
static void fast_increase(struct cc *cc, uint32_t received_bytes, double delay_ns)
{
    struct nscc *nscc = nscc_of(cc);
    const struct cc_settings *settings = settings_of(cc);
    double share = 1e-3 * settings->fast_scale_permille * cc->link_share;

    if (delay_ns >= settings->about_zero_ns) {
        nscc->uncongested_bytes = 0;
        nscc->increases_fast = false;
        return;
    }
    nscc->uncongested_bytes += received_bytes;
    if (nscc->uncongested_bytes > cc->window_bytes)
        nscc->increases_fast = true;
    if (nscc->increases_fast)
        cc_set_window(cc, cc->window_bytes + share * received_bytes);
}

static void multiplicative_decrease(struct cc *cc, struct feedback feedback, uint64_t now_ns)
{
    struct nscc *nscc = nscc_of(cc);
    const struct cc_settings *settings = settings_of(cc);
    double average_ns = nscc->average_delay_ns;
    double since_cut_ns = (double)(now_ns - nscc->last_decrease_ns);
    double least_factor = 1e-3 * settings->max_md_jump_permille;
    double factor;

    nscc->increases_fast = false;
    nscc->uncongested_bytes = 0;
    if (average_ns <= feedback.target_ns || since_cut_ns <= cc->base_rtt_ns)
        return;
    factor = 1 - 1e-3 * settings->gamma_permille * (average_ns - feedback.target_ns) / average_ns;
    cc_set_window(cc, cc->window_bytes * (factor > least_factor ? factor : least_factor));
    nscc->last_decrease_ns = now_ns;
}

/* Applies the quadrants of MRC 1.0 Table 8-1. A penalty stops all growth, not only the fair
 * increase: proportional and fast increase would exceed it where it is needed, at a slow receiver
 * behind an empty network. */
static void apply_quadrant(struct cc *cc, const struct cc_ack *ack, struct feedback feedback)
{
    struct nscc *nscc = nscc_of(cc);
    bool delayed = feedback.delay_ns >= feedback.target_ns;

    if (feedback.marked) {
        if (delayed)
            multiplicative_decrease(cc, feedback, ack->now_ns);
        return;
    }
    if (ack->penalty > 0)
        return;
    if (delayed) {
        nscc->increase_bytes2 += (double)settings_of(cc)->fair_increase_bytes * ack->received_bytes;
        return;
    }
    fast_increase(cc, ack->received_bytes, feedback.delay_ns);
    if (!nscc->increases_fast)
        nscc->increase_bytes2 += cc->profile->alpha_bytes_per_ns * ack->received_bytes *
                                 (feedback.target_ns - feedback.delay_ns);
}

static void fulfil_increase(struct cc *cc, uint64_t now_ns)
{
    struct nscc *nscc = nscc_of(cc);
    const struct cc_settings *settings = settings_of(cc);
    bool period_over = now_ns - nscc->last_adjust_ns >= settings->adjust_period_ns;
    double bytes;

    if (!period_over && nscc->received_bytes <= settings->adjust_bytes)
        return;
    bytes = nscc->increase_bytes2 / cc->window_bytes;
    if (period_over) {
        bytes += settings->eta_bytes;
        nscc->last_adjust_ns = now_ns;
    }
    cc_set_window(cc, cc->window_bytes + bytes * cc->link_share);
    nscc->increase_bytes2 = 0;
    nscc->received_bytes = 0;
}

static void on_ack(struct cc *cc, const struct cc_ack *ack)
{
    struct nscc *nscc = nscc_of(cc);
    struct feedback feedback;
    bool late;

    nscc->ignore_bytes = less(nscc->ignore_bytes, ack->received_bytes);
    nscc->received_bytes += ack->received_bytes;
    nscc->achieved_bytes += ack->received_bytes;
    apply_penalty(cc, ack);

    feedback = read_feedback(cc, ack);
    late = feedback.delay_ns > settings_of(cc)->quick_adapt_threshold_ns;
    if (quick_adapt(cc, late, feedback.marked, ack->inflight_bytes, ack->now_ns))
        return;
    apply_quadrant(cc, ack, feedback);
    fulfil_increase(cc, ack->now_ns);
}

static void on_nack(struct cc *cc, const struct cc_nack *nack)
{
    struct nscc *nscc = nscc_of(cc);

    if (!nack->trimmed)
        return;
    /* The packet met a full queue and counts as a round trip of delay (§19.4). */
    update_average(nscc, settings_of(cc)->base_rtt_ns);
    nscc->ignore_bytes = less(nscc->ignore_bytes, nack->packet_bytes);
    nscc->quick_adapt_wanted = true;
    if (!quick_adapt(cc, true, true, nack->inflight_bytes, nack->now_ns))
        cut_window(cc, nack->packet_bytes);
}

static void on_inferred_loss(struct cc *cc, uint32_t packet_bytes, uint64_t now_ns)
{
    struct nscc *nscc = nscc_of(cc);

    (void)now_ns;
    nscc->ignore_bytes = less(nscc->ignore_bytes, packet_bytes);
    cut_window(cc, packet_bytes);
}

const struct cc_algorithm cc_nscc = {
    .name = "nscc",
    .api_name = "uet-1.0-nscc",
    .target_rtts = 0.75,
    .untrimmed_target_rtts = 1.0,
    .limit_rtts = 1.5,
    .least_part = 1,
    .on_ack = on_ack,
    .on_nack = on_nack,
    .on_inferred_loss = on_inferred_loss,
};
