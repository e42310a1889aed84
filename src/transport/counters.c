/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the counters. */
#include "transport/counters.h"

const struct counter_description counter_descriptions[COUNTER_COUNT] = {
#define COUNTER(id, name, help) [COUNTER_##id] = { #name, help },
#include "transport/counters.def"
#undef COUNTER
};
