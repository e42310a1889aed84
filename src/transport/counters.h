/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of a transport. */
#pragma once

#include "base/counter_description.h"

enum counter {
#define COUNTER(id, name, help) COUNTER_##id,
#include "transport/counters.def"
#undef COUNTER
    COUNTER_COUNT,
};

extern const struct counter_description counter_descriptions[COUNTER_COUNT];
