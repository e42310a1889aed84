/* SPDX-License-Identifier: Apache-2.0 */
/* The impairments of one link direction: the number of faults that hold it down, and a list of
 * those that affect its packets. */
#include "network/fault_link.h"

#include <assert.h>

#include "base/prng.h"
#include "network/fault_effect.h"

void fault_link_impair(struct fault_link *link, struct fault_hold *holds, uint32_t hold,
    const struct fault *fault, uint32_t number)
{
    if (fault_kind_is(fault->kind, FAULT_CUTS)) {
        link->down_count++;
        return;
    }
    holds[hold] = (struct fault_hold){ .fault = fault, .number = number, .next = link->first };
    link->first = hold + 1;
}

void fault_link_relieve(
    struct fault_link *link, struct fault_hold *holds, uint32_t hold, const struct fault *fault)
{
    uint32_t *place = &link->first;

    if (fault_kind_is(fault->kind, FAULT_CUTS)) {
        assert(link->down_count > 0);
        link->down_count--;
        return;
    }
    while (*place != hold + 1) {
        assert(*place != 0);
        place = &holds[*place - 1].next;
    }
    *place = holds[hold].next;
}

static enum fault_verdict verdict_of(const struct fault *fault, struct prng *coin)
{
    const struct fault_effect *effect = fault_kinds[fault->kind].effect;

    return effect->verdict ? effect->verdict(fault, coin) : FAULT_VERDICT_PASSES;
}

/* The verdict must not depend on the order in which faults began: of several, the one listed first
 * in the enum applies. */
enum fault_verdict fault_link_decide(
    const struct fault_link *link, const struct fault_hold *holds, uint32_t ev, uint64_t coin)
{
    enum fault_verdict verdict = FAULT_VERDICT_PASSES;

    if (link->down_count > 0)
        return FAULT_VERDICT_DOWN;
    for (uint32_t at = link->first; at != 0; at = holds[at - 1].next) {
        const struct fault *fault = holds[at - 1].fault;
        struct prng own_coin = prng_stream(coin, holds[at - 1].number);
        enum fault_verdict next;

        if (fault->of_ev && fault->ev != ev)
            continue;
        next = verdict_of(fault, &own_coin);
        if (next != FAULT_VERDICT_PASSES && (verdict == FAULT_VERDICT_PASSES || next < verdict))
            verdict = next;
    }
    return verdict;
}

bool fault_link_asks_ev(const struct fault_link *link, const struct fault_hold *holds)
{
    for (uint32_t at = link->first; at != 0; at = holds[at - 1].next)
        if (holds[at - 1].fault->of_ev)
            return true;
    return false;
}

enum loss_reason fault_verdict_loss(enum fault_verdict verdict)
{
    static const enum loss_reason reasons[FAULT_VERDICT_COUNT] = {
        [FAULT_VERDICT_DOWN] = LOST_LINK_DOWN,
        [FAULT_VERDICT_BLACKHOLED] = LOST_BLACKHOLE,
        [FAULT_VERDICT_LOST] = LOST_FAULT,
        [FAULT_VERDICT_CORRUPTED] = LOST_CORRUPT,
    };

    assert(verdict != FAULT_VERDICT_PASSES);
    assert(verdict < FAULT_VERDICT_COUNT);
    return reasons[verdict];
}

uint64_t fault_link_rate_bps(
    const struct fault_link *link, const struct fault_hold *holds, uint64_t healthy_bps)
{
    uint64_t rate_bps = healthy_bps;

    for (uint32_t at = link->first; at != 0; at = holds[at - 1].next)
        rate_bps = fault_rate_bps(holds[at - 1].fault, rate_bps);
    return rate_bps;
}
