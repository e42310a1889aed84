/* SPDX-License-Identifier: Apache-2.0 */
/* The watchdog of a port: when a storm begins and when it is over. */
#include "spec.h"

#include "rival/rival.h"

enum { DETECT = 100, RESTORE = 40 };

static const struct pfc_watchdog_config config = { .detect_ps = DETECT, .restore_ps = RESTORE };
static const struct pfc_watchdog_config none = {
    .action = PFC_WATCHDOG_OFF, .detect_ps = DETECT, .restore_ps = RESTORE
};

SPEC("data that waits behind a pause for the time of detection is a storm")
{
    struct pfc_watchdog watchdog;

    pfc_watchdog_init(&watchdog);
    pfc_watchdog_on_data(&watchdog, &config, 5);
    EXPECT_EQ(watchdog.deadline_ps, PFC_WATCHDOG_NEVER_PS);
    pfc_watchdog_on_pause(&watchdog, &config, true, 10);
    EXPECT_EQ(watchdog.deadline_ps, 10 + DETECT);
    pfc_watchdog_expire(&watchdog);
    EXPECT(watchdog.is_storm);
    EXPECT_EQ(watchdog.deadline_ps, PFC_WATCHDOG_NEVER_PS);
}

SPEC("the time counts from the first data, if the queue was empty when the pause began")
{
    struct pfc_watchdog watchdog;

    pfc_watchdog_init(&watchdog);
    pfc_watchdog_on_pause(&watchdog, &config, false, 10);
    EXPECT_EQ(watchdog.deadline_ps, PFC_WATCHDOG_NEVER_PS);
    pfc_watchdog_on_data(&watchdog, &config, 30);
    EXPECT_EQ(watchdog.deadline_ps, 30 + DETECT);
}

SPEC("a pause that ends in time is no storm")
{
    struct pfc_watchdog watchdog;

    pfc_watchdog_init(&watchdog);
    pfc_watchdog_on_pause(&watchdog, &config, true, 10);
    pfc_watchdog_on_resume(&watchdog, &config, 10 + DETECT - 1);
    EXPECT_EQ(watchdog.deadline_ps, PFC_WATCHDOG_NEVER_PS);
    EXPECT_EQ(watchdog.paused_ps, PFC_WATCHDOG_NEVER_PS);
}

SPEC("a storm is over when there was no pause for the time of restoration")
{
    struct pfc_watchdog watchdog;

    pfc_watchdog_init(&watchdog);
    pfc_watchdog_on_pause(&watchdog, &config, true, 10);
    pfc_watchdog_expire(&watchdog);
    pfc_watchdog_on_resume(&watchdog, &config, 200);
    EXPECT_EQ(watchdog.deadline_ps, 200 + RESTORE);
    pfc_watchdog_on_pause(&watchdog, &config, true, 210);
    EXPECT_EQ(watchdog.deadline_ps, PFC_WATCHDOG_NEVER_PS);
    pfc_watchdog_on_resume(&watchdog, &config, 300);
    EXPECT_EQ(watchdog.deadline_ps, 300 + RESTORE);
    pfc_watchdog_expire(&watchdog);
    EXPECT(!watchdog.is_storm);
}

SPEC("a watchdog that is off never acts")
{
    struct pfc_watchdog watchdog;

    pfc_watchdog_init(&watchdog);
    pfc_watchdog_on_pause(&watchdog, &none, true, 10);
    EXPECT_EQ(watchdog.deadline_ps, PFC_WATCHDOG_NEVER_PS);
    EXPECT_EQ(watchdog.paused_ps, 10);
}
