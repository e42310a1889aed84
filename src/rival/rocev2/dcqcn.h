/* SPDX-License-Identifier: Apache-2.0 */
/* DCQCN at the sender: a CNP cuts the rate, time without CNPs raises it again: first half-way to
 * the rate before the cut, then by additive steps, then by larger ones.
 *
 * Nothing happens by itself: dcqcn_advance() makes all changes that are due, in order of time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DCQCN_NEVER_PS UINT64_MAX

enum dcqcn_set {
#define DCQCN(ID, name, g, alpha, alpha_ns, cut_ns, raise_ns, bytes, stages, step, hyper, least,   \
    cnp_ns, scale, meaning)                                                                        \
    DCQCN_##ID,
#include "rival/rocev2/dcqcn_sets.def"
    DCQCN_SET_COUNT,
};
/* "connectx", ...; NULL at the end. */
extern const char *const dcqcn_set_words[DCQCN_SET_COUNT + 1];

/* A setting for one rate of the link. */
struct dcqcn_profile {
    double line_bps;
    double gain; /* g */
    double first_alpha;
    double step_bps;
    double hyper_bps; /* 0: there is no hyper increase */
    double least_bps;
    uint64_t alpha_ps;
    uint64_t cut_ps;
    uint64_t raise_ps;
    uint64_t counter_bytes;
    uint64_t cnp_gap_ps; /* of the receiver */
    uint32_t fast_stages;
};

void dcqcn_profile_init(struct dcqcn_profile *, enum dcqcn_set, uint64_t line_bps);

struct dcqcn {
    double rate_bps; /* current */
    double target_bps;
    double alpha;
    uint64_t alpha_ps; /* alpha has been updated up to this time */
    uint64_t cut_ps;   /* last cut */
    uint64_t raise_ps; /* next increase; DCQCN_NEVER_PS: the rate is that of the link */
    uint64_t bytes;    /* since the last stage of the byte counter */
    uint32_t time_stage;
    uint32_t byte_stage;
    bool has_begun; /* there was a CNP */
    bool cnp_seen;  /* since alpha was updated */
    bool cut_waits; /* a CNP came too early after the last cut */
};

void dcqcn_init(struct dcqcn *, const struct dcqcn_profile *);
void dcqcn_on_cnp(struct dcqcn *, const struct dcqcn_profile *, uint64_t now_ps);
void dcqcn_on_sent(struct dcqcn *, const struct dcqcn_profile *, uint32_t bytes);

/* Makes the changes that are due by `now_ps`. */
void dcqcn_advance(struct dcqcn *, const struct dcqcn_profile *, uint64_t now_ps);

/* Returns when the rate changes next without a CNP; DCQCN_NEVER_PS: not at all. */
uint64_t dcqcn_next_ps(const struct dcqcn *, const struct dcqcn_profile *);

/* Returns true if the rate is below that of the link. */
static inline bool dcqcn_limits(const struct dcqcn *dcqcn)
{
    return dcqcn->raise_ps != DCQCN_NEVER_PS;
}
