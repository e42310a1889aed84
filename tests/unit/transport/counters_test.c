/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the counters: what JSON, dashboards and the manual are made of. */
#include "spec.h"

#include <ctype.h>
#include <string.h>

#include "transport/counters.h"

static const char *const identifiers[] = {
#define COUNTER(id, name, help) #id,
#include "transport/counters.def"
#undef COUNTER
};

SPEC("every counter has a description at its index, named as its identifier in lower case")
{
    EXPECT_EQ(sizeof(identifiers) / sizeof(identifiers[0]), COUNTER_COUNT);
    for (uint32_t i = 0; i < COUNTER_COUNT; i++) {
        const char *name = counter_descriptions[i].name;

        EXPECT_EQ(strlen(name), strlen(identifiers[i]));
        for (size_t at = 0; name[at]; at++)
            EXPECT_EQ(name[at], tolower((unsigned char)identifiers[i][at]));
    }
}

SPEC("an enumerator finds its own description")
{
    EXPECT_STR_EQ(counter_descriptions[COUNTER_DATA_SENT].name, "data_sent");
    EXPECT_STR_EQ(counter_descriptions[COUNTER_TIMEOUT_FIRED].name, "timeout_fired");
    EXPECT_STR_EQ(counter_descriptions[COUNTER_SACK_SENT].name, "sack_sent");
    EXPECT_STR_EQ(counter_descriptions[COUNTER_QP_ERRORS].name, "qp_errors");
}

SPEC("no two counters have the same name")
{
    for (uint32_t i = 0; i < COUNTER_COUNT; i++)
        for (uint32_t k = 0; k < i; k++)
            EXPECT(strcmp(counter_descriptions[i].name, counter_descriptions[k].name) != 0);
}

SPEC("every counter is explained in one line without a full stop")
{
    for (uint32_t i = 0; i < COUNTER_COUNT; i++) {
        const char *help = counter_descriptions[i].help;

        EXPECT_GT(strlen(help), 5);
        EXPECT(!strchr(help, '\n'));
        EXPECT_NE(help[strlen(help) - 1], '.');
    }
}
