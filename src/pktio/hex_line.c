/* SPDX-License-Identifier: Apache-2.0 */
/* Parses hex lines. */
#include "pktio/hex_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n";
static const char hex_digits[] = "0123456789abcdefABCDEF";
static const char decimal_digits[] = "0123456789";

struct word {
    char *at;
    size_t length;
};

static struct word word_after(char *at)
{
    struct word word = { .at = at + strspn(at, blanks) };

    word.length = strcspn(word.at, blanks);
    return word;
}

static bool consists_of(struct word word, const char *characters)
{
    return word.length > 0 && strspn(word.at, characters) >= word.length;
}

static size_t hex_digit_count(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += strchr(hex_digits, *text) != NULL;
    return count;
}

/* Saturates: no packet is longer than a number that does not fit. */
static size_t decimal(struct word word)
{
    return word.length < 10 ? strtoul(word.at, NULL, 10) : SIZE_MAX;
}

static bool is_named(struct word first, struct word second)
{
    if (!consists_of(second, decimal_digits))
        return false;
    if (!consists_of(first, hex_digits) || first.length % 2 != 0)
        return true;
    if (first.at[0] != '4' && first.at[0] != '6')
        return true;
    return hex_digit_count(second.at + second.length) == 2 * decimal(second);
}

__attribute__((format(printf, 4, 5))) static bool fault(
    struct hex_line *line, const char *text, const char *at, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line->fault, sizeof(line->fault), format, arguments);
    va_end(arguments);
    line->fault_column = (uint32_t)(at - text) + 1;
    return false;
}

static bool refuse_character(struct hex_line *line, const char *text, const char *at)
{
    uint8_t character = (uint8_t)*at;
    const char *hint = line->name ? "" : "; a line is [NAME LENGTH] HEXDIGITS";

    if (character > ' ' && character < 0x7f)
        return fault(line, text, at, "'%c' is not a hex digit%s", character, hint);
    return fault(line, text, at, "the byte 0x%02x is not a hex digit%s", character, hint);
}

static uint8_t digit_value(char digit)
{
    size_t index = (size_t)(strchr(hex_digits, digit) - hex_digits);

    return (uint8_t)(index < 16 ? index : index - 6);
}

/* Decodes in place: a byte is written over its own digits or earlier ones. */
static bool decode_digits(struct hex_line *line, const char *text, char *at)
{
    line->bytes = (uint8_t *)at;
    for (at += strspn(at, blanks); *at; at += strspn(at, blanks)) {
        if (!strchr(hex_digits, at[0]))
            return refuse_character(line, text, at);
        if (!at[1] || strchr(blanks, at[1]))
            return fault(line, text, at, "half a byte: the digit '%c' stands alone", at[0]);
        if (!strchr(hex_digits, at[1]))
            return refuse_character(line, text, at + 1);
        if (line->length == HEX_LINE_BYTES_MAX)
            return fault(
                line, text, at, "no IP packet is longer than %d bytes", HEX_LINE_BYTES_MAX);
        line->bytes[line->length++] = (uint8_t)(digit_value(at[0]) << 4 | digit_value(at[1]));
        at += 2;
    }
    return true;
}

static bool read_name(struct hex_line *line, const char *text, struct word word)
{
    for (size_t i = 0; i < word.length; i++)
        if ((uint8_t)word.at[i] <= ' ' || (uint8_t)word.at[i] >= 0x7f)
            return fault(line, text, word.at + i,
                "the byte 0x%02x is not allowed in a name: use ASCII", (uint8_t)word.at[i]);
    line->name = word.at;
    return true;
}

bool hex_line_parse(char *text, size_t text_length, struct hex_line *out)
{
    struct word first;
    struct word second;
    size_t announced;

    *out = (struct hex_line){ 0 };
    if (strlen(text) < text_length)
        return fault(out, text, text + strlen(text), "a NUL byte: this is not text");
    text[strcspn(text, "#")] = '\0';
    first = word_after(text);
    second = word_after(first.at + first.length);
    if (!is_named(first, second))
        return decode_digits(out, text, first.at);
    announced = decimal(second);
    if (!read_name(out, text, first) || !decode_digits(out, text, second.at + second.length))
        return false;
    if (announced == 0)
        return fault(out, text, second.at, "a packet has at least one byte");
    if (out->length != announced)
        return fault(out, text, second.at, "the line says %.*s bytes, but %u follow",
            (int)second.length, second.at, out->length);
    first.at[first.length] = '\0';
    return true;
}
