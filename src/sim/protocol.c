/* SPDX-License-Identifier: Apache-2.0 */
/* The list of protocols. */
#include "sim/protocol.h"

#include <assert.h>

const char *const sim_protocol_words[SIM_PROTOCOL_COUNT + 1] = {
#define PROTOCOL(ID, name, meaning) #name,
#include "sim/protocols.def"
    NULL,
};

static const struct protocol *const protocols[SIM_PROTOCOL_COUNT] = {
#define PROTOCOL(ID, name, meaning) &protocol_##name,
#include "sim/protocols.def"
};

const struct protocol *protocol_of(enum sim_protocol which)
{
    assert(which < SIM_PROTOCOL_COUNT);

    return protocols[which];
}

void protocol_add_counters(
    uint64_t *of_mrc, const uint64_t *own, const struct protocol_counter *same, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        of_mrc[same[i].of_mrc] += own[same[i].own];
}
