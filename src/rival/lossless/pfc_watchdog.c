/* SPDX-License-Identifier: Apache-2.0 */
/* When a storm begins and ends. */
#include "rival/lossless/pfc_watchdog.h"

#include <stddef.h>

const char *const pfc_watchdog_action_words[PFC_WATCHDOG_ACTION_COUNT + 1] = { "drop", "forward",
    "off", NULL };

void pfc_watchdog_init(struct pfc_watchdog *watchdog)
{
    *watchdog = (struct pfc_watchdog){ .paused_ps = PFC_WATCHDOG_NEVER_PS,
        .deadline_ps = PFC_WATCHDOG_NEVER_PS };
}

static bool is_paused(const struct pfc_watchdog *watchdog)
{
    return watchdog->paused_ps != PFC_WATCHDOG_NEVER_PS;
}

void pfc_watchdog_on_pause(struct pfc_watchdog *watchdog, const struct pfc_watchdog_config *config,
    bool has_data, uint64_t now_ps)
{
    watchdog->paused_ps = now_ps;
    watchdog->deadline_ps = PFC_WATCHDOG_NEVER_PS;
    if (has_data)
        pfc_watchdog_on_data(watchdog, config, now_ps);
}

void pfc_watchdog_on_resume(
    struct pfc_watchdog *watchdog, const struct pfc_watchdog_config *config, uint64_t now_ps)
{
    watchdog->paused_ps = PFC_WATCHDOG_NEVER_PS;
    watchdog->deadline_ps =
        watchdog->is_storm ? now_ps + config->restore_ps : PFC_WATCHDOG_NEVER_PS;
}

void pfc_watchdog_on_data(
    struct pfc_watchdog *watchdog, const struct pfc_watchdog_config *config, uint64_t now_ps)
{
    if (config->action != PFC_WATCHDOG_OFF && is_paused(watchdog) && !watchdog->is_storm)
        watchdog->deadline_ps = now_ps + config->detect_ps;
}

void pfc_watchdog_expire(struct pfc_watchdog *watchdog)
{
    watchdog->is_storm = !watchdog->is_storm;
    watchdog->deadline_ps = PFC_WATCHDOG_NEVER_PS;
}
