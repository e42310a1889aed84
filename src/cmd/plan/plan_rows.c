/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the rows of a report. */
#include "cmd/plan/plan_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/files.h"

static int decimals_for(double value)
{
    if (value == floor(value) || value >= 1000)
        return 0;
    if (value >= 10)
        return 1;
    return value >= 0.1 ? 2 : 6;
}

/* A comma before each group of three digits. */
void plan_rows_number(double value, char out[static PLAN_NUMBER_BYTES])
{
    char digits[PLAN_NUMBER_BYTES];
    size_t whole;
    size_t used = 0;

    snprintf(digits, sizeof(digits), "%.*f", decimals_for(value), value);
    whole = strcspn(digits, ".");
    for (size_t i = 0; digits[i] && used + 2 < PLAN_NUMBER_BYTES; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0 && digits[i - 1] != '-')
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
}

void plan_rows_range(struct price_range range, char out[static PLAN_RANGE_BYTES])
{
    char least[PLAN_NUMBER_BYTES];
    char most[PLAN_NUMBER_BYTES];

    plan_rows_number(fmin(range.least, range.most), least);
    plan_rows_number(fmax(range.least, range.most), most);
    if (strcmp(least, most) == 0)
        snprintf(out, PLAN_RANGE_BYTES, "%s", least);
    else
        snprintf(out, PLAN_RANGE_BYTES, "%.40s to %.40s", least, most);
}

static void print_row(const struct size_row *row, bool explains)
{
    char value[PLAN_RANGE_BYTES];

    plan_rows_range(row->value, value);
    if (row->text[0])
        printf("  %-42s %s\n", row->name, row->text);
    else
        printf("  %-42s %22s%s%s\n", row->name, value, row->unit[0] ? " " : "", row->unit);
    if (explains)
        printf("      = %s%s%s\n", row->formula, row->unit[0] ? "; " : "", row->unit);
}

void plan_rows_print(const struct size_report *report, bool explains)
{
    const char *section = NULL;

    for (uint32_t i = 0; i < report->count; i++) {
        const struct size_row *row = &report->rows[i];

        if (row->section != section)
            printf("%s%s\n", section ? "\n" : "", row->section);
        section = row->section;
        print_row(row, explains);
    }
}

void plan_rows_dump(json_t *document)
{
    json_object_set_new(document, "openmrc_plan", json_integer(1));
    json_object_set_new(document, "version", json_string(OPENMRC_VERSION));
    json_dumpf(document, stdout, JSON_FORM);
    putchar('\n');
    json_decref(document);
}
