/* SPDX-License-Identifier: Apache-2.0 */
/* Matching packets with the rules, and rolling the dice. */
#include "fault.h"

#include <assert.h>

#include "base/bits.h"

uint32_t fault_list_add(struct fault_list *list, const struct fault_rule *fault)
{
    assert(list->count < FAULT_COUNT_MAX);
    list->faults[list->count] = *fault;
    if (fault->chance[FAULT_DOWN])
        bits_set(&list->deadly, list->count);
    return list->count++;
}

void fault_list_begin(struct fault_list *list, uint32_t rule)
{
    assert(rule < list->count);
    bits_set(&list->active, rule);
}

void fault_list_end(struct fault_list *list, uint32_t rule)
{
    assert(rule < list->count);
    bits_clear(&list->active, rule);
}

static bool agrees(uint32_t rule, uint32_t here)
{
    return rule == FAULT_ANY || rule == here;
}

static bool matches(const struct fault_where *where, const struct fault_where *here)
{
    return agrees(where->from, here->from) && agrees(where->to, here->to) &&
           agrees(where->plane, here->plane) && agrees(where->uplink, here->uplink) &&
           (where->traffic == FAULT_ALL_TRAFFIC || where->traffic == here->traffic);
}

bool fault_list_is_dead(const struct fault_list *list, const struct fault_where *here)
{
    for (uint64_t left = list->active & list->deadly; left; left &= left - 1)
        if (matches(&list->faults[bits_lowest(left)].where, here))
            return true;
    return false;
}

static bool happens(struct prng *prng, uint32_t probability)
{
    return probability == FAULT_ALWAYS || (probability > 0 && prng_chance(prng, probability));
}

static void take_effect(
    struct prng *prng, const struct fault_rule *fault, uint32_t kind, struct fault_effect *effect)
{
    switch (kind) {
    case FAULT_LOSS:
        effect->lost = true;
        break;
    case FAULT_CORRUPT:
        effect->corrupted = true;
        break;
    case FAULT_MARK:
        effect->marked = true;
        break;
    case FAULT_TRIM:
        effect->trimmed = true;
        break;
    case FAULT_DUPLICATE:
        effect->duplicates++;
        break;
    case FAULT_DELAY:
        effect->delay_ps += prng_next(prng) % fault->delay_max_ps;
        break;
    default:
        assert(kind == FAULT_LOSS); /* no other is of packets */
    }
}

static void roll_one(struct prng *prng, const struct fault_rule *fault, struct fault_effect *effect)
{
    for (uint32_t kind = FAULT_LOSS; kind < FAULT_TEST_KIND_COUNT; kind++)
        if ((kind != FAULT_DELAY || fault->delay_max_ps > 0) && happens(prng, fault->chance[kind]))
            take_effect(prng, fault, kind, effect);
}

struct fault_effect fault_list_roll(struct fault_list *list, const struct fault_where *here)
{
    struct fault_effect effect = { 0 };

    for (uint64_t left = list->active; left; left &= left - 1) {
        const struct fault_rule *fault = &list->faults[bits_lowest(left)];

        if (matches(&fault->where, here))
            roll_one(&list->prng, fault, &effect);
    }
    return effect;
}
