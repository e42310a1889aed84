/* SPDX-License-Identifier: Apache-2.0 */
/* Words of checks and features on the command line, and lists of them. */
#include "conform/conform_suite.h"

#include <stdarg.h>
#include <string.h>

#include "files/files.h"

/* ---- words ----------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static bool refuse_word(
    char reason[static CONFORM_SUITE_REASON_BYTES], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, CONFORM_SUITE_REASON_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

/* Returns the length of the next word of a list, and moves the list behind it. */
static size_t next_word(const char **list, const char **word)
{
    *list += strspn(*list, ", ");
    *word = *list;
    *list += strcspn(*list, ",");
    return (size_t)(*list - *word);
}

static uint32_t find_feature(const struct conform_suite *suite, const char *word, size_t length)
{
    uint32_t feature = 0;

    while (feature < suite->feature_count &&
           (strlen(suite->features[feature].word) != length ||
               memcmp(suite->features[feature].word, word, length) != 0))
        feature++;
    return feature;
}

static bool refuse_feature(const struct conform_suite *suite, const char *typed,
    char reason[static CONFORM_SUITE_REASON_BYTES])
{
    const char *words[64];
    const char *meant;

    for (uint32_t i = 0; i < suite->feature_count; i++)
        words[i] = suite->features[i].word;
    meant = nearest_word(typed, words, suite->feature_count);
    return refuse_word(reason, "'%s' is not a feature that a device may lack%s%s%s", typed,
        meant ? "; did you mean '" : "", meant ? meant : "; --list shows them", meant ? "'?" : "");
}

bool conform_suite_declare(const struct conform_suite *suite, const char *list, uint64_t *absent,
    char reason[static CONFORM_SUITE_REASON_BYTES])
{
    const char *word;
    size_t length;

    while ((length = next_word(&list, &word)) > 0) {
        uint32_t feature = find_feature(suite, word, length);
        char typed[64];

        snprintf(typed, sizeof(typed), "%.*s", (int)length, word);
        if (feature == suite->feature_count)
            return refuse_feature(suite, typed, reason);
        *absent |= CONFORM_NEEDS(feature);
    }
    return true;
}

bool conform_suite_choose(const struct conform_suite *suite, const char *list,
    bool chosen[static CONFORM_SUITE_CHECKS_MAX], char reason[static CONFORM_SUITE_REASON_BYTES])
{
    const char *word;
    size_t length;

    while ((length = next_word(&list, &word)) > 0) {
        bool is_known = false;

        for (uint32_t i = 0; i < suite->check_count; i++) {
            if (strncmp(suite->checks[i].word, word, length) != 0)
                continue;
            chosen[i] = true;
            is_known = true;
        }
        if (!is_known)
            return refuse_word(
                reason, "no check begins with '%.*s'; --list shows them", (int)length, word);
    }
    return true;
}

/* ---- lists ----------------------------------------------------------------------------------- */

json_t *conform_suite_words(const struct conform_suite *suite, uint64_t features)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < suite->feature_count; i++)
        if (features >> i & 1)
            json_array_append_new(array, json_string(suite->features[i].word));
    return array;
}

static void list_json(const struct conform_suite *suite, FILE *out)
{
    json_t *checks = json_array();
    json_t *features = json_array();
    json_t *points = json_array();
    json_t *all;

    for (uint32_t i = 0; i < suite->check_count; i++)
        json_array_append_new(
            checks, json_pack("{ss ss ss so}", "check", suite->checks[i].word, "section",
                        suite->checks[i].section, "sentence", suite->checks[i].sentence, "needs",
                        conform_suite_words(suite, suite->checks[i].needs)));
    for (uint32_t i = 0; i < suite->feature_count; i++)
        json_array_append_new(features, json_pack("{ss ss}", "feature", suite->features[i].word,
                                            "sentence", suite->features[i].sentence));
    for (uint32_t i = 0; i < suite->point_count; i++)
        json_array_append_new(
            points, json_pack("{ss ss ss}", "point", suite->points[i].word, "section",
                        suite->points[i].section, "question", suite->points[i].question));
    all = json_pack("{ss so so so}", "kit", suite->kit, "checks", checks, "features", features,
        "points", points);
    json_dumpf(all, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(all);
}

/* Returns the width of the longest section. */
static int section_width(const struct conform_suite *suite)
{
    size_t width = 12;

    for (uint32_t i = 0; i < suite->check_count; i++)
        if (strlen(suite->checks[i].section) > width)
            width = strlen(suite->checks[i].section);
    return (int)width;
}

void conform_suite_list(const struct conform_suite *suite, FILE *out, bool as_json)
{
    int width = section_width(suite);

    if (as_json) {
        list_json(suite, out);
        return;
    }
    for (uint32_t i = 0; i < suite->check_count; i++)
        fprintf(out, "%-20s %-*s %s\n", suite->checks[i].word, width, suite->checks[i].section,
            suite->checks[i].sentence);
    fputs("\nA device may lack (--without):\n", out);
    for (uint32_t i = 0; i < suite->feature_count; i++)
        fprintf(out, "%-20s %s\n", suite->features[i].word, suite->features[i].sentence);
    fputs("\nOpen points, on which the reading of the device is stated:\n", out);
    for (uint32_t i = 0; i < suite->point_count; i++)
        fprintf(out, "%-20s %-*s %s\n", suite->points[i].word, width, suite->points[i].section,
            suite->points[i].question);
}
