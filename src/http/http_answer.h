/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to a request. A handler fills it with one of these calls; without any, the answer is
 * an error of the server. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct http_answer {
    unsigned status;
    const char *type; /* of the content; static */
    char *text;       /* the server frees it unless is_borrowed */
    size_t text_bytes;
    bool is_borrowed;
};

#define HTTP_JSON   "application/json"
#define HTTP_PLAIN  "text/plain; charset=utf-8"
#define HTTP_HTML   "text/html; charset=utf-8"
#define HTTP_STREAM "text/event-stream" /* what a stream begins with */

/* Takes a text from malloc(). NULL means that there was no memory for it. */
void http_answer_text(struct http_answer *, unsigned status, const char *type, char *text);
/* Lends bytes that outlive the server, such as a page in the program. */
void http_answer_lend(struct http_answer *, const char *type, const void *bytes, size_t length);
/* Answers with the JSON object {"error": reason}. */
void http_answer_error(struct http_answer *, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
