/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with one link direction: a count of what holds it down, and a list of what harms
 * the packets on it. */
#include "sim/fault.h"

#include <assert.h>

#include "sim/fault_cover.h"

static void hold_push(struct fault_plan *plan, struct fault_link *link, uint32_t hold)
{
    assert(hold < plan->hold_count);
    plan->holds[hold].next = link->first;
    link->first = hold + 1;
}

static void hold_remove(struct fault_plan *plan, struct fault_link *link, uint32_t hold)
{
    uint32_t *place = &link->first;

    while (*place != hold + 1) {
        assert(*place != 0);
        place = &plan->holds[*place - 1].next;
    }
    *place = plan->holds[hold].next;
}

void fault_link_apply(
    struct fault_plan *plan, struct fault_link *link, const struct fault_action *action)
{
    bool impairs = action->kind == FAULT_LINK_IMPAIRED;

    assert(impairs || action->kind == FAULT_LINK_RELIEVED);
    if (!fault_cover_is_down(fault_at(plan, action->fault)->kind)) {
        if (impairs)
            plan->holds[action->hold].source = action->fault;
        (impairs ? hold_push : hold_remove)(plan, link, action->hold);
    } else if (impairs) {
        link->down_count++;
    } else {
        assert(link->down_count > 0);
        link->down_count--;
    }
}

static enum fault_verdict verdict_of(const struct sim_fault *fault, struct prng *coin)
{
    switch (fault->kind) {
    case SIM_FAULT_BLACKHOLE:
        return FAULT_BLACKHOLED;
    case SIM_FAULT_LOSS:
        return prng_chance(coin, fault->probability) ? FAULT_LOST : FAULT_PASSES;
    case SIM_FAULT_CORRUPT:
        return prng_chance(coin, fault->probability) ? FAULT_CORRUPTED : FAULT_PASSES;
    default:
        return FAULT_PASSES;
    }
}

/* Which of several faults takes a packet must not depend on the order in which they began: the
 * verdict listed first in the enum wins. */
enum fault_verdict fault_link_decide(
    const struct fault_plan *plan, const struct fault_link *link, uint32_t ev, uint64_t coin)
{
    enum fault_verdict verdict = FAULT_PASSES;

    if (link->down_count > 0)
        return FAULT_DOWN;
    for (uint32_t at = link->first; at != 0; at = plan->holds[at - 1].next) {
        uint32_t source = plan->holds[at - 1].source;
        const struct sim_fault *fault = &plan->sources[source].fault;
        struct prng own_coin = prng_stream(coin, source);
        enum fault_verdict next;

        if (fault->of_ev && fault->ev != ev)
            continue;
        next = verdict_of(fault, &own_coin);
        if (next != FAULT_PASSES && (verdict == FAULT_PASSES || next < verdict))
            verdict = next;
    }
    return verdict;
}

uint64_t fault_link_rate_bps(
    const struct fault_plan *plan, const struct fault_link *link, uint64_t healthy_bps)
{
    uint64_t rate_bps = healthy_bps;

    for (uint32_t at = link->first; at != 0; at = plan->holds[at - 1].next) {
        const struct sim_fault *fault = &plan->sources[plan->holds[at - 1].source].fault;

        if (fault->kind == SIM_FAULT_SLOW && fault->rate_bps < rate_bps)
            rate_bps = fault->rate_bps;
    }
    return rate_bps;
}

uint32_t fault_count(const struct fault_plan *plan)
{
    return plan->source_count;
}

const struct sim_fault *fault_at(const struct fault_plan *plan, uint32_t index)
{
    assert(index < plan->source_count);
    return &plan->sources[index].fault;
}

bool fault_is_in_force(const struct fault_plan *plan, uint32_t index)
{
    assert(index < plan->source_count);
    return plan->sources[index].impairs;
}
