/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT and SIGTERM: while a test runs, the first one ends the test, the second the program. */
#pragma once

/* From now on, a signal sets the flag that is returned, unless the signal is ignored. */
const volatile int *perf_interrupt_catch(void);
/* Until it is called again, a signal ends the program. */
void perf_interrupt_let_go(void);
