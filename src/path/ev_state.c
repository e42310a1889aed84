/* SPDX-License-Identifier: Apache-2.0 */
/* The state table of EVs: Figure 5 of MRC 1.0 and its text, one row per signal, one column per
 * state. */
#include "path/ev_state.h"

#include <assert.h>

/* clang-format off */
static const uint8_t next_state[PATH_SIGNAL_COUNT][EV_STATE_COUNT] = {
    /*                            GOOD            SKIP            SUSPECT         ASSUMED_BAD     DENIED */
    [PATH_MARKED_SKIP_ONCE]   = { EV_SKIP,        EV_SKIP,        EV_SUSPECT,     EV_ASSUMED_BAD, EV_DENIED },
    [PATH_MARKED_ALWAYS_SKIP] = { EV_ASSUMED_BAD, EV_ASSUMED_BAD, EV_ASSUMED_BAD, EV_ASSUMED_BAD, EV_DENIED },
    [PATH_MARKED_SPARED]      = { EV_SKIP,        EV_SKIP,        EV_SUSPECT,     EV_ASSUMED_BAD, EV_DENIED },
    [PATH_TRIMMED]            = { EV_SKIP,        EV_SKIP,        EV_SUSPECT,     EV_ASSUMED_BAD, EV_DENIED },
    [PATH_DELAYED]            = { EV_SKIP,        EV_SKIP,        EV_SUSPECT,     EV_ASSUMED_BAD, EV_DENIED },
    [PATH_LOST]               = { EV_ASSUMED_BAD, EV_ASSUMED_BAD, EV_ASSUMED_BAD, EV_ASSUMED_BAD, EV_DENIED },
    [PATH_LOST_SPARED]        = { EV_SKIP,        EV_SKIP,        EV_SUSPECT,     EV_ASSUMED_BAD, EV_DENIED },
    [PATH_SUSPECTED]          = { EV_SUSPECT,     EV_SUSPECT,     EV_SUSPECT,     EV_ASSUMED_BAD, EV_DENIED },
    [PATH_SILENT]             = { EV_GOOD,        EV_SKIP,        EV_ASSUMED_BAD, EV_ASSUMED_BAD, EV_DENIED },
    [PATH_SKIP_ELAPSED]       = { EV_GOOD,        EV_GOOD,        EV_SUSPECT,     EV_ASSUMED_BAD, EV_DENIED },
    [PATH_PROBE_ANSWERED]     = { EV_GOOD,        EV_SKIP,        EV_GOOD,        EV_GOOD,        EV_DENIED },
    [PATH_PROBE_ANSWERED_SKIP] = { EV_GOOD,       EV_SKIP,        EV_SKIP,        EV_GOOD,        EV_DENIED },
    [PATH_PROBE_MARKED]       = { EV_SKIP,        EV_SKIP,        EV_SKIP,        EV_SKIP,        EV_DENIED },
    [PATH_SPURIOUS]           = { EV_GOOD,        EV_SKIP,        EV_GOOD,        EV_GOOD,        EV_DENIED },
    [PATH_SPURIOUS_SKIP]      = { EV_GOOD,        EV_SKIP,        EV_SKIP,        EV_SKIP,        EV_DENIED },
    [PATH_ADMIN_DENY]         = { EV_DENIED,      EV_DENIED,      EV_DENIED,      EV_DENIED,      EV_DENIED },
    [PATH_ADMIN_ALLOW]        = { EV_GOOD,        EV_SKIP,        EV_SUSPECT,     EV_ASSUMED_BAD, EV_GOOD },
    [PATH_REPLACED]           = { EV_GOOD,        EV_GOOD,        EV_GOOD,        EV_GOOD,        EV_GOOD },
};
/* clang-format on */

enum path_ev_state ev_state_next(enum path_ev_state state, enum path_signal signal)
{
    assert(state < EV_STATE_COUNT);
    assert(signal < PATH_SIGNAL_COUNT);

    return (enum path_ev_state)next_state[signal][state];
}
