/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that come from a table of requests: errors, and the list of requests. */
#include "control/request_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/request_form.h"

static const char help_name[] = "help";

static void write_argument(const struct request_argument *argument, FILE *out)
{
    fprintf(out, argument->is_required ? " %s" : " [%s", argument->name);
    if (argument->kind == REQUEST_NUMBER)
        fputs("=NUMBER", out);
    if (argument->kind == REQUEST_TEXT)
        fputs("=TEXT", out);
    for (uint32_t i = 0; argument->kind == REQUEST_WORD && argument->words[i]; i++)
        fprintf(out, "%c%s", i ? '|' : '=', argument->words[i]);
    fputs(argument->is_required ? "" : "]", out);
}

void request_help_usage(const struct request_form *form, char *out, size_t room_bytes)
{
    FILE *file = fmemopen(out, room_bytes, "w");

    out[0] = '\0';
    if (!file)
        return;
    fputs(form->name, file);
    for (uint32_t i = 0; form->arguments && form->arguments[i].name; i++)
        write_argument(&form->arguments[i], file);
    (void)fclose(file);
    out[room_bytes - 1] = '\0';
}

void request_help_names(const struct request_form *forms, char *out, size_t room_bytes)
{
    size_t used = 0;

    for (; forms->name && used < room_bytes; forms++)
        used += (size_t)snprintf(out + used, room_bytes - used, "%s, ", forms->name);
    if (used < room_bytes)
        snprintf(out + used - 2, room_bytes - used + 2, " and %s", help_name);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Text of a request may contain any byte. */
static void write_string(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text >= ' ' && *text < 0x7f ? *text : '?', out);
    }
    fputc('"', out);
}

static char *answer_problem(const char *reason)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return NULL;
    fputs("{\"error\":", out);
    write_string(reason, out);
    fputs("}\n", out);
    return fclose(out) == 0 ? text : NULL;
}

static char *answer_help(const struct request_form *forms)
{
    char usage[512];
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return NULL;
    fputs("{\"requests\":[", out);
    for (uint32_t i = 0; forms[i].name; i++) {
        request_help_usage(&forms[i], usage, sizeof(usage));
        fputs(i ? ",\n{\"request\":" : "{\"request\":", out);
        write_string(usage, out);
        fputs(",\"help\":", out);
        write_string(forms[i].help, out);
        fputc('}', out);
    }
    fputs("]}\n", out);
    return fclose(out) == 0 ? text : NULL;
}

char *request_form_answer(const struct request_form *forms, void *context, const char *text)
{
    char reason[REQUEST_REASON_BYTES];
    struct request request;

    if (strcmp(text, help_name) == 0)
        return answer_help(forms);
    if (!request_form_parse(forms, text, &request, reason))
        return answer_problem(reason);
    if (!request.form->answer)
        return answer_problem("the server does not accept this request now");
    return request.form->answer(context, &request);
}
