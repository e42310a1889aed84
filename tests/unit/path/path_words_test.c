/* SPDX-License-Identifier: Apache-2.0 */
/* Words for states of EVs and causes of their changes. */
#include "spec.h"

#include <string.h>

#include "path/path.h"

SPEC("states have the words of commands and results")
{
    EXPECT_STR_EQ(path_state_word(EV_GOOD), "good");
    EXPECT_STR_EQ(path_state_word(EV_SKIP), "skip");
    EXPECT_STR_EQ(path_state_word(EV_SUSPECT), "suspect");
    EXPECT_STR_EQ(path_state_word(EV_ASSUMED_BAD), "bad");
    EXPECT_STR_EQ(path_state_word(EV_DENIED), "denied");
    EXPECT_STR_EQ(path_state_word(EV_STATE_COUNT), "unknown");
}

SPEC("every signal has a word of its own")
{
    for (int i = 0; i < PATH_SIGNAL_COUNT; i++)
        for (int k = 0; k <= i; k++)
            EXPECT_EQ(strcmp(path_signal_word((enum path_signal)i),
                          path_signal_word((enum path_signal)k)) == 0,
                i == k);
    EXPECT_STR_EQ(path_signal_word(PATH_PROBE_ANSWERED), "probe_answered");
    EXPECT_STR_EQ(path_signal_word(PATH_SIGNAL_COUNT), "unknown");
}
