/* SPDX-License-Identifier: Apache-2.0 */
/* Runs checks, and prints TAP or JSON. */
#include "conform/conform_report.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

enum { TEXTS_MAX = 8, TEXT_BYTES = 256 };

enum verdict {
    PASSED,
    FAILED,
    ABSENT,  /* the device declares that it does not implement it */
    SKIPPED, /* does not apply here */
    VERDICT_COUNT,
};

static const char *const verdict_words[] = { "passed", "failed", "not implemented", "skipped" };

struct result {
    enum verdict verdict;
    uint32_t text_count; /* may exceed TEXTS_MAX */
    char texts[TEXTS_MAX][TEXT_BYTES];
};

struct reading {
    bool is_stated;
    char text[TEXT_BYTES];
};

struct conform_report {
    const struct conform_report_config *config;
    struct result current; /* of the running check */
    struct reading *readings;
    uint32_t counts[VERDICT_COUNT];
    uint32_t number; /* of the last line of TAP */
    bool has_ended;
    char end[TEXT_BYTES];
    json_t *results; /* NULL: TAP */
};

/* ---- for checks ------------------------------------------------------------------------------ */

static void add_text(struct result *result, const char *format, va_list arguments)
{
    if (result->text_count < TEXTS_MAX)
        vsnprintf(result->texts[result->text_count], TEXT_BYTES, format, arguments);
    result->text_count++;
}

void conform_report_fail(struct conform_report *report, const char *format, ...)
{
    va_list arguments;

    report->current.verdict = FAILED;
    va_start(arguments, format);
    add_text(&report->current, format, arguments);
    va_end(arguments);
}

void conform_report_skip(struct conform_report *report, const char *format, ...)
{
    va_list arguments;

    if (report->current.verdict == FAILED)
        return;
    report->current = (struct result){ .verdict = SKIPPED };
    va_start(arguments, format);
    add_text(&report->current, format, arguments);
    va_end(arguments);
}

void conform_report_note(struct conform_report *report, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_text(&report->current, format, arguments);
    va_end(arguments);
}

void conform_report_end(struct conform_report *report, const char *format, ...)
{
    va_list arguments;

    report->current.verdict = FAILED;
    if (report->has_ended)
        return;
    report->has_ended = true;
    va_start(arguments, format);
    vsnprintf(report->end, sizeof(report->end), format, arguments);
    va_end(arguments);
}

void conform_report_reading(struct conform_report *report, uint32_t point, const char *format, ...)
{
    struct reading *reading;
    va_list arguments;

    assert(point < report->config->suite->point_count);
    reading = &report->readings[point];
    reading->is_stated = true;
    va_start(arguments, format);
    vsnprintf(reading->text, sizeof(reading->text), format, arguments);
    va_end(arguments);
}

bool conform_report_has_failed(const struct conform_report *report)
{
    return report->current.verdict == FAILED;
}

bool conform_report_has_ended(const struct conform_report *report)
{
    return report->has_ended;
}

bool conform_report_lacks(const struct conform_report *report, uint32_t feature)
{
    return report->config->absent >> feature & 1;
}

/* ---- TAP ------------------------------------------------------------------------------------- */

static const char *missing_feature(const struct conform_report *report, uint64_t needs)
{
    const struct conform_suite *suite = report->config->suite;

    for (uint32_t i = 0; i < suite->feature_count; i++)
        if ((needs & report->config->absent) >> i & 1)
            return suite->features[i].word;
    return "";
}

static void print_directive(const struct conform_report *report, const struct conform_check *check)
{
    const struct result *result = &report->current;

    if (result->verdict == ABSENT)
        fprintf(report->config->out, " # SKIP the device declares that it lacks %s",
            missing_feature(report, check->needs));
    else if (result->verdict == SKIPPED)
        fprintf(report->config->out, " # SKIP %s", result->texts[0]);
}

static void print_tap(struct conform_report *report, const struct conform_check *check)
{
    const struct result *result = &report->current;
    FILE *out = report->config->out;

    fprintf(out, "%sok %u - %s (%s): %s", result->verdict == FAILED ? "not " : "", ++report->number,
        check->word, check->section, check->sentence);
    print_directive(report, check);
    fputc('\n', out);
    for (uint32_t i = result->verdict == SKIPPED; i < result->text_count && i < TEXTS_MAX; i++)
        fprintf(out, "#   %s\n", result->texts[i]);
    if (result->text_count > TEXTS_MAX)
        fprintf(out, "#   and %u more\n", result->text_count - TEXTS_MAX);
    fflush(out);
}

