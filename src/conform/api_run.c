/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of the process of a check: lines through a pipe, each with a letter in front. */
#include "conform/api_run.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conform/api_watch.h"

void api_run_enter(struct api_run *run, const char *call)
{
    atomic_store_explicit(&run->watch->call, call, memory_order_relaxed);
    atomic_fetch_add_explicit(&run->watch->entered, 1, memory_order_relaxed);
}

void api_run_call(struct api_run *run, const char *call, bool exists)
{
    api_run_enter(run, call);
    api_run_must(run, exists, "the library has no %s", call);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* A line is shorter than PIPE_BUF, so that lines of two processes do not mix. */
static void send_line(struct api_run *run, char letter, const char *format, va_list arguments)
{
    char text[API_WATCH_LINE_BYTES - 64];

    vsnprintf(text, sizeof(text), format, arguments);
    for (char *end = strchr(text, '\n'); end; end = strchr(end, '\n'))
        *end = ' ';
    if (dprintf(run->report_fd, "%c%s%s\n", letter, run->role, text) < 0)
        _exit(1);
}

#define SEND_LINE(run, letter, format)                                                             \
    do {                                                                                           \
        va_list arguments;                                                                         \
                                                                                                   \
        va_start(arguments, format);                                                               \
        send_line(run, letter, format, arguments);                                                 \
        va_end(arguments);                                                                         \
    } while (0)

void api_run_fail(struct api_run *run, const char *format, ...)
{
    run->has_failed = true;
    SEND_LINE(run, API_WATCH_FAIL, format);
}

void api_run_reading(struct api_run *run, uint32_t point, const char *format, ...)
{
    char text[200];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    dprintf(run->report_fd, "%c%u %s\n", API_WATCH_READING, point, text);
}

void api_run_done(struct api_run *run)
{
    void (*at_end)(struct api_run *) = atomic_exchange(&run->watch->at_end, NULL);

    if (at_end)
        at_end(run);
    atomic_store(&run->watch->is_done, true);
    _exit(0);
}

bool api_run_expect(struct api_run *run, bool is_true, const char *format, ...)
{
    if (!is_true) {
        run->has_failed = true;
        SEND_LINE(run, API_WATCH_FAIL, format);
    }
    return is_true;
}

void api_run_must(struct api_run *run, bool is_true, const char *format, ...)
{
    if (is_true)
        return;
    run->has_failed = true;
    SEND_LINE(run, API_WATCH_FAIL, format);
    api_run_done(run);
}

void api_run_skip(struct api_run *run, const char *format, ...)
{
    SEND_LINE(run, API_WATCH_SKIP, format);
    api_run_done(run);
}

void api_run_end(struct api_run *run, const char *format, ...)
{
    SEND_LINE(run, API_WATCH_END, format);
    api_run_done(run);
}

void api_run_silent(struct api_run *run, const char *format, ...)
{
    SEND_LINE(run, API_WATCH_SILENT, format);
    api_run_done(run);
}

bool api_run_lacks(const struct api_run *run, uint32_t feature)
{
    return run->lacks >> feature & 1;
}

/* ---- results of calls ------------------------------------------------------------------------ */

enum { WITHOUT_ERRNO = -1, WRONG_NUMBER = -2 };

static int error_of_errno(void)
{
    return errno > 0 ? errno : WITHOUT_ERRNO;
}

int api_run_error_null(const void *result)
{
    return result ? 0 : error_of_errno();
}

int api_run_error_minus(int result)
{
    if (result == -1)
        return error_of_errno();
    return result == 0 ? 0 : WRONG_NUMBER;
}

int api_run_error_number(int result)
{
    return result >= 0 ? result : WRONG_NUMBER;
}

const char *api_run_error_text(int error)
{
    if (error == 0)
        return "success";
    if (error == WITHOUT_ERRNO)
        return "a failure without errno";
    if (error < 0)
        return "a failure whose result is neither -1 nor an errno value, as this call returns";
    return strerrorname_np(error) ? strerrorname_np(error) : "an unknown errno value";
}

bool api_run_ends(struct api_run *run, int error, int expected, const char *what)
{
    return api_run_expect(run, error == expected, "%s: %s instead of %s", what,
        api_run_error_text(error), api_run_error_text(expected));
}

/* ---- waiting --------------------------------------------------------------------------------- */

uint64_t api_run_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

enum { YIELDS = 1000 }; /* turns of a wait before it sleeps */

struct api_wait api_run_wait(const struct api_run *run)
{
    return (struct api_wait){ .end_ms = api_run_now_ms() + run->patience_ms };
}

bool api_run_goes_on(struct api_wait *wait)
{
    if (++wait->turns < YIELDS)
        sched_yield();
    else
        usleep(200);
    return api_run_now_ms() < wait->end_ms;
}
