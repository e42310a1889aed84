/* SPDX-License-Identifier: Apache-2.0 */
/* Restores suspect and bad EVs by probes. Lossy EVs need more of them. */
#pragma once

#include "path/ev_table.h"

/* Begins to probe an EV that was usable or denied and has become SUSPECT or ASSUMED_BAD. */
void ev_recovery_begin(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* Ends the probing of an EV that is neither any more, and gives its record to an EV that waits. */
void ev_recovery_end(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* Makes an EV usable again, for this reason. */
void ev_recovery_return(struct path_set *, uint32_t ev_index, enum path_signal, uint64_t now_ns);