static void print_tap_end(const struct conform_report *report)
{
    const struct conform_suite *suite = report->config->suite;
    FILE *out = report->config->out;

    for (uint32_t i = 0; i < suite->point_count; i++)
        if (report->readings[i].is_stated)
            fprintf(out, "# open point %s (%s): %s: %s\n", suite->points[i].word,
                suite->points[i].section, suite->points[i].question, report->readings[i].text);
    for (uint32_t i = 0; i < suite->feature_count; i++)
        if (report->config->absent >> i & 1)
            fprintf(out, "# declared as not implemented: %s (%s)\n", suite->features[i].word,
                suite->features[i].sentence);
    fprintf(out, "# %s: %u passed, %u failed, %u not implemented, %u skipped\n",
        report->config->device, report->counts[PASSED], report->counts[FAILED],
        report->counts[ABSENT], report->counts[SKIPPED]);
    if (report->has_ended)
        fprintf(out, "Bail out! %s\n", report->end);
    else
        fprintf(out, "1..%u\n", report->number);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *texts_json(const struct result *result)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < result->text_count && i < TEXTS_MAX; i++)
        json_array_append_new(
            array, json_stringn_nocheck(result->texts[i], strlen(result->texts[i])));
    return array;
}

static void add_json(struct conform_report *report, const struct conform_check *check)
{
    json_array_append_new(report->results,
        json_pack("{ss ss ss ss so}", "check", check->word, "section", check->section, "sentence",
            check->sentence, "result", verdict_words[report->current.verdict], "texts",
            texts_json(&report->current)));
}

static json_t *readings_json(const struct conform_report *report)
{
    const struct conform_suite *suite = report->config->suite;
    json_t *array = json_array();

    for (uint32_t i = 0; i < suite->point_count; i++)
        if (report->readings[i].is_stated)
            json_array_append_new(
                array, json_pack("{ss ss ss ss}", "point", suite->points[i].word, "section",
                           suite->points[i].section, "question", suite->points[i].question,
                           "reading", report->readings[i].text));
    return array;
}

static void print_json(struct conform_report *report)
{
    json_t *all = json_pack("{ss ss si si si si ss* so so so}", "kit", report->config->suite->kit,
        "device", report->config->device, "passed", (int)report->counts[PASSED], "failed",
        (int)report->counts[FAILED], "not_implemented", (int)report->counts[ABSENT], "skipped",
        (int)report->counts[SKIPPED], "ended", report->has_ended ? report->end : NULL, "declared",
        conform_suite_words(report->config->suite, report->config->absent), "readings",
        readings_json(report), "checks", report->results);

    json_dumpf(all, report->config->out, JSON_COMPACT);
    fputc('\n', report->config->out);
    json_decref(all);
}

/* ---- running --------------------------------------------------------------------------------- */

static void run_check(struct conform_report *report, const struct conform_check *check, void *kit)
{
    report->current = (struct result){ .verdict = PASSED };
    if (check->needs & report->config->absent)
        report->current.verdict = ABSENT;
    else
        check->run(kit, report);
    report->counts[report->current.verdict]++;
    if (report->results)
        add_json(report, check);
    else
        print_tap(report, check);
}

bool conform_report_run(const struct conform_report_config *config, void *kit)
{
    const struct conform_suite *suite = config->suite;
    struct conform_report report = { .config = config,
        .readings = calloc(suite->point_count + 1, sizeof(*report.readings)),
        .results = config->as_json ? json_array() : NULL };

    if (!report.readings)
        conform_report_end(&report, "not enough memory");
    for (uint32_t i = 0; i < suite->check_count && !report.has_ended; i++)
        if (!config->chosen || config->chosen[i])
            run_check(&report, &suite->checks[i], kit);
    if (report.results)
        print_json(&report);
    else
        print_tap_end(&report);
    free(report.readings);
    return report.counts[FAILED] == 0 && !report.has_ended;
}
