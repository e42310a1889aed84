/* SPDX-License-Identifier: Apache-2.0 */
/* Formats values for the tables of a comparison. */
#include "result/comparison_cell.h"

#include <stdio.h>
#include <string.h>

#include "result/units_text.h"

double comparison_cell_number(const json_t *json, const char *key)
{
    return json_number_value(json_object_get(json, key));
}

const char *comparison_cell_text(const json_t *json, const char *key)
{
    const char *value = json_string_value(json_object_get(json, key));

    return value ? value : "";
}

struct comparison_cell comparison_cell_value(enum comparison_unit unit, double value)
{
    struct comparison_cell cell;

    switch (unit) {
    case COMPARISON_RATE:
        snprintf(cell.text, sizeof(cell.text), "%s", units_text(UNITS_RATE, value).at);
        break;
    case COMPARISON_TIME:
        snprintf(cell.text, sizeof(cell.text), "%s", units_text(UNITS_TIME, value * 1e6).at);
        break;
    case COMPARISON_FRACTION:
        snprintf(cell.text, sizeof(cell.text), "%.2f%%", value * 100);
        break;
    case COMPARISON_COUNT:
        snprintf(cell.text, sizeof(cell.text), "%.0f", value);
        break;
    }
    return cell;
}

struct comparison_cell comparison_cell_range(double least, double most)
{
    struct comparison_cell cell = { "-" };

    if (most > least)
        snprintf(cell.text, sizeof(cell.text), "%.0f to %.0f", least, most);
    else if (most > 0)
        snprintf(cell.text, sizeof(cell.text), "%.0f", most);
    return cell;
}

struct comparison_cell comparison_cell_recovery(
    const json_t *spread, double unrecovered, double runs)
{
    struct comparison_cell cell = { "never" };

    if (unrecovered == 0 && comparison_cell_number(spread, "max") == 0)
        return (struct comparison_cell){ "no dip" };
    if (unrecovered == 0)
        return comparison_cell_value(COMPARISON_TIME, comparison_cell_number(spread, "mean"));
    if (unrecovered < runs)
        snprintf(cell.text, sizeof(cell.text), "never in %.0f of %.0f", unrecovered, runs);
    return cell;
}

int comparison_cell_wider(int columns, const char *text)
{
    return (int)strlen(text) > columns ? (int)strlen(text) : columns;
}
