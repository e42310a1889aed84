/* SPDX-License-Identifier: Apache-2.0 */
/* The words for EV states and the causes of their changes, in JSON and for users. */
#include "path/path.h"

const char *path_state_word(enum path_ev_state state)
{
    static const char *const words[EV_STATE_COUNT] = {
        [EV_GOOD] = "good",
        [EV_SKIP] = "skip",
        [EV_SUSPECT] = "suspect",
        [EV_ASSUMED_BAD] = "bad",
        [EV_DENIED] = "denied",
    };

    return state < EV_STATE_COUNT ? words[state] : "unknown";
}

const char *path_signal_word(enum path_signal signal)
{
    static const char *const words[PATH_SIGNAL_COUNT] = {
        [PATH_MARKED_SKIP_ONCE] = "marked_skip_once",
        [PATH_MARKED_ALWAYS_SKIP] = "marked_always_skip",
        [PATH_MARKED_SPARED] = "marked_spared",
        [PATH_TRIMMED] = "trimmed",
        [PATH_DELAYED] = "delayed",
        [PATH_LOST] = "lost",
        [PATH_LOST_SPARED] = "lost_spared",
        [PATH_SUSPECTED] = "suspected",
        [PATH_SILENT] = "silent",
        [PATH_SKIP_ELAPSED] = "skip_elapsed",
        [PATH_PROBE_ANSWERED] = "probe_answered",
        [PATH_PROBE_ANSWERED_SKIP] = "probe_answered_skip",
        [PATH_PROBE_MARKED] = "probe_marked",
        [PATH_SPURIOUS] = "spurious",
        [PATH_SPURIOUS_SKIP] = "spurious_skip",
        [PATH_ADMIN_DENY] = "deny",
        [PATH_ADMIN_ALLOW] = "allow",
        [PATH_REPLACED] = "replaced",
    };

    return signal < PATH_SIGNAL_COUNT ? words[signal] : "unknown";
}
