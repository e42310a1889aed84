/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the driver of a device. */
#include "conform/endpoint_ask.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REQUEST_BYTES = 1 << 17 };

#define DRIVER_NS (ENDPOINT_DRIVER_PATIENCE_S * UINT64_C(1000000000))

/* Returns the first word of a request, for messages. */
static int word_length(const char *request)
{
    return (int)strcspn(request, " \n");
}

static void end_gone(struct endpoint_bench *bench, const char *request)
{
    char fate[64];

    endpoint_driver_fate(&bench->driver, fate, sizeof(fate));
    endpoint_bench_end(
        bench, "the driver is gone at '%.*s': %s", word_length(request), request, fate);
}

static bool await_answer(struct endpoint_bench *bench, const char *request)
{
    uint64_t until_ns = conform_port_now_ns() + DRIVER_NS;
    enum endpoint_driver_news news = ENDPOINT_DRIVER_SILENT;

    while (news == ENDPOINT_DRIVER_SILENT && conform_port_now_ns() < until_ns) {
        if (!endpoint_bench_pump(bench, bench->driver.from_fd, until_ns))
            return false;
        news = endpoint_driver_read(&bench->driver);
    }
    if (news == ENDPOINT_DRIVER_SILENT)
        endpoint_bench_end(bench, "the driver has not answered '%.*s' for %d s",
            word_length(request), request, ENDPOINT_DRIVER_PATIENCE_S);
    else if (news == ENDPOINT_DRIVER_BABBLE)
        endpoint_bench_end(bench, "the driver answers '%.*s' with neither ok nor error: %.60s",
            word_length(request), request, bench->driver.line);
    else if (news == ENDPOINT_DRIVER_GONE)
        end_gone(bench, request);
    return news == ENDPOINT_DRIVER_ANSWERS;
}

static const char *judge_answer(struct endpoint_bench *bench, const char *request)
{
    const char *line = bench->driver.line;

    if (strncmp(line, "ok", 2) == 0)
        return line;
    if (strncmp(line, "error unsupported", 17) == 0)
        conform_report_skip(
            bench->report, "the driver does not support '%.*s'", word_length(request), request);
    else
        conform_report_fail(
            bench->report, "the driver refuses '%.*s': %s", word_length(request), request, line);
    return NULL;
}

const char *endpoint_ask(struct endpoint_bench *bench, const char *format, ...)
{
    static const char end[] = "\n";
    char request[REQUEST_BYTES];
    va_list arguments;
    int length;

    if (endpoint_bench_has_ended(bench))
        return NULL;
    va_start(arguments, format);
    length = vsnprintf(request, sizeof(request) - sizeof(end), format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof(request) - sizeof(end))
        return NULL;
    memcpy(request + length, end, sizeof(end));
    if (!endpoint_driver_send(&bench->driver, request)) {
        end_gone(bench, request);
        return NULL;
    }
    return await_answer(bench, request) ? judge_answer(bench, request) : NULL;
}
