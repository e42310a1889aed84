/* SPDX-License-Identifier: Apache-2.0 */
/* The words for states, completions and loss rules, in JSON and for users. */
#include "transport/loss.h"
#include "transport/transport.h"

const char *transport_state_word(enum qp_state state)
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

const char *transport_completion_word(enum completion_status status)
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

const char *transport_rule_word(uint64_t rule)
{
    static const char *const words[LOSS_RULE_COUNT] = {
        [LOSS_BY_TIME] = "time",
        [LOSS_BY_COUNT] = "count",
        [LOSS_BY_PROBE] = "probe",
        [LOSS_BY_TIMEOUT] = "timeout",
        [LOSS_BY_PORT] = "port_down",
        [LOSS_BY_TRIM] = "trimmed",
        [LOSS_BY_TRIM_LASTHOP] = "trimmed_lasthop",
        [LOSS_BY_NACK] = "nack",
    };

    return rule < LOSS_RULE_COUNT ? words[rule] : "unknown";
}
