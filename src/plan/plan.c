/* SPDX-License-Identifier: Apache-2.0 */
/* From a topology to its plan (docs/fabric.md §5). */
#include "plan/plan.h"

/* Enough for R/2 uplinks, and for all T1s where these are more. */
static uint32_t uplinks_max(const struct topology_config *config)
{
    return config->radix / 2 > config->t1_count ? config->radix / 2 : config->t1_count;
}

bool plan_init(struct plan *plan, const struct topology_config *description,
    struct topology_exception *exceptions, struct topology_problem *problem)
{
    const struct topology_config *config = &plan->topology.config;

    if (!topology_init(&plan->topology, description, exceptions, problem))
        return false;
    plan->uplink_bits = plan_ev_bits(uplinks_max(config));
    plan->outer_high = (uint64_t)config->usid_block << 32 | (uint64_t)PLAN_USID_T0
                                                                << (PLAN_USID_TYPE_SHIFT + 16);
    return true;
}
