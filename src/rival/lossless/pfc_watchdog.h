/* SPDX-License-Identifier: Apache-2.0 */
/* The watchdog of a port against pauses that do not end, as switches with SONiC have it: data that
 * waits behind a pause for too long is a storm. The port then drops its data, or sends it in spite
 * of the pause, until it has not been paused for some time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PFC_WATCHDOG_NEVER_PS UINT64_MAX

enum pfc_watchdog_action {
    PFC_WATCHDOG_DROP,
    PFC_WATCHDOG_FORWARD,
    PFC_WATCHDOG_OFF,
    PFC_WATCHDOG_ACTION_COUNT,
};
extern const char *const pfc_watchdog_action_words[PFC_WATCHDOG_ACTION_COUNT + 1];

struct pfc_watchdog_config {
    enum pfc_watchdog_action action;
    uint64_t detect_ps;  /* data waits this long behind a pause: a storm */
    uint64_t restore_ps; /* no pause for this long: the storm is over */
};

struct pfc_watchdog {
    uint64_t paused_ps;   /* since then; PFC_WATCHDOG_NEVER_PS: not paused */
    uint64_t deadline_ps; /* when pfc_watchdog_expire() is to be called */
    bool is_storm;
};

void pfc_watchdog_init(struct pfc_watchdog *);

/* The port is paused, and was not. */
void pfc_watchdog_on_pause(
    struct pfc_watchdog *, const struct pfc_watchdog_config *, bool has_data, uint64_t now_ps);
/* The pause ends. */
void pfc_watchdog_on_resume(
    struct pfc_watchdog *, const struct pfc_watchdog_config *, uint64_t now_ps);
/* Data begins to wait at the port. */
void pfc_watchdog_on_data(
    struct pfc_watchdog *, const struct pfc_watchdog_config *, uint64_t now_ps);

/* The deadline has come: a storm begins, or it is over. */
void pfc_watchdog_expire(struct pfc_watchdog *);
