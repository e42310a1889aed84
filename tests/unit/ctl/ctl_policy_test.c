/* SPDX-License-Identifier: Apache-2.0 */
/* The policy alone: when it drains and restores, and what holds it back. */
#include "ctl/ctl_policy.h"

#include "base/prng.h"
#include "ctl/ctl_pace.h"
#include "spec.h"

enum { HOLD_MS = 60000, CLEAN_ROUNDS = 3, ROUND_MS = 3000 };

static struct ctl_policy policy;
static uint64_t now_ms;

static void begin(enum ctl_policy_mode mode, uint32_t actions_max)
{
    now_ms = 10 * CTL_POLICY_HOUR_MS;
    ctl_policy_init(&policy, &(struct ctl_policy_config){ .mode = mode,
                                 .actions_max = actions_max,
                                 .hold_ms = HOLD_MS,
                                 .clean_rounds = CLEAN_ROUNDS });
}

/* Returns what the policy wanted last in a round with this verdict: 'd', 'r' or '-'. */
static char round_with(const char *element, bool is_covered, bool is_done)
{
    struct ctl_decision decision;
    char wanted = '-';

    now_ms += ROUND_MS;
    ctl_policy_begin_round(&policy);
    if (element)
        ctl_policy_blame(&policy, element, now_ms);
    ctl_policy_end_round(&policy, is_covered, now_ms);
    while (ctl_policy_next(&policy, now_ms, &decision)) {
        wanted = decision.verb == CTL_POLICY_DRAIN ? 'd' : 'r';
        ctl_policy_tried(&policy, &decision, is_done, now_ms);
    }
    return wanted;
}

/* Returns the number of rounds without a verdict until the policy restores. */
static uint32_t rounds_until_restored(void)
{
    uint32_t count = 1;

    while (round_with(NULL, true, true) != 'r' && count < 100000)
        count++;
    return count;
}

SPEC("an element with a verdict is drained once, and restored after its hold-off")
{
    begin(CTL_POLICY_ON, 10);
    EXPECT_EQ(round_with("p0.t1.0", true, true), 'd');
    EXPECT_EQ(round_with("p0.t1.0", true, true), '-');
    EXPECT_EQ(rounds_until_restored(), HOLD_MS / ROUND_MS - 1);
}

SPEC("the hold-off doubles with each relapse, up to a day")
{
    begin(CTL_POLICY_ON, CTL_POLICY_ACTIONS_MAX);
    for (uint64_t hold_ms = HOLD_MS; hold_ms < CTL_POLICY_HOLD_MAX_MS; hold_ms *= 2) {
        EXPECT_EQ(round_with("p0.t1.0", true, true), 'd');
        EXPECT_EQ(rounds_until_restored(), hold_ms / ROUND_MS);
    }
    EXPECT_EQ(round_with("p0.t1.0", true, true), 'd');
    EXPECT_EQ(rounds_until_restored(), CTL_POLICY_HOLD_MAX_MS / ROUND_MS);
}

SPEC("an element that stayed good for twice its hold-off begins anew")
{
    begin(CTL_POLICY_ON, 10);
    EXPECT_EQ(round_with("p0.t1.0", true, true), 'd');
    rounds_until_restored();
    for (uint32_t i = 0; i <= 2 * HOLD_MS / ROUND_MS; i++)
        round_with(NULL, true, true);
    EXPECT_EQ(policy.case_count, 0);
}

SPEC("rounds without reports are not clean")
{
    begin(CTL_POLICY_ON, 10);
    EXPECT_EQ(round_with("p0.t1.0", true, true), 'd');
    for (uint32_t i = 0; i < 10 * HOLD_MS / ROUND_MS; i++)
        EXPECT_EQ(round_with(NULL, false, true), '-');
    EXPECT_EQ(rounds_until_restored(), CLEAN_ROUNDS);
}

SPEC("a verdict that returns while the element is drained begins the clean rounds again")
{
    begin(CTL_POLICY_ON, 10);
    round_with("p0.t1.0", true, true);
    for (uint32_t i = 0; i < HOLD_MS / ROUND_MS; i++)
        round_with(i % CLEAN_ROUNDS ? NULL : "p0.t1.0", true, true);
    round_with("p0.t1.0", true, true);
    EXPECT_EQ(rounds_until_restored(), CLEAN_ROUNDS);
}

SPEC("what was refused is tried again after a minute, then less often")
{
    uint32_t tries = 0;

    begin(CTL_POLICY_ON, 10);
    EXPECT_EQ(round_with("p0.t1.0", true, false), 'd');
    for (uint32_t i = 0; i < 60000 / ROUND_MS - 1; i++)
        EXPECT_EQ(round_with("p0.t1.0", true, false), '-');
    EXPECT_EQ(round_with("p0.t1.0", true, false), 'd');
    for (uint32_t i = 0; i < 24 * CTL_POLICY_HOUR_MS / ROUND_MS; i++)
        tries += round_with("p0.t1.0", true, false) == 'd';
    EXPECT_LE(tries, 30);
    EXPECT_EQ(ctl_policy_actions(&policy, now_ms), 0);
}

