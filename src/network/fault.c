/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of fault.def. */
#include "network/fault.h"

#include <assert.h>

#include "network/fault_effect.h"

const struct fault_kind_description fault_kinds[FAULT_KIND_COUNT] = {
#define FAULT(ID, word, needs, may_have, traits, meaning)                                          \
    [FAULT_##ID] = { #word, &fault_effect_##word, needs, may_have, traits },
#include "network/fault.def"
};

const struct fault_parameter_description fault_parameters[FAULT_PARAMETER_COUNT] = {
#define FAULT_PARAMETER(ID, type, member, quantity, key, request, form, example)                   \
    [FAULT_##ID] = { FAULT_QUANTITY_##quantity, offsetof(struct fault, member), key, request,      \
        form, example },
#include "network/fault.def"
};

const char *const fault_kind_words[FAULT_KIND_COUNT + 1] = {
#define FAULT(ID, word, needs, may_have, traits, meaning) [FAULT_##ID] = #word,
#include "network/fault.def"
    [FAULT_KIND_COUNT] = NULL,
};

const char *const fault_direction_words[FAULT_DIRECTION_COUNT + 1] = {
#define FAULT_DIRECTION(ID, word) [FAULT_##ID] = (word),
#include "network/fault.def"
    [FAULT_DIRECTION_COUNT] = NULL,
};

uint64_t fault_get(const struct fault *fault, enum fault_parameter parameter)
{
    switch (parameter) {
#define FAULT_PARAMETER(ID, type, member, quantity, key, request, form, example)                   \
    case FAULT_##ID:                                                                               \
        return fault->member;
#include "network/fault.def"
    case FAULT_PARAMETER_COUNT:
        break;
    }
    assert(parameter < FAULT_PARAMETER_COUNT);
    return 0;
}

void fault_set(struct fault *fault, enum fault_parameter parameter, uint64_t value)
{
    assert(parameter < FAULT_PARAMETER_COUNT);
    switch (parameter) {
#define FAULT_PARAMETER(ID, type, member, quantity, key, request, form, example)                   \
    case FAULT_##ID:                                                                               \
        fault->member = (type)value;                                                               \
        break;
#include "network/fault.def"
    case FAULT_PARAMETER_COUNT:
        break;
    }
}

uint64_t fault_lost_share(const struct fault *fault)
{
    const struct fault_effect *effect = fault_kinds[fault->kind].effect;

    if (fault_kind_is(fault->kind, FAULT_CUTS))
        return FAULT_CERTAIN;
    return effect->lost_share ? effect->lost_share(fault) : 0;
}

uint64_t fault_rate_bps(const struct fault *fault, uint64_t healthy_bps)
{
    const struct fault_effect *effect = fault_kinds[fault->kind].effect;

    return effect->rate_bps ? effect->rate_bps(fault, healthy_bps) : healthy_bps;
}
