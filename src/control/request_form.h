/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of requests to NICs and fabrics. A request is one line of words: its name and its
 * arguments. An argument is NAME=VALUE, a flag is its name alone, and a value without a name
 * belongs to the next argument of the table.
 *
 *     ev 17
 *     ev qpn=17
 *     fault where=h0.p0,h1.p0 kind=down for_ps=2000000
 *
 * A server has a table of the requests that it answers. Parsing, error messages and the answer to
 * the request `help` come from the table. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "pktio/pktio.h"

#define REQUEST_REASON_BYTES  256
#define REQUEST_ARGUMENTS_MAX 16
#define REQUEST_LINE_BYTES    CONTROL_REQUEST_BYTES

enum request_argument_kind {
    REQUEST_NUMBER,
    REQUEST_WORD, /* one of a list of words */
    REQUEST_TEXT, /* without blanks */
    REQUEST_FLAG,
    REQUEST_ARGUMENT_KIND_COUNT,
};

struct request_argument {
    const char *name;
    enum request_argument_kind kind;
    bool is_required;
    uint64_t min;             /* of a number */
    uint64_t max;             /* of a number; 0: any */
    const char *const *words; /* of a word; ends with NULL */
};

struct request;

struct request_form {
    const char *name;
    const char *help;                         /* a sentence without its full stop */
    const struct request_argument *arguments; /* ends with a name of NULL; NULL: takes none */
    /* Returns a JSON object that the caller frees, or NULL if there is no memory. NULL for a
     * request to follow, which the server admits itself. */
    char *(*answer)(void *context, const struct request *);
};

/* A parsed request. */
struct request {
    const struct request_form *form;
    bool is_given[REQUEST_ARGUMENTS_MAX];
    uint64_t numbers[REQUEST_ARGUMENTS_MAX]; /* of a word: its index */
    const char *texts[REQUEST_ARGUMENTS_MAX];
    char line[REQUEST_LINE_BYTES]; /* in which the texts are */
};

/* Parses a request. The table ends with a name of NULL. Returns false and a reason that says what
 * is wrong and what is allowed. */
bool request_form_parse(const struct request_form *forms, const char *text, struct request *,
    char reason[static REQUEST_REASON_BYTES]);

/* Answers a request from the table: an error, the list of requests, or what its function returns.
 * The caller frees the answer. */
char *request_form_answer(const struct request_form *forms, void *context, const char *text);

/* The argument must be in the table of the request. */
bool request_form_has(const struct request *, const char *name);
/* Returns the number, or the index of the word, or 0 if the argument is not given. */
uint64_t request_form_number(const struct request *, const char *name);
/* Returns NULL if the argument is not given. */
const char *request_form_text(const struct request *, const char *name);
