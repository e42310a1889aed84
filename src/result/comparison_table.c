/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a comparison: a table for each case, then those of comparison_parts.c. */
#include <stdbool.h>
#include <string.h>

#include "result/comparison_cell.h"
#include "result/comparison_table.h"
#include "result/units_text.h"

/* ---- cells ----------------------------------------------------------------------------------- */

static const json_t *spread_of(const json_t *entry, int figure)
{
    return json_object_get(json_object_get(entry, "figures"), comparison_figures[figure].key);
}

/* The spread over seeds is shown for the share of the ideal. */
static struct comparison_cell figure_cell(const json_t *entry, int figure)
{
    const json_t *spread = spread_of(entry, figure);
    struct comparison_cell cell = { "-" };

    if (figure == COMPARISON_FIGURE_recovery_us &&
        (json_is_object(spread) || comparison_cell_number(entry, "unrecovered") > 0))
        return comparison_cell_recovery(spread, comparison_cell_number(entry, "unrecovered"),
            comparison_cell_number(entry, "runs"));
    if (!json_is_object(spread))
        return cell;
    if (figure == COMPARISON_FIGURE_goodput_fraction &&
        comparison_cell_number(spread, "runs") > 1) {
        snprintf(cell.text, sizeof(cell.text), "%.2f%% +- %.2f",
            comparison_cell_number(spread, "mean") * 100,
            comparison_cell_number(spread, "deviation") * 100);
        return cell;
    }
    return comparison_cell_value(
        comparison_figures[figure].unit, comparison_cell_number(spread, "mean"));
}

/* ---- a case ---------------------------------------------------------------------------------- */

/* Counts that are zero for all contenders are left out. */
static bool is_shown(const json_t *entries, int figure)
{
    size_t index;
    json_t *entry;

    json_array_foreach(entries, index, entry)
    {
        const json_t *spread = spread_of(entry, figure);

        if (figure == COMPARISON_FIGURE_recovery_us &&
            comparison_cell_number(entry, "unrecovered") > 0)
            return true;
        if (json_is_object(spread) && (comparison_figures[figure].unit != COMPARISON_COUNT ||
                                          comparison_cell_number(spread, "max") > 0))
            return true;
    }
    return false;
}

int comparison_table_names(const json_t *entries)
{
    int columns = (int)strlen("contender");
    size_t index;
    json_t *entry;

    json_array_foreach(entries, index, entry) columns =
        comparison_cell_wider(columns, comparison_cell_text(entry, "contender"));
    return columns;
}

struct column {
    int figure;
    int columns; /* of the terminal */
};

static int choose_columns(const json_t *entries, struct column out[static COMPARISON_FIGURE_COUNT])
{
    int count = 0;

    for (int figure = 0; figure < COMPARISON_FIGURE_COUNT; figure++) {
        int columns = (int)strlen(comparison_figures[figure].heading);
        size_t index;
        json_t *entry;

        if (!is_shown(entries, figure))
            continue;
        json_array_foreach(entries, index, entry) columns =
            comparison_cell_wider(columns, figure_cell(entry, figure).text);
        out[count++] = (struct column){ figure, columns };
    }
    return count;
}

/* The upper bound: what the links could carry without faults. */
static void print_ideal(FILE *to, double ideal_bps, const struct column *columns, int count)
{
    for (int i = 0; i < count; i++) {
        struct comparison_cell cell = { "" };

        if (columns[i].figure == COMPARISON_FIGURE_goodput_bps)
            cell = comparison_cell_value(COMPARISON_RATE, ideal_bps);
        else if (columns[i].figure == COMPARISON_FIGURE_goodput_fraction)
            cell = comparison_cell_value(COMPARISON_FRACTION, 1);
        fprintf(to, "  %*s", columns[i].columns, cell.text);
    }
    fputc('\n', to);
}

static void print_faults(FILE *to, const json_t *faults)
{
    size_t index;
    json_t *fault;

    json_array_foreach(faults, index, fault)
    {
        const json_t *where = json_object_get(fault, "where");

        fprintf(to, "%s %s %s%s at %s", index ? "," : ":", comparison_cell_text(fault, "kind"),
            json_string_value(json_array_get(where, 0)),
            json_array_size(where) > 1 ? " and others" : "",
            units_text(UNITS_TIME, comparison_cell_number(fault, "at_us") * 1e6).at);
    }
}

static void print_case(FILE *to, const json_t *one)
{
    const json_t *entries = json_object_get(one, "entries");
    struct column columns[COMPARISON_FIGURE_COUNT];
    int count = choose_columns(entries, columns);
    int names = comparison_table_names(entries);
    size_t index;
    json_t *entry;

    fprintf(to, "\n%s",
        *comparison_cell_text(one, "label") ? comparison_cell_text(one, "label")
                                            : "all contenders");
    print_faults(to, json_object_get(json_array_get(entries, 0), "faults"));
    fprintf(to, "\n  %-*s", names, "contender");
    for (int i = 0; i < count; i++)
        fprintf(to, "  %*s", columns[i].columns, comparison_figures[columns[i].figure].heading);
    fprintf(to, "\n  %-*s", names, "ideal");
    print_ideal(to, comparison_cell_number(one, "ideal_bps"), columns, count);
    json_array_foreach(entries, index, entry)
    {
        fprintf(to, "  %-*s", names, comparison_cell_text(entry, "contender"));
        for (int i = 0; i < count; i++)
            fprintf(to, "  %*s", columns[i].columns, figure_cell(entry, columns[i].figure).text);
        fputc('\n', to);
    }
}

void comparison_print(FILE *to, const json_t *comparison)
{
    const json_t *experiment = json_object_get(comparison, "experiment");
    const json_t *normalisation = json_object_get(comparison, "normalisation");
    const char *title = comparison_cell_text(experiment, "title");
    size_t index;
    json_t *one;

    fprintf(to, "%s%s%s\n%s, %s: %s\n", comparison_cell_text(experiment, "name"),
        *title ? ": " : "", title, comparison_cell_text(normalisation, "letter"),
        comparison_cell_text(normalisation, "title"),
        comparison_cell_text(normalisation, "meaning"));
    json_array_foreach(json_object_get(comparison, "cases"), index, one) print_case(to, one);
    comparison_table_recovery(to, comparison);
    comparison_table_search(to, comparison);
    comparison_table_states(to, comparison);
    comparison_table_costs(to, comparison);
}
