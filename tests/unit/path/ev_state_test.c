/* SPDX-License-Identifier: Apache-2.0 */
/* Every entry of the EV state machine. */
#include "spec.h"

#include "path/ev_state.h"

/* For each signal what becomes of Good, Skip, sUspect, assumed Bad and Denied, in this order. */
static const char *const figure[PATH_SIGNAL_COUNT] = {
    [PATH_MARKED_SKIP_ONCE] = "SSUBD",
    [PATH_MARKED_ALWAYS_SKIP] = "BBBBD",
    [PATH_MARKED_SPARED] = "SSUBD",
    [PATH_TRIMMED] = "SSUBD",
    [PATH_DELAYED] = "SSUBD",
    [PATH_LOST] = "BBBBD",
    [PATH_LOST_SPARED] = "SSUBD",
    [PATH_SUSPECTED] = "UUUBD",
    [PATH_SILENT] = "GSBBD",
    [PATH_SKIP_ELAPSED] = "GGUBD",
    [PATH_PROBE_ANSWERED] = "GSGGD",
    [PATH_PROBE_ANSWERED_SKIP] = "GSSGD",
    [PATH_PROBE_MARKED] = "SSSSD",
    [PATH_SPURIOUS] = "GSGGD",
    [PATH_SPURIOUS_SKIP] = "GSSSD",
    [PATH_ADMIN_DENY] = "DDDDD",
    [PATH_ADMIN_ALLOW] = "GSUBG",
    [PATH_REPLACED] = "GGGGG",
};

SPEC("every signal moves every state as the figure says")
{
    static const char letters[EV_STATE_COUNT] = { [EV_GOOD] = 'G',
        [EV_SKIP] = 'S',
        [EV_SUSPECT] = 'U',
        [EV_ASSUMED_BAD] = 'B',
        [EV_DENIED] = 'D' };

    for (uint32_t signal = 0; signal < PATH_SIGNAL_COUNT; signal++)
        for (uint32_t state = 0; state < EV_STATE_COUNT; state++) {
            enum path_ev_state next = ev_state_next(state, signal);

            EXPECT_LT(next, EV_STATE_COUNT);
            EXPECT_EQ(letters[next], figure[signal][state]);
        }
}

SPEC("only the controller ends DENIED")
{
    for (uint32_t signal = 0; signal < PATH_SIGNAL_COUNT; signal++)
        if (signal != PATH_ADMIN_ALLOW && signal != PATH_REPLACED)
            EXPECT_EQ(ev_state_next(EV_DENIED, signal), EV_DENIED);
}

SPEC("GOOD and SKIP are the usable states")
{
    EXPECT(ev_state_is_usable(EV_GOOD));
    EXPECT(ev_state_is_usable(EV_SKIP));
    EXPECT(!ev_state_is_usable(EV_SUSPECT));
    EXPECT(!ev_state_is_usable(EV_ASSUMED_BAD));
    EXPECT(!ev_state_is_usable(EV_DENIED));
}
