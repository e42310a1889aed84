/* SPDX-License-Identifier: Apache-2.0 */
/* How a bad EV comes back: by probes, more of them the sooner it had failed again. */
#pragma once

#include "path/ev_table.h"

/* The EV has just become ASSUMED_BAD. */
void ev_recovery_begin(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* The EV had a probe record and is not ASSUMED_BAD any more: the record goes to one that waits. */
void ev_recovery_end(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* The EV, ASSUMED_BAD or DENIED before, is usable again, for this reason. */
void ev_recovery_return(struct path_set *, uint32_t ev_index, enum path_signal, uint64_t now_ns);
