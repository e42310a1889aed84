/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end a test. */
#include "cmd/perf_interrupt.h"

#include <signal.h>
#include <stddef.h>

static const int signals[] = { SIGINT, SIGTERM };
static volatile int is_interrupted;

enum { SIGNAL_COUNT = sizeof(signals) / sizeof(signals[0]) };

static void on_signal(int number)
{
    (void)number;
    is_interrupted = 1;
}

static void replace(void (*from)(int), const struct sigaction *to)
{
    struct sigaction now;

    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == from)
            sigaction(signals[i], to, NULL);
}

const volatile int *perf_interrupt_catch(void)
{
    replace(SIG_DFL, &(struct sigaction){ .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND });
    return &is_interrupted;
}

void perf_interrupt_let_go(void)
{
    replace(on_signal, &(struct sigaction){ .sa_handler = SIG_DFL });
}
