/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: derives the parameters of docs/protocol.md §19.2 from link rate, base RTT and packet
 * size. Also implements the limit of the window, which all algorithms share. */
#include "cc/cc.h"

#include <assert.h>

/* The network for which the gains of §19.2 were tuned: 100 Gb/s and 12 us. */
#define REFERENCE_RTT_NS    12000.0
#define REFERENCE_BDP_BYTES 150000.0

enum {
    ABOUT_ZERO_NS = 1000,
    START_PACKETS = 4,
    GATE_MAX = 31, /* the largest shift of 32 bits, which reduces any window to 0 */
};

const struct cc_algorithm *const cc_algorithms[] = {
#define CC_ALGORITHM(ID, name, meaning) &cc_##name,
#include "cc/algorithms.def"
    NULL,
};

static bool names_equal(const char *left, const char *right)
{
    while (*left && *left == *right) {
        left++;
        right++;
    }
    return *left == *right;
}

/* Returns NULL if there is no such algorithm. */
static const struct cc_algorithm *algorithm_named(const char *name)
{
    assert(name);
    for (const struct cc_algorithm *const *at = cc_algorithms; *at; at++)
        if (names_equal((*at)->name, name))
            return *at;
    return NULL;
}

static double bytes_per_ns(uint64_t link_bps)
{
    return (double)link_bps / 8e9;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint32_t at_least(uint32_t value, uint32_t floor)
{
    return value > floor ? value : floor;
}

/* 0 means "derive", so the smallest derived value is 1. */
static uint32_t rounded(double value)
{
    if (value >= (double)UINT32_MAX)
        return UINT32_MAX;
    return at_least((uint32_t)(value + 0.5), 1);
}

static void derive_setting(uint32_t *setting, double value)
{
    if (*setting == 0)
        *setting = rounded(value);
}

static double target_ns(const struct cc_settings *settings, const struct cc_algorithm *algorithm)
{
    double rtts =
        settings->network_trims ? algorithm->target_rtts : algorithm->untrimmed_target_rtts;
    double rtts_ns = rtts * settings->base_rtt_ns;
    double packets_ns = (double)algorithm->target_packets * settings->packet_ns;

    return rtts_ns > packets_ns ? rtts_ns : packets_ns;
}

static void derive_times(struct cc_settings *settings, const struct cc_algorithm *algorithm)
{
    bool on_a_real_clock = settings->base_rtt_floor_ns != 0;

    settings->base_rtt_ns = at_least(settings->base_rtt_ns, settings->base_rtt_floor_ns);
    derive_setting(&settings->target_delay_ns, target_ns(settings, algorithm));
    settings->target_delay_ns = at_least(settings->target_delay_ns, settings->target_floor_ns);
    derive_setting(&settings->about_zero_ns,
        at_least(ABOUT_ZERO_NS, on_a_real_clock ? settings->base_rtt_ns / 10 : 0));
    derive_setting(&settings->adjust_period_ns, settings->base_rtt_ns);

    /* If trimming reports every loss, delay alone does not trigger quick adapt (§19.2, §24). */
    derive_setting(&settings->quick_adapt_threshold_ns,
        settings->network_trims ? (double)UINT32_MAX : 4.0 * settings->target_delay_ns);
}

static void derive_gains(struct cc_settings *settings, double scaling_a)
{
    double mtu_bytes = settings->mtu_bytes;

    derive_setting(&settings->fair_increase_bytes, 5.0 * mtu_bytes * scaling_a);
    derive_setting(&settings->eta_bytes, 0.15 * mtu_bytes * scaling_a);
    derive_setting(&settings->fast_scale_permille, 0.25 * scaling_a * 1000.0);
    derive_setting(&settings->gamma_permille, 800);
    derive_setting(&settings->max_md_jump_permille, 500);
    derive_setting(&settings->adjust_bytes, 8.0 * mtu_bytes);
    derive_setting(&settings->quick_adapt_gate, 3);
    if (settings->quick_adapt_gate > GATE_MAX)
        settings->quick_adapt_gate = GATE_MAX;
}

/* Returns the bytes that the link carries in some base RTTs and target delays. */
static double measured_limit_bytes(const struct cc_algorithm *algorithm, double link_bytes_per_ns,
    uint32_t base_rtt_ns, uint32_t delay_ns)
{
    if (algorithm->limit_rtts <= 0)
        return (double)UINT32_MAX;
    return link_bytes_per_ns *
           (algorithm->limit_rtts * base_rtt_ns + algorithm->limit_targets * delay_ns);
}

bool cc_profile_init(struct cc_profile *profile, const struct cc_settings *given)
{
    struct cc_settings *settings = &profile->settings;
    double scaling_a;
    double scaling_b;

    *profile =
        (struct cc_profile){ .settings = *given, .algorithm = algorithm_named(given->algorithm) };
    if (!profile->algorithm)
        return false;
    assert(given->link_bps > 0);
    assert(given->base_rtt_ns > 0);
    assert(given->mtu_bytes > 0);

    derive_times(settings, profile->algorithm);
    profile->bytes_per_ns = bytes_per_ns(settings->link_bps);
    profile->share_part =
        (double)smaller(settings->share_bps, settings->link_bps / 2) / (double)settings->link_bps;
    scaling_a = profile->bytes_per_ns * settings->base_rtt_ns / REFERENCE_BDP_BYTES;
    scaling_b = settings->target_delay_ns / REFERENCE_RTT_NS;
    derive_gains(settings, scaling_a);
    profile->alpha_bytes_per_ns =
        4.0 * settings->mtu_bytes * scaling_a * scaling_b / settings->target_delay_ns;

    profile->window_limit_bytes =
        settings->max_window_bytes ? settings->max_window_bytes : UINT32_MAX;
    derive_setting(
        &settings->max_window_bytes, measured_limit_bytes(profile->algorithm, profile->bytes_per_ns,
                                         settings->base_rtt_ns, settings->target_delay_ns));
    return true;
}

/* The limit is at least one packet; otherwise nothing could be sent. */
static void set_limit(struct cc *cc, uint32_t limit_bytes)
{
    cc->max_window_bytes = at_least(limit_bytes, cc->profile->settings.mtu_bytes);
    if (cc->window_bytes > cc->max_window_bytes)
        cc->window_bytes = cc->max_window_bytes;
}

/* The setting of the operator can only lower the limit (§19.3). */
static void follow_measured_limit(struct cc *cc)
{
    uint32_t limit_bytes = rounded(measured_limit_bytes(
        cc->profile->algorithm, cc->bytes_per_ns, cc->base_rtt_ns, cc->target_delay_ns));
    uint32_t operator_limit_bytes = cc->profile->window_limit_bytes;

    set_limit(cc, limit_bytes < operator_limit_bytes ? limit_bytes : operator_limit_bytes);
}

/* Sets the first window. If all senders of an incast started at the limit, most packets would be
 * lost; the same holds for packets beyond what a slow destination receives. */
static void start_window(struct cc *cc)
{
    const struct cc_algorithm *algorithm = cc->profile->algorithm;
    double rtts = cc->profile->settings.network_trims ? algorithm->start_rtts
                                                      : algorithm->untrimmed_start_rtts;
    double start_bytes = rtts * cc->bytes_per_ns * cc->base_rtt_ns / cc->slower;
    uint32_t least_bytes = START_PACKETS * cc->profile->settings.mtu_bytes;

    cc->window_bytes = cc->max_window_bytes;
    if (start_bytes > 0 && start_bytes < cc->window_bytes)
        cc->window_bytes = at_least((uint32_t)start_bytes, least_bytes);
    if (cc->window_bytes > cc->max_window_bytes)
        cc->window_bytes = cc->max_window_bytes;
}

void cc_init(struct cc *cc, const struct cc_profile *profile)
{
    *cc = (struct cc){
        .profile = profile,
        .base_rtt_ns = profile->settings.base_rtt_ns,
        .target_delay_ns = profile->settings.target_delay_ns,
        .packets_ns = profile->algorithm->target_packets * profile->settings.packet_ns,
        .bytes_per_ns = profile->bytes_per_ns,
        .link_share = 1.0,
        .slower = 1,
    };
    set_limit(cc, profile->settings.max_window_bytes);
    start_window(cc);
}

void cc_on_link_rate(struct cc *cc, uint64_t link_bps)
{
    cc->bytes_per_ns = bytes_per_ns(link_bps);
    cc->link_share = cc->bytes_per_ns / cc->profile->bytes_per_ns;
    follow_measured_limit(cc);
}

void cc_on_base_rtt(struct cc *cc, uint32_t base_rtt_ns)
{
    cc->base_rtt_ns = base_rtt_ns;
    follow_measured_limit(cc);
}

/* Rounds to whole numbers, because packets differ by some bytes of headers. */
static uint16_t times_slower(uint32_t packet_ns, uint32_t slowest_link_ns)
{
    uint32_t times = slowest_link_ns > 0 ? packet_ns / slowest_link_ns : 1;

    return times < UINT16_MAX ? (uint16_t)at_least(times, 1) : UINT16_MAX;
}

void cc_set_path(struct cc *cc, uint32_t base_rtt_ns, uint32_t packet_ns)
{
    uint32_t packets_ns = cc->profile->algorithm->target_packets * packet_ns;

    cc->base_is_known = true;
    cc->slower = times_slower(packet_ns, cc->profile->settings.packet_ns);
    cc->packets_ns = at_least(cc->packets_ns, packets_ns);
    cc->target_delay_ns = at_least(cc->profile->settings.target_delay_ns, packets_ns);
    cc_on_base_rtt(cc, at_least(base_rtt_ns, cc->profile->settings.base_rtt_floor_ns));
    start_window(cc);
}

void cc_check(const struct cc *cc)
{
    const struct cc_settings *settings = &cc->profile->settings;

    assert(cc->window_bytes >= cc_least_bytes(cc));
    assert(cc->window_bytes <= cc->max_window_bytes);
    assert(cc->base_rtt_ns >= settings->base_rtt_floor_ns);
    assert(cc->base_rtt_ns <= settings->base_rtt_ns || cc->base_is_known);
}
