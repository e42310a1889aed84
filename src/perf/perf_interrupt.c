/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end a test. */
#include "perf/perf_interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

static const int signals[] = { SIGINT, SIGTERM };
static volatile sig_atomic_t is_interrupted;
static uint64_t urgent_ns; /* when the first signal came; 0 if not known yet */

enum { SIGNAL_COUNT = sizeof(signals) / sizeof(signals[0]) };

#define PATIENCE_NS UINT64_C(3000000000) /* for other ranks, and for writes in flight */

static void note_signal(int number)
{
    (void)number;
    is_interrupted = 1;
}

/* SA_RESETHAND has restored the default action. */
static void end_program(int number)
{
    static const char text[] = "mrc perf: interrupted\n";

    ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);

    (void)written;
    raise(number);
}

static void replace_handlers(void (*from)(int), void (*to)(int))
{
    const struct sigaction action = { .sa_handler = to, .sa_flags = (int)SA_RESETHAND };
    struct sigaction now;

    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == from)
            sigaction(signals[i], &action, NULL);
}

void perf_interrupt_catch(void)
{
    replace_handlers(SIG_DFL, note_signal);
    replace_handlers(end_program, note_signal);
}

void perf_interrupt_let_go(void)
{
    replace_handlers(note_signal, end_program);
}

bool perf_interrupt_has_come(void)
{
    return is_interrupted;
}

bool perf_interrupt_is_urgent(void)
{
    struct timespec now;
    uint64_t now_ns;

    if (!is_interrupted)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    if (urgent_ns == 0)
        urgent_ns = now_ns + PATIENCE_NS;
    return now_ns >= urgent_ns;
}
