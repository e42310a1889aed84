/* SPDX-License-Identifier: Apache-2.0 */
/* Words for states of QPs, completions and the rules of loss. */
#include "spec.h"

#include <string.h>

#include "transport/loss.h"
#include "transport/transport.h"

static const char *state_word(int value)
{
    return transport_state_word((enum qp_state)value);
}

static const char *completion_word(int value)
{
    return transport_completion_word((enum completion_status)value);
}

static const char *rule_word(int value)
{
    return transport_rule_word((uint64_t)value);
}

static void expect_distinct(const char *(*word)(int), int count)
{
    for (int i = 0; i < count; i++) {
        EXPECT(strcmp(word(i), "unknown") != 0);
        for (int k = 0; k < i; k++)
            EXPECT(strcmp(word(i), word(k)) != 0);
    }
    EXPECT_STR_EQ(word(count), "unknown");
}

SPEC("every value has a unique word, and other numbers are unknown")
{
    expect_distinct(state_word, QP_STATE_COUNT);
    expect_distinct(completion_word, COMPLETION_STATUS_COUNT);
    expect_distinct(rule_word, LOSS_RULE_COUNT);
}

SPEC("the words are those of the specification and of the results of simulations")
{
    EXPECT_STR_EQ(transport_state_word(QP_RTS), "RTS");
    EXPECT_STR_EQ(transport_completion_word(COMPLETION_RETRY_EXCEEDED), "retry_exceeded");
    EXPECT_STR_EQ(transport_rule_word(LOSS_BY_TRIM_LASTHOP), "trimmed_lasthop");
    EXPECT_STR_EQ(transport_rule_word(LOSS_BY_PORT), "port_down");
}
