/* SPDX-License-Identifier: Apache-2.0 */
/* The reaction point of DCQCN. */
#include "rival/rocev2/dcqcn.h"

#include <stddef.h>

#define PS_PER_NS    UINT64_C(1000)
#define BPS_PER_KBPS 1000.0
#define BPS_PER_GBPS 1e9
#define FULL_SHARE   0.999 /* of the link's rate: treated as all of it */
#define CUT_MOST     0.5   /* of the rate, in one cut */

const char *const dcqcn_set_words[DCQCN_SET_COUNT + 1] = {
#define DCQCN(ID, name, g, alpha, alpha_ns, cut_ns, raise_ns, bytes, stages, step, hyper, least,   \
    cnp_ns, scale, meaning)                                                                        \
    name,
#include "rival/rocev2/dcqcn_sets.def"
    NULL,
};

struct published {
    uint32_t gain; /* 1/1024 */
    uint32_t first_alpha;
    uint32_t alpha_ns;
    uint32_t cut_ns;
    uint32_t raise_ns;
    uint32_t counter_bytes;
    uint32_t fast_stages;
    uint32_t step_kbps;
    uint32_t hyper_kbps;
    uint32_t least_kbps;
    uint32_t cnp_gap_ns;
    uint32_t scale_gbps;
};

static const struct published sets[DCQCN_SET_COUNT] = {
#define DCQCN(ID, name, g, alpha, alpha_ns, cut_ns, raise_ns, bytes, stages, step, hyper, least,   \
    cnp_ns, scale, meaning)                                                                        \
    { g, alpha, alpha_ns, cut_ns, raise_ns, bytes, stages, step, hyper, least, cnp_ns, scale },
#include "rival/rocev2/dcqcn_sets.def"
};

void dcqcn_profile_init(struct dcqcn_profile *profile, enum dcqcn_set which, uint64_t line_bps)
{
    const struct published *set = &sets[which];
    double scale = set->scale_gbps > 0 ? (double)line_bps / (set->scale_gbps * BPS_PER_GBPS) : 1.0;

    *profile = (struct dcqcn_profile){ .line_bps = (double)line_bps,
        .gain = set->gain / 1024.0,
        .first_alpha = set->first_alpha / 1024.0,
        .step_bps = set->step_kbps * BPS_PER_KBPS * scale,
        .hyper_bps = set->hyper_kbps * BPS_PER_KBPS * scale,
        .least_bps = set->least_kbps * BPS_PER_KBPS,
        .alpha_ps = set->alpha_ns * PS_PER_NS,
        .cut_ps = set->cut_ns * PS_PER_NS,
        .raise_ps = set->raise_ns * PS_PER_NS,
        .counter_bytes = (uint64_t)(set->counter_bytes * scale),
        .cnp_gap_ps = set->cnp_gap_ns * PS_PER_NS,
        .fast_stages = set->fast_stages };
}

void dcqcn_init(struct dcqcn *dcqcn, const struct dcqcn_profile *profile)
{
    *dcqcn = (struct dcqcn){
        .rate_bps = profile->line_bps, .target_bps = profile->line_bps, .raise_ps = DCQCN_NEVER_PS
    };
}

/* ---- less ------------------------------------------------------------------------------------ */

static double power(double base, uint64_t exponent)
{
    double result = 1.0;

    while (exponent > 0) {
        if (exponent & 1)
            result *= base;
        base *= base;
        exponent >>= 1;
    }
    return result;
}

/* Alpha is needed only for cuts, so all periods since the last one are made up for at once. Only
 * the first of them can have seen a CNP. */
static void update_alpha(struct dcqcn *dcqcn, const struct dcqcn_profile *profile, uint64_t now_ps)
{
    uint64_t periods = (now_ps - dcqcn->alpha_ps) / profile->alpha_ps;

    if (periods == 0)
        return;
    dcqcn->alpha = (1 - profile->gain) * dcqcn->alpha + (dcqcn->cnp_seen ? profile->gain : 0);
    dcqcn->alpha *= power(1 - profile->gain, periods - 1);
    dcqcn->alpha_ps += periods * profile->alpha_ps;
    dcqcn->cnp_seen = false;
}

