/* SPDX-License-Identifier: Apache-2.0 */
/* What a kind of fault does to the packets and the rate of a link that it affects. */
#pragma once

#include "network/fault_link.h"

struct prng;

/* A member that is NULL stands for no effect. The effect of FAULT_CUTS is that links go down. */
struct fault_effect {
    /* Decides about one packet. */
    enum fault_verdict (*verdict)(const struct fault *, struct prng *coin);
    /* Returns the probability of a verdict other than FAULT_VERDICT_PASSES, in units of 2^-32. */
    uint64_t (*lost_share)(const struct fault *);
    /* Returns the lower of the rate of the link without this fault and the rate that this fault
     * allows, so that the order of several faults has no effect. */
    uint64_t (*rate_bps)(const struct fault *, uint64_t healthy_bps);
};

#define FAULT(ID, word, needs, may_have, traits, meaning)                                          \
    extern const struct fault_effect fault_effect_##word;
#include "network/fault.def"
