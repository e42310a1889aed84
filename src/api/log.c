/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines on standard error. */
#include "api/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

enum {
    WINDOW_S = 10,
    LINES_MAX = 20, /* per window */
};

static const char *const names[] = { "ERROR", "WARN", "INFO", "DEBUG" };

static enum log_level wanted(void)
{
    const char *text = getenv("MRC_LOG_LEVEL");

    for (unsigned int i = 0; text && i < sizeof(names) / sizeof(names[0]); i++)
        if (strcasecmp(text, names[i]) == 0 || (text[0] == (char)('0' + i) && !text[1]))
            return (enum log_level)i;
    return LOG_WARN;
}

static uint64_t window_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec / WINDOW_S + 1;
}

/* Limits the number of lines: peers can cause lines, but must not determine their number. */
static bool may_speak(void)
{
    static _Atomic uint64_t window;
    static _Atomic uint32_t spoken;
    static _Atomic uint32_t left_out;
    uint64_t now = window_now();

    if (atomic_exchange(&window, now) != now) {
        uint32_t missing = atomic_exchange(&left_out, 0);

        atomic_store(&spoken, 0);
        if (missing > 0)
            fprintf(stderr, "libmrc: WARN: %u more lines were suppressed\n", missing);
    }
    if (atomic_fetch_add(&spoken, 1) < LINES_MAX)
        return true;
    atomic_fetch_add(&left_out, 1);
    return false;
}

void log_line(enum log_level level, const char *format, ...)
{
    int number = errno;
    char text[512];
    va_list arguments;

    if (level > wanted() || !may_speak())
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fprintf(stderr, "libmrc: %s: %s\n", names[level], text);
    errno = number;
}
