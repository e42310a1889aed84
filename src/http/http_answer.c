/* SPDX-License-Identifier: Apache-2.0 */
/* Makes answers. */
#include "http/http_answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void http_answer_text(struct http_answer *answer, unsigned status, const char *type, char *text)
{
    *answer = (struct http_answer){ .status = status, .type = type, .text = text };
    if (text)
        answer->text_bytes = strlen(text);
    else
        answer->status = 500;
}

void http_answer_lend(
    struct http_answer *answer, const char *type, const void *bytes, size_t length)
{
    *answer = (struct http_answer){ .status = 200,
        .type = type,
        .text = (char *)(size_t)bytes,
        .text_bytes = length,
        .is_borrowed = true };
}

/* Writes a JSON string without its quotes. The reason is our own text with parts of a request, so
 * that what is not printable ASCII may be replaced. */
static void write_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text >= 0x20 && *text < 0x7f ? *text : '?', out);
    }
}

void http_answer_error(struct http_answer *answer, unsigned status, const char *format, ...)
{
    char reason[512];
    char *text = NULL;
    size_t bytes;
    va_list arguments;
    FILE *out = open_memstream(&text, &bytes);

    va_start(arguments, format);
    vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    if (out) {
        fputs("{\"error\": \"", out);
        write_escaped(out, reason);
        fputs("\"}\n", out);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    http_answer_text(answer, status, HTTP_JSON, text);
}