/* The target stays that of before the first of several cuts in a row. */
static void cut_rate(struct dcqcn *dcqcn, const struct dcqcn_profile *profile, uint64_t now_ps)
{
    double cut = dcqcn->alpha / 2 < CUT_MOST ? dcqcn->alpha / 2 : CUT_MOST;

    if (dcqcn->time_stage > 0 || dcqcn->byte_stage > 0)
        dcqcn->target_bps = dcqcn->rate_bps;
    dcqcn->rate_bps *= 1 - cut;
    if (dcqcn->rate_bps < profile->least_bps)
        dcqcn->rate_bps = profile->least_bps;
    dcqcn->time_stage = 0;
    dcqcn->byte_stage = 0;
    dcqcn->bytes = 0;
    dcqcn->cut_waits = false;
    dcqcn->cut_ps = now_ps;
    dcqcn->raise_ps = now_ps + profile->raise_ps;
}

void dcqcn_on_cnp(struct dcqcn *dcqcn, const struct dcqcn_profile *profile, uint64_t now_ps)
{
    dcqcn_advance(dcqcn, profile, now_ps);
    if (!dcqcn->has_begun) {
        dcqcn->has_begun = true;
        dcqcn->alpha = profile->first_alpha;
        dcqcn->alpha_ps = now_ps;
        cut_rate(dcqcn, profile, now_ps);
        dcqcn->cnp_seen = true;
        return;
    }
    update_alpha(dcqcn, profile, now_ps);
    dcqcn->cnp_seen = true;
    if (now_ps - dcqcn->cut_ps >= profile->cut_ps)
        cut_rate(dcqcn, profile, now_ps);
    else
        dcqcn->cut_waits = true;
}

/* ---- more ------------------------------------------------------------------------------------ */

static bool has_hyper(const struct dcqcn *dcqcn, const struct dcqcn_profile *profile)
{
    if (profile->hyper_bps == 0)
        return false;
    if (profile->counter_bytes == 0)
        return dcqcn->time_stage > profile->fast_stages + 1;
    return dcqcn->time_stage > profile->fast_stages && dcqcn->byte_stage > profile->fast_stages;
}

/* The stage has been counted. */
static void raise_rate(struct dcqcn *dcqcn, const struct dcqcn_profile *profile)
{
    uint32_t stage = dcqcn->time_stage > dcqcn->byte_stage ? dcqcn->time_stage : dcqcn->byte_stage;

    if (stage > profile->fast_stages)
        dcqcn->target_bps += has_hyper(dcqcn, profile) ? profile->hyper_bps : profile->step_bps;
    if (dcqcn->target_bps > profile->line_bps)
        dcqcn->target_bps = profile->line_bps;
    dcqcn->rate_bps = (dcqcn->rate_bps + dcqcn->target_bps) / 2;
    if (dcqcn->rate_bps >= FULL_SHARE * profile->line_bps) {
        dcqcn->rate_bps = profile->line_bps;
        dcqcn->raise_ps = DCQCN_NEVER_PS;
    }
}

void dcqcn_on_sent(struct dcqcn *dcqcn, const struct dcqcn_profile *profile, uint32_t bytes)
{
    if (profile->counter_bytes == 0 || !dcqcn_limits(dcqcn))
        return;
    dcqcn->bytes += bytes;
    if (dcqcn->bytes < profile->counter_bytes)
        return;
    dcqcn->bytes -= profile->counter_bytes;
    dcqcn->byte_stage++;
    raise_rate(dcqcn, profile);
}

/* ---- time ------------------------------------------------------------------------------------ */

static uint64_t waiting_cut_ps(const struct dcqcn *dcqcn, const struct dcqcn_profile *profile)
{
    return dcqcn->cut_waits ? dcqcn->cut_ps + profile->cut_ps : DCQCN_NEVER_PS;
}

uint64_t dcqcn_next_ps(const struct dcqcn *dcqcn, const struct dcqcn_profile *profile)
{
    uint64_t cut_ps = waiting_cut_ps(dcqcn, profile);

    return cut_ps < dcqcn->raise_ps ? cut_ps : dcqcn->raise_ps;
}

void dcqcn_advance(struct dcqcn *dcqcn, const struct dcqcn_profile *profile, uint64_t now_ps)
{
    for (;;) {
        uint64_t cut_ps = waiting_cut_ps(dcqcn, profile);
        uint64_t next_ps = dcqcn_next_ps(dcqcn, profile);

        if (next_ps > now_ps)
            return;
        if (next_ps == cut_ps) {
            update_alpha(dcqcn, profile, next_ps);
            cut_rate(dcqcn, profile, next_ps);
        } else {
            dcqcn->time_stage++;
            dcqcn->raise_ps += profile->raise_ps;
            raise_rate(dcqcn, profile);
        }
    }
}
