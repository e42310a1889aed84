/* SPDX-License-Identifier: Apache-2.0 */
/* Writes requests. */
#include "control/request_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void add_text(
    struct request_line *line, const char *format, ...)
{
    size_t room = sizeof(line->text) - line->length;
    va_list arguments;
    int wrote;

    va_start(arguments, format);
    wrote = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    if (wrote < 0 || (size_t)wrote >= room)
        line->is_cut = true;
    else
        line->length += (size_t)wrote;
}

void request_line_begin(struct request_line *line, const char *request)
{
    line->length = 0;
    line->is_cut = false;
    add_text(line, "%s", request);
}

void request_line_number(struct request_line *line, const char *name, uint64_t value)
{
    add_text(line, " %s=%" PRIu64, name, value);
}

void request_line_text(struct request_line *line, const char *name, const char *value)
{
    request_line_list(line, name, &value, 1);
}

void request_line_list(
    struct request_line *line, const char *name, const char *const *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        add_text(line, "%s%s%s%s", i ? "" : " ", i ? "" : name, i ? "," : "=", values[i]);
        line->is_cut |= values[i][strcspn(values[i], " \t\r\n")] != '\0';
    }
}

void request_line_flag(struct request_line *line, const char *name)
{
    add_text(line, " %s", name);
}
