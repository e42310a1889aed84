/* SPDX-License-Identifier: Apache-2.0 */
/* How a suspect or bad EV comes back: by probes, more of them where it loses again and again. */
#pragma once

#include "path/ev_table.h"

/* The EV was usable or denied, and has just become SUSPECT or ASSUMED_BAD. */
void ev_recovery_begin(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* The EV had a probe record and is neither any more: the record goes to one that waits. */
void ev_recovery_end(struct path_set *, uint32_t ev_index, uint64_t now_ns);

/* The EV, which was not usable, is so again, for this reason. */
void ev_recovery_return(struct path_set *, uint32_t ev_index, enum path_signal, uint64_t now_ns);
