/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the trace events and of the three numbers each carries. */
#include "spec.h"

#include <ctype.h>
#include <string.h>

#include "transport/events.h"

static const char *const identifiers[] = {
#define EVENT(id, name, value0, value1, value2, meaning) #id,
#include "transport/events.def"
#undef EVENT
};

SPEC("every event has a description at its index, named as its identifier in lower case")
{
    EXPECT_EQ(sizeof(identifiers) / sizeof(identifiers[0]), EVENT_COUNT);
    for (uint32_t i = 0; i < EVENT_COUNT; i++) {
        const char *name = event_descriptions[i].name;

        EXPECT_EQ(strlen(name), strlen(identifiers[i]));
        for (size_t at = 0; name[at]; at++)
            EXPECT_EQ(name[at], tolower((unsigned char)identifiers[i][at]));
    }
}

SPEC("an enumerator finds its own description, its values in order")
{
    EXPECT_STR_EQ(event_descriptions[EVENT_LOSS].name, "loss");
    EXPECT_STR_EQ(event_descriptions[EVENT_LOSS].values[0], "psn");
    EXPECT_STR_EQ(event_descriptions[EVENT_LOSS].values[1], "ev");
    EXPECT_STR_EQ(event_descriptions[EVENT_LOSS].values[2], "rule");
    EXPECT_STR_EQ(event_descriptions[EVENT_QP_STATE].values[1], "to");
}

SPEC("no two events share a name, nor two values of one event")
{
    for (uint32_t i = 0; i < EVENT_COUNT; i++) {
        const struct event_description *event = &event_descriptions[i];

        for (uint32_t k = 0; k < i; k++)
            EXPECT(strcmp(event->name, event_descriptions[k].name) != 0);
        for (uint32_t k = 0; k < 3; k++) {
            EXPECT(event->values[k] && event->values[k][0]);
            EXPECT(strcmp(event->values[k], event->values[(k + 1) % 3]) != 0);
        }
    }
}