SPEC("an element that an operator restored is left alone until its verdict has ended")
{
    begin(CTL_POLICY_ON, 10);
    round_with("p0.t1.0", true, true);
    ctl_policy_overrule(&policy, 0, now_ms);
    for (uint32_t i = 0; i < 100; i++)
        EXPECT_EQ(round_with("p0.t1.0", true, true), '-');
    EXPECT_EQ(round_with(NULL, true, true), '-');
    EXPECT_EQ(round_with("p0.t1.0", true, true), 'd');
}

SPEC("a policy that is off wants nothing")
{
    begin(CTL_POLICY_OFF, 10);
    EXPECT_EQ(round_with("p0.t1.0", true, true), '-');
}

SPEC("actions of an earlier process count, and what it drained is restored")
{
    begin(CTL_POLICY_ON, 2);
    ctl_policy_recall_action(&policy, now_ms - 10000);
    ctl_policy_recall_drain(&policy, "p0.t1.1", 2, now_ms);
    EXPECT_EQ(ctl_policy_actions(&policy, now_ms), 1);
    EXPECT_EQ(rounds_until_restored(), 2 * HOLD_MS / ROUND_MS);
    EXPECT_EQ(round_with("p0.t1.0", true, true), '-'); /* two in this hour */
}

PROPERTY("no hour has more actions than allowed, whatever the verdicts", 200)
{
    struct prng prng = { .state = seed };
    uint32_t most = 1 + prng_below(&prng, 8);
    uint64_t actions_ms[4096];
    uint32_t count = 0;

    begin(CTL_POLICY_ON, most);
    for (uint32_t step = 0; step < 3000; step++) {
        struct ctl_decision decision;

        now_ms += prng_below(&prng, 60000);
        ctl_policy_begin_round(&policy);
        for (uint32_t i = 0; i < 6; i++)
            if (prng_below(&prng, 3) == 0) {
                char name[] = "p0.t1.0";

                name[6] = (char)('0' + prng_below(&prng, 8));
                ctl_policy_blame(&policy, name, now_ms);
            }
        ctl_policy_end_round(&policy, prng_below(&prng, 4) > 0, now_ms);
        while (ctl_policy_next(&policy, now_ms, &decision)) {
            bool is_done = prng_below(&prng, 3) > 0;

            ctl_policy_tried(&policy, &decision, is_done, now_ms);
            if (is_done && count < 4096)
                actions_ms[count++] = now_ms;
        }
        if (count > most)
            EXPECT_GE(actions_ms[count - 1] - actions_ms[count - 1 - most], CTL_POLICY_HOUR_MS);
    }
    EXPECT_GE(count, most);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

PROPERTY("an agent whose clock is off and drifts counts the controller's periods", 200)
{
    struct prng prng = { .state = seed };
    int64_t off_ms = (int64_t)prng_below(&prng, UINT32_MAX) - UINT32_MAX / 2;
    int64_t drift_ppm = (int64_t)prng_below(&prng, 1000) - 500;
    struct ctl_pace pace = { 0 };

    for (uint64_t theirs_ms = UINT64_C(10000000000); theirs_ms < UINT64_C(10100000000);
         theirs_ms += 3000) {
        int64_t passed_ms = (int64_t)(theirs_ms - UINT64_C(10000000000));
        uint64_t ours_ms = theirs_ms + (uint64_t)(off_ms + passed_ms * drift_ppm / 1000000);
        uint32_t there_ms = prng_below(&prng, 30);
        uint32_t back_ms = prng_below(&prng, 30);
        int64_t wrong_ms;

        ctl_pace_hear(&pace, ours_ms - there_ms, ours_ms + back_ms, theirs_ms);
        wrong_ms = (int64_t)(ctl_pace_ms(&pace, ours_ms) - theirs_ms);
        EXPECT_LE(wrong_ms, 30);
        EXPECT_GE(wrong_ms, -30);
    }
}

SPEC("a controller on another machine has another clock, which is followed at once")
{
    struct ctl_pace pace = { 0 };

    ctl_pace_hear(&pace, 1000, 1010, 5000000);
    EXPECT_EQ(ctl_pace_ms(&pace, 1005), 5000000);
    ctl_pace_hear(&pace, 4000, 4010, 700);
    EXPECT_LE(ctl_pace_ms(&pace, 4005), 705);
    EXPECT_GE(ctl_pace_ms(&pace, 4005), 695);
}
