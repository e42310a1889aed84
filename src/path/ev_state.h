/* SPDX-License-Identifier: Apache-2.0 */
/* The state machine of an EV (docs/protocol.md §15). */
#pragma once

#include "path/path.h"

enum path_ev_state ev_state_next(enum path_ev_state, enum path_signal);

static inline bool ev_state_is_usable(enum path_ev_state state)
{
    return state == EV_GOOD || state == EV_SKIP;
}
