/* SPDX-License-Identifier: Apache-2.0 */
/* The trace events of a transport. */
#pragma once

enum event {
#define EVENT(id, name, value0, value1, value2, meaning) EVENT_##id,
#include "transport/events.def"
#undef EVENT
    EVENT_COUNT,
};

struct event_description {
    const char *name;
    const char *values[3];
};

extern const struct event_description event_descriptions[EVENT_COUNT];
