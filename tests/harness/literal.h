/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that follow MRC 1.0 and docs/protocol.md §26 to the letter, for tests that count
 * packets and nanoseconds. */
#pragma once

#include "transport/parameters.h"

static inline void literal_parameters(struct parameters *parameters)
{
    parameters_init(parameters, TIMERS_HARDWARE);
    parameters->mpr = 8;
    parameters->ev_active = 128;
    parameters->sack_gap = SACK_GAP_LITERAL;
    parameters->receiver_penalty = RECEIVER_PENALTY_OFF;
    parameters->timeout = 14;
    parameters->retry_exponential = 7;
    parameters->loss_to_bad = LOSS_TO_BAD_LITERAL;
    parameters->ev_skip = EV_SKIP_LITERAL;
    parameters->plane_share = PLANE_SHARE_EQUAL;
    parameters->ev_state_scope = EV_STATE_SCOPE_QP;
    parameters->probe_timeout = 100000;
    parameters->ev_active = 128;
    parameters->ev_probe_first = 1000000;
    parameters->ev_probe_longest = 1000000000;
    parameters->ev_probe_rate = 1000;
    parameters->ev_probe_successes = 3;
    parameters->ev_probe_successes_max = 24;
    parameters->port_up_holddown = 100000000;
    parameters->congestion_control = CONGESTION_CONTROL_NSCC;
}
