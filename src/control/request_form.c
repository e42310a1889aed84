/* SPDX-License-Identifier: Apache-2.0 */
/* Parses requests by a table. */
#include "control/request_form.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"
#include "control/request_help.h"
#include "files/files.h"

static const char blanks[] = " \t\r\n";

__attribute__((format(printf, 2, 3))) static bool refuse_request(
    char reason[static REQUEST_REASON_BYTES], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, REQUEST_REASON_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool read_number(const struct request_form *form, const struct request_argument *argument,
    const char *value, uint64_t *out, char *reason)
{
    uint64_t max = argument->max ? argument->max : UINT64_MAX;
    const char *at = value;

    if (scan_u64(&at, out) && *at == '\0' && *out >= argument->min && *out <= max)
        return true;
    return refuse_request(reason, "%s: %s=%.64s: must be a number from %" PRIu64 " to %" PRIu64,
        form->name, argument->name, value, argument->min, max);
}

static bool read_word(const struct request_form *form, const struct request_argument *argument,
    const char *value, uint64_t *out, char *reason)
{
    int index = word_find(argument->words, value);
    char list[128];

    if (index >= 0) {
        *out = (uint64_t)index;
        return true;
    }
    word_list(argument->words, list, sizeof(list));
    return refuse_request(
        reason, "%s: %s=%.64s: must be %s", form->name, argument->name, value, list);
}

static bool read_value(struct request *request, uint32_t index, const char *value, char *reason)
{
    const struct request_argument *argument = &request->form->arguments[index];

    if (request->is_given[index])
        return refuse_request(reason, "%s: %s is given twice", request->form->name, argument->name);
    request->is_given[index] = true;
    request->texts[index] = value;
    switch (argument->kind) {
    case REQUEST_NUMBER:
        return read_number(request->form, argument, value, &request->numbers[index], reason);
    case REQUEST_WORD:
        return read_word(request->form, argument, value, &request->numbers[index], reason);
    case REQUEST_FLAG:
        request->numbers[index] = 1;
        return true;
    case REQUEST_TEXT:
    case REQUEST_ARGUMENT_KIND_COUNT:
        break;
    }
    return true;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static uint32_t count_arguments(const struct request_form *form)
{
    uint32_t count = 0;

    while (form->arguments && form->arguments[count].name)
        count++;
    assert(count <= REQUEST_ARGUMENTS_MAX);
    return count;
}

/* Returns the argument that a word names: a flag alone, the others before '='. Sets *value. */
static bool find_named(
    const struct request_form *form, const char *word, uint32_t *index, const char **value)
{
    size_t length = strcspn(word, "=");
    bool is_flag = word[length] == '\0';

    for (*index = 0; *index < count_arguments(form); ++*index) {
        const struct request_argument *argument = &form->arguments[*index];

        if (strncmp(argument->name, word, length) == 0 && argument->name[length] == '\0' &&
            (argument->kind == REQUEST_FLAG) == is_flag) {
            *value = is_flag ? word : word + length + 1;
            return true;
        }
    }
    return false;
}

/* Returns the first argument, flags aside, that has no value. */
static bool find_next(const struct request *request, uint32_t *index)
{
    for (*index = 0; *index < count_arguments(request->form); ++*index)
        if (!request->is_given[*index] && request->form->arguments[*index].kind != REQUEST_FLAG)
            return true;
    return false;
}

static bool read_argument(struct request *request, const char *word, char *reason)
{
    const char *value = word;
    char list[REQUEST_REASON_BYTES / 2];
    uint32_t index;

    if (find_named(request->form, word, &index, &value) ||
        (!strchr(word, '=') && find_next(request, &index)))
        return read_value(request, index, value, reason);
    request_help_usage(request->form, list, sizeof(list));
    return refuse_request(
        reason, "%s: '%.64s' is not an argument; write '%s'", request->form->name, word, list);
}

static bool check_required(const struct request *request, char *reason)
{
    for (uint32_t i = 0; i < count_arguments(request->form); i++)
        if (request->form->arguments[i].is_required && !request->is_given[i])
            return refuse_request(reason, "%s: %s= is missing", request->form->name,
                request->form->arguments[i].name);
    return true;
}

/* ---- requests -------------------------------------------------------------------------------- */

static const struct request_form *find_form(const struct request_form *forms, const char *name)
{
    for (; forms->name; forms++)
        if (strcmp(forms->name, name) == 0)
            return forms;
    return NULL;
}

static bool refuse_name(const struct request_form *forms, const char *name, char *reason)
{
    char list[160];

    request_help_names(forms, list, sizeof(list));
    return refuse_request(reason, "%s%.40s%s; the requests are %s", name ? "'" : "",
        name ? name : "the request is empty", name ? "' is not a request" : "", list);
}

bool request_form_parse(const struct request_form *forms, const char *text, struct request *request,
    char reason[static REQUEST_REASON_BYTES])
{
    char *rest;
    const char *word;

    *request = (struct request){ .form = NULL };
    if (strlen(text) >= sizeof(request->line))
        return refuse_request(
            reason, "a request has at most %zu characters", sizeof(request->line) - 1);
    memcpy(request->line, text, strlen(text) + 1);
    word = strtok_r(request->line, blanks, &rest);
    request->form = word ? find_form(forms, word) : NULL;
    if (!request->form)
        return refuse_name(forms, word, reason);
    while ((word = strtok_r(NULL, blanks, &rest)))
        if (!read_argument(request, word, reason))
            return false;
    return check_required(request, reason);
}

/* ---- the values of a request ----------------------------------------------------------------- */

static uint32_t index_of(const struct request *request, const char *name)
{
    uint32_t index = 0;

    while (request->form->arguments[index].name &&
           strcmp(request->form->arguments[index].name, name) != 0)
        index++;
    assert(request->form->arguments[index].name);
    return index;
}

bool request_form_has(const struct request *request, const char *name)
{
    return request->is_given[index_of(request, name)];
}

uint64_t request_form_number(const struct request *request, const char *name)
{
    return request->numbers[index_of(request, name)];
}

const char *request_form_text(const struct request *request, const char *name)
{
    return request->texts[index_of(request, name)];
}
