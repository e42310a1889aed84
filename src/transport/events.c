/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the trace events and their values. */
#include "transport/events.h"

const struct event_description event_descriptions[EVENT_COUNT] = {
#define EVENT(id, name, value0, value1, value2, meaning)                                           \
    [EVENT_##id] = { #name, { value0, value1, value2 } },
#include "transport/events.def"
#undef EVENT
};
