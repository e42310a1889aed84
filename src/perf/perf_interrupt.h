/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT and SIGTERM: the first signal ends the test, even while it waits; the second ends the
 * program. */
#pragma once

#include <stdbool.h>

enum { PERF_INTERRUPT_SLICE_MS = 50 }; /* the longest wait without a check for signals */

/* Records signals from now on, unless they are ignored. */
void perf_interrupt_catch(void);
/* Until signals are caught again, a signal ends the program with a message. */
void perf_interrupt_let_go(void);

/* Returns whether a signal has come. The test ends when its ranks agree on that. */
bool perf_interrupt_has_come(void);
/* Returns whether a signal came three seconds ago. The test ends without waiting for other ranks.
 */
bool perf_interrupt_is_urgent(void);
