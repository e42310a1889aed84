/* SPDX-License-Identifier: Apache-2.0 */
/* From a topology to its plan (docs/fabric.md §5). */
#include "plan/plan.h"

#define UPLINK_BITS_MIN 8

/* Enough for R/2 uplinks, and for all T1s where these are more. */
static uint32_t uplink_bits(const struct topology_config *config)
{
    uint64_t uplinks = config->radix / 2 > config->t1_count ? config->radix / 2 : config->t1_count;
    uint32_t bits = UPLINK_BITS_MIN;

    while (UINT64_C(1) << bits < uplinks)
        bits++;
    return bits;
}

bool plan_init(struct plan *plan, const struct topology_config *description,
    struct topology_exception *exceptions, struct topology_problem *problem)
{
    const struct topology_config *config = &plan->topology.config;

    if (!topology_init(&plan->topology, description, exceptions, problem))
        return false;
    plan->uplink_bits = uplink_bits(config);
    plan->outer_high = (uint64_t)config->usid_block << 32 | (uint64_t)PLAN_USID_T0
                                                                << (PLAN_USID_TYPE_SHIFT + 16);
    return true;
}
