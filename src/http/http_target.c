/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the target of a request. */
#include "http/http_target.h"

#include <stddef.h>
#include <string.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static bool is_printable(int c)
{
    return c > 0x20 && c < 0x7f;
}

/* Decodes one character of the text. Returns the number of bytes read, 0 if it is malformed. */
static size_t decode_character(const char *text, char *out)
{
    int high, low;

    if (text[0] != '%') {
        *out = text[0];
        return is_printable((unsigned char)text[0]) ? 1 : 0;
    }
    high = hex_digit(text[1]);
    low = high < 0 ? -1 : hex_digit(text[2]);
    if (low < 0)
        return 0;
    *out = (char)(high << 4 | low);
    /* An encoded separator would be a second spelling of a path. */
    if (!is_printable((unsigned char)*out) && *out != ' ')
        return 0;
    return strchr("/%\\", *out) ? 0 : 3;
}

/* Decodes up to one of the characters `ends` or the end of the text. Returns the number of bytes
 * read. */
static size_t decode_until(const char *text, const char *ends, char *out, bool *ok)
{
    size_t read = 0;

    while (text[read] && !strchr(ends, text[read])) {
        size_t step = decode_character(text + read, out++);

        if (step == 0) {
            *ok = false;
            break;
        }
        read += step;
    }
    *out = '\0';
    return read;
}

static bool is_part(const char *part)
{
    return part[0] && strcmp(part, ".") != 0 && strcmp(part, "..") != 0 && !strchr(part, '\\');
}

static bool split_path(struct http_target *target)
{
    char *next = target->parts_text;

    memcpy(target->parts_text, target->path, strlen(target->path) + 1);
    target->part_count = 0;
    if (strcmp(target->path, "/") == 0)
        return true;
    while (next) {
        char *part = next + 1;

        *next = '\0';
        next = strchr(part, '/');
        if (next)
            *next = '\0';
        if (target->part_count == HTTP_PARTS_MAX || !is_part(part))
            return false;
        target->parts[target->part_count++] = part;
    }
    return true;
}

static bool read_parameter(struct http_target *target, const char **text, char **room)
{
    struct http_parameter *parameter = &target->parameters[target->parameter_count];
    bool ok = true;

    if (target->parameter_count == HTTP_PARAMETERS_MAX)
        return false;
    parameter->name = *room;
    *text += decode_until(*text, "=&", *room, &ok);
    *room += strlen(*room) + 1;
    parameter->value = *room;
    **room = '\0';
    if (ok && **text == '=')
        *text += 1 + decode_until(*text + 1, "&", *room, &ok);
    *room += strlen(*room) + 1;
    target->parameter_count++;
    return ok && parameter->name[0];
}

static bool read_query(const char *text, struct http_target *target)
{
    char *room = target->parameters_text;

    while (*text) {
        if (!read_parameter(target, &text, &room))
            return false;
        if (*text == '&' && *++text == '\0')
            return false;
    }
    return true;
}

bool http_target_read(const char *text, struct http_target *target)
{
    bool ok = true;
    size_t read;

    target->part_count = target->parameter_count = 0;
    target->path[0] = '\0';
    /* A name and its value each end with a zero: a query needs one byte more than it has, per
     * parameter without '='. */
    if (strlen(text) >= HTTP_TARGET_BYTES - HTTP_PARAMETERS_MAX - 1 || text[0] != '/')
        return false;
    read = decode_until(text, "?#", target->path, &ok);
    if (!ok || text[read] == '#' || !split_path(target))
        return false;
    return text[read] == '\0' || read_query(text + read + 1, target);
}

bool http_target_matches(const struct http_target *target, const char *pattern)
{
    unsigned part = 0;

    while (*pattern == '/' && pattern[1]) {
        size_t length = strcspn(pattern + 1, "/");
        bool is_any = length == 1 && pattern[1] == '*';

        if (part == target->part_count)
            return false;
        if (!is_any && (strlen(target->parts[part]) != length ||
                           memcmp(target->parts[part], pattern + 1, length) != 0))
            return false;
        part++;
        pattern += 1 + length;
    }
    return part == target->part_count;
}

const char *http_target_parameter(const struct http_target *target, const char *name)
{
    for (unsigned i = 0; i < target->parameter_count; i++)
        if (strcmp(target->parameters[i].name, name) == 0)
            return target->parameters[i].value;
    return NULL;
}
