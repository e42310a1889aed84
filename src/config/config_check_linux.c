/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lines of a script for Linux. Lines with numbers of the plan are compared as a set,
 * without comments; all others must be those of the plan, in their order. */
#include <stdlib.h>
#include <string.h>

#include "config/config_check.h"
#include "config/config_linux.h"

struct line {
    const char *text; /* one blank between words, no comment */
    uint32_t number;
    bool is_plan;
};

struct script {
    char *memory;
    struct line *lines;
    uint32_t count;
};

/* ---- reading --------------------------------------------------------------------------------- */

/* Removes the comment, blanks at the end, and all but one of several blanks. */
static void tidy_line(char *line)
{
    char *comment = line[0] == '#' ? line : strstr(line, " #");
    char *to = line;

    if (comment)
        *comment = '\0';
    for (const char *from = line; *from; from++)
        if (*from != ' ' || (to > line && to[-1] != ' '))
            *to++ = *from;
    while (to > line && to[-1] == ' ')
        to--;
    *to = '\0';
}

static int by_text(const void *left, const void *right)
{
    const struct line *a = left;
    const struct line *b = right;

    if (a->is_plan != b->is_plan)
        return a->is_plan ? 1 : -1;
    if (a->is_plan && strcmp(a->text, b->text) != 0)
        return strcmp(a->text, b->text);
    return (a->number > b->number) - (a->number < b->number);
}

/* Fixed lines come first, in their order, then those of the plan, sorted. */
static bool read_script(struct script *script, const char *text)
{
    uint32_t room = 1;
    uint32_t number = 0;
    char *rest;

    for (const char *at = text; *at; at++)
        room += *at == '\n';
    *script = (struct script){ .memory = strdup(text), .lines = calloc(room, sizeof(struct line)) };
    if (!script->memory || !script->lines)
        return false;
    rest = script->memory;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        tidy_line(line);
        number++;
        if (*line)
            script->lines[script->count++] =
                (struct line){ line, number, config_linux_is_line(line) };
    }
    qsort(script->lines, script->count, sizeof(*script->lines), by_text);
    return true;
}

static void free_script(struct script *script)
{
    free(script->memory);
    free(script->lines);
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Returns the length of the verb and its first word, which identify a line: "route 801". */
static size_t key_length(const char *text)
{
    size_t verb = strcspn(text, " ");

    return text[verb] ? verb + 1 + strcspn(text + verb + 1, " ") : verb;
}

static int compare_keys(const char *left, const char *right)
{
    size_t a = key_length(left);
    size_t b = key_length(right);
    int order = strncmp(left, right, a < b ? a : b);

    return order ? order : (a > b) - (a < b);
}

static void tell_line(struct config_tally *tally, const char *place, const struct line *wanted,
    const struct line *found)
{
    char at[4096];

    snprintf(at, sizeof(at), "%s:%u", place, found ? found->number : 1);
    if (wanted && found)
        config_check_tell(
            tally, at, "'%s' is there, the plan says '%s'", found->text, wanted->text);
    else if (wanted)
        config_check_tell(tally, place, "'%s' is missing", wanted->text);
    else if (found)
        config_check_tell(tally, at, "'%s' is not in the plan", found->text);
}

/* Returns how the next lines are ordered; lines with the same key belong together. */
static int next_order(const struct line *wanted, const struct line *found)
{
    if (!wanted || !found)
        return wanted ? -1 : 1;
    if (wanted->is_plan != found->is_plan)
        return wanted->is_plan ? 1 : -1;
    return wanted->is_plan ? compare_keys(wanted->text, found->text) : 0;
}

static void compare_scripts(const struct script *wanted, const struct script *found,
    const char *place, struct config_tally *tally)
{
    uint32_t i = 0;
    uint32_t j = 0;

    while (i < wanted->count || j < found->count) {
        const struct line *left = i < wanted->count ? &wanted->lines[i] : NULL;
        const struct line *right = j < found->count ? &found->lines[j] : NULL;
        int order = next_order(left, right);

        if (order != 0 || !left || !right || strcmp(left->text, right->text) != 0)
            tell_line(tally, place, order <= 0 ? left : NULL, order >= 0 ? right : NULL);
        i += order <= 0;
        j += order >= 0;
    }
}

void config_check_linux(
    const char *wanted, const char *text, const char *place, struct config_tally *tally)
{
    struct script plan = { 0 };
    struct script script = { 0 };

    if (read_script(&plan, wanted) && read_script(&script, text))
        compare_scripts(&plan, &script, place, tally);
    else
        config_check_tell(tally, place, "not compared: out of memory");
    free_script(&plan);
    free_script(&script);
}
