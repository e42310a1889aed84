/* SPDX-License-Identifier: Apache-2.0 */
/* Lines, words, fields and numbers of a text. */
#include "files/text_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"

enum { MESSAGE_BYTES = 384 };

/* UTF-8: what spreadsheets write before the first line. */
static const char byte_order_mark[] = "\xef\xbb\xbf";

void text_file_init(struct text_file *file, struct yaml *yaml, const char *source, const char *text)
{
    if (strncmp(text, byte_order_mark, sizeof(byte_order_mark) - 1) == 0)
        text += sizeof(byte_order_mark) - 1;
    *file = (struct text_file){
        .yaml = yaml, .source = source, .at = text, .line_start = text, .word_at = text
    };
}

static void skip_blanks(struct text_file *file)
{
    while (*file->at == ' ' || *file->at == '\t' || *file->at == '\r')
        file->at++;
}

static void take_word(struct text_file *file, const char *start, size_t length)
{
    size_t copied = length < sizeof(file->word) ? length : sizeof(file->word) - 1;

    file->word_at = start;
    file->word_bytes = length;
    memcpy(file->word, start, copied);
    file->word[copied] = '\0';
}

bool text_file_next_line(struct text_file *file)
{
    if (file->line > 0) {
        file->at += strcspn(file->at, "\n");
        file->at += *file->at == '\n';
    }
    file->line++;
    file->line_start = file->at;
    take_word(file, file->at, 0);
    file->field_count = 0;
    return *file->at;
}

bool text_file_fits(struct text_file *file)
{
    return file->word_bytes < sizeof(file->word) ||
           text_file_complain(file, "a word of %zu characters; at most %zu", file->word_bytes,
               sizeof(file->word) - 1);
}

bool text_file_next(struct text_file *file, const char *stops)
{
    const char *start;
    size_t length = 0;

    skip_blanks(file);
    start = file->at;
    while (start[length] && !strchr(" \t\r\n", start[length]) && !strchr(stops, start[length]))
        length++;
    if (length == 0 && *start && *start != '\n')
        length = 1;
    file->at = start + length;
    take_word(file, start, length);
    return length > 0 && text_file_fits(file);
}

/* The opening quote has been read. */
static bool take_quoted(struct text_file *file)
{
    const char *start = file->at;
    size_t length = strcspn(start, "\"\n");

    file->word_at = start;
    if (start[length] != '"')
        return text_file_complain(file, "the closing \" is missing");
    file->at = start + length + 1;
    skip_blanks(file);
    if (*file->at && *file->at != ',' && *file->at != '\n')
        return text_file_complain(file, "a comma is expected after the closing \"");
    take_word(file, start, length);
    return true;
}

bool text_file_next_field(struct text_file *file)
{
    const char *start;
    size_t length;

    if (file->field_count++ > 0) {
        if (*file->at != ',')
            return false;
        file->at++;
    }
    skip_blanks(file);
    if (*file->at == '"') {
        file->at++;
        return take_quoted(file);
    }
    start = file->at;
    length = strcspn(start, ",\n");
    file->at = start + length;
    while (length > 0 && strchr(" \t\r", start[length - 1]))
        length--;
    take_word(file, start, length);
    return true;
}

bool text_file_number(struct text_file *file, const char *what, uint64_t most, uint64_t *out)
{
    const char *at = file->word;

    if (*at == '-')
        return text_file_complain(file, "%s %s is negative", what, file->word);
    if (!scan_u64(&at, out) || *at)
        return *file->word ? text_file_complain(file, "'%s' is not a number; %s is expected here",
                                 file->word, what)
                           : text_file_complain(file, "%s is missing", what);
    if (*out > most)
        return text_file_complain(
            file, "%s %s is too large; at most %llu", what, file->word, (unsigned long long)most);
    return true;
}

bool text_file_count(struct text_file *file, const char *what, uint32_t *out)
{
    uint64_t number = 0;
    bool is_number = text_file_number(file, what, UINT32_MAX - 1, &number);

    *out = (uint32_t)number;
    return is_number;
}

/* ---- messages -------------------------------------------------------------------------------- */

bool text_file_complain(struct text_file *file, const char *format, ...)
{
    struct yaml_place place = { .source = file->source,
        .line = file->line,
        .column = (uint32_t)(file->word_at - file->line_start) + 1 };
    char message[MESSAGE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    return yaml_complain_at(file->yaml, place, "%s", message);
}

bool text_file_complain_line(struct text_file *file, uint32_t line, const char *format, ...)
{
    struct yaml_place place = { .source = file->source, .line = line, .column = 1 };
    char message[MESSAGE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    return yaml_complain_at(file->yaml, place, "%s", message);
}
