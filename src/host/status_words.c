/* SPDX-License-Identifier: Apache-2.0 */
/* Words for numbers. */
#include "host/status_words.h"

const char *status_word_ev_state(enum path_ev_state state)
{
    static const char *const words[EV_STATE_COUNT] = {
        [EV_GOOD] = "good",
        [EV_SKIP] = "skip",
        [EV_ASSUMED_BAD] = "bad",
        [EV_DENIED] = "denied",
    };

    return state < EV_STATE_COUNT ? words[state] : "unknown";
}

const char *status_word_signal(enum path_signal signal)
{
    static const char *const words[PATH_SIGNAL_COUNT] = {
        [PATH_MARKED_SKIP_ONCE] = "marked_skip_once",
        [PATH_MARKED_ALWAYS_SKIP] = "marked_always_skip",
        [PATH_MARKED_SPARED] = "marked_spared",
        [PATH_TRIMMED] = "trimmed",
        [PATH_LOST] = "lost",
        [PATH_LOST_SPARED] = "lost_spared",
        [PATH_SKIP_ELAPSED] = "skip_elapsed",
        [PATH_PROBE_ANSWERED] = "probe_answered",
        [PATH_PROBE_MARKED] = "probe_marked",
        [PATH_SPURIOUS] = "spurious",
        [PATH_SPURIOUS_SKIP] = "spurious_skip",
        [PATH_ADMIN_DENY] = "deny",
        [PATH_ADMIN_ALLOW] = "allow",
        [PATH_REPLACED] = "replaced",
        [PATH_TOLD_BAD] = "told_bad",
        [PATH_TOLD_GOOD] = "told_good",
    };

    return signal < PATH_SIGNAL_COUNT ? words[signal] : "unknown";
}

const char *status_word_qp_state(enum qp_state state)
{
    static const char *const words[QP_STATE_COUNT] = {
        [QP_RESET] = "RESET",
        [QP_INIT] = "INIT",
        [QP_RTR] = "RTR",
        [QP_RTS] = "RTS",
        [QP_ERR] = "ERROR",
    };

    return state < QP_STATE_COUNT ? words[state] : "unknown";
}

const char *status_word_completion(enum completion_status status)
{
    static const char *const words[COMPLETION_STATUS_COUNT] = {
        [COMPLETION_SUCCESS] = "success",
        [COMPLETION_LOCAL_PROTECTION] = "local_protection",
        [COMPLETION_FLUSHED] = "flushed",
        [COMPLETION_REMOTE_INVALID_REQUEST] = "remote_invalid_request",
        [COMPLETION_REMOTE_ACCESS] = "remote_access",
        [COMPLETION_REMOTE_OPERATION] = "remote_operation",
        [COMPLETION_RETRY_EXCEEDED] = "retry_exceeded",
    };

    return status < COMPLETION_STATUS_COUNT ? words[status] : "unknown";
}
