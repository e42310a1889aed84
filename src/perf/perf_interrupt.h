/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT and SIGTERM: the first one ends a test, in whatever it waits for, the second the program.
 */
#pragma once

#include <stdbool.h>

enum { PERF_INTERRUPT_SLICE_MS = 50 }; /* the longest wait without a look at what follows */

/* From now on, a signal is noted, unless it is ignored. */
void perf_interrupt_catch(void);
/* Until it is caught again, a signal ends the program with a message. */
void perf_interrupt_let_go(void);

/* A signal has come: the test ends when its ranks agree on that. */
bool perf_interrupt_has_come(void);
/* A signal came three seconds ago: the test ends without waiting for other ranks. */
bool perf_interrupt_is_urgent(void);
