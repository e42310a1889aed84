/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a comparison: a table for each case, then what NICs and switches keep. */
#include <stdbool.h>
#include <string.h>

#include "result/comparison.h"
#include "result/units_text.h"

enum { CELL_BYTES = 40 };

static double number(const json_t *json, const char *key)
{
    return json_number_value(json_object_get(json, key));
}

static const char *text(const json_t *json, const char *key)
{
    const char *value = json_string_value(json_object_get(json, key));

    return value ? value : "";
}

/* ---- cells ----------------------------------------------------------------------------------- */

struct cell {
    char text[CELL_BYTES];
};

static struct cell value_cell(enum comparison_unit unit, double value)
{
    struct cell cell;

    switch (unit) {
    case COMPARISON_RATE:
        snprintf(cell.text, CELL_BYTES, "%s", units_text(UNITS_RATE, value).at);
        break;
    case COMPARISON_TIME:
        snprintf(cell.text, CELL_BYTES, "%s", units_text(UNITS_TIME, value * 1e6).at);
        break;
    case COMPARISON_FRACTION:
        snprintf(cell.text, CELL_BYTES, "%.2f%%", value * 100);
        break;
    case COMPARISON_COUNT:
        snprintf(cell.text, CELL_BYTES, "%.0f", value);
        break;
    }
    return cell;
}

static const json_t *spread_of(const json_t *entry, int figure)
{
    return json_object_get(json_object_get(entry, "figures"), comparison_figures[figure].key);
}

/* Returns how long recovery took, or that it did not happen before the end of the run. */
static struct cell recovery_cell(const json_t *entry, const json_t *spread)
{
    double unrecovered = number(entry, "unrecovered");
    struct cell cell = { "never" };

    if (unrecovered == 0 && number(spread, "max") == 0)
        return (struct cell){ "no dip" };
    if (unrecovered == 0)
        return value_cell(COMPARISON_TIME, number(spread, "mean"));
    if (unrecovered < number(entry, "runs"))
        snprintf(
            cell.text, CELL_BYTES, "never in %.0f of %.0f", unrecovered, number(entry, "runs"));
    return cell;
}

/* The spread over seeds is shown for the share of the ideal. */
static struct cell figure_cell(const json_t *entry, int figure)
{
    const json_t *spread = spread_of(entry, figure);
    struct cell cell = { "-" };

    if (figure == COMPARISON_FIGURE_recovery_us &&
        (json_is_object(spread) || number(entry, "unrecovered") > 0))
        return recovery_cell(entry, spread);
    if (!json_is_object(spread))
        return cell;
    if (figure == COMPARISON_FIGURE_goodput_fraction && number(spread, "runs") > 1) {
        snprintf(cell.text, CELL_BYTES, "%.2f%% +- %.2f", number(spread, "mean") * 100,
            number(spread, "deviation") * 100);
        return cell;
    }
    return value_cell(comparison_figures[figure].unit, number(spread, "mean"));
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

        if (figure == COMPARISON_FIGURE_recovery_us && number(entry, "unrecovered") > 0)
            return true;
        if (json_is_object(spread) &&
            (comparison_figures[figure].unit != COMPARISON_COUNT || number(spread, "max") > 0))
            return true;
    }
    return false;
}

static int wider(int columns, const char *cell)
{
    return (int)strlen(cell) > columns ? (int)strlen(cell) : columns;
}

static int name_columns(const json_t *entries)
{
    int columns = (int)strlen("contender");
    size_t index;
    json_t *entry;

    json_array_foreach(entries, index, entry) columns = wider(columns, text(entry, "contender"));
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
            wider(columns, figure_cell(entry, figure).text);
        out[count++] = (struct column){ figure, columns };
    }
    return count;
}

/* The upper bound: what the links could carry without faults. */
static void print_ideal(FILE *to, double ideal_bps, const struct column *columns, int count)
{
    for (int i = 0; i < count; i++) {
        struct cell cell = { "" };

        if (columns[i].figure == COMPARISON_FIGURE_goodput_bps)
            cell = value_cell(COMPARISON_RATE, ideal_bps);
        else if (columns[i].figure == COMPARISON_FIGURE_goodput_fraction)
            cell = value_cell(COMPARISON_FRACTION, 1);
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

        fprintf(to, "%s %s %s%s at %s", index ? "," : ":", text(fault, "kind"),
            json_string_value(json_array_get(where, 0)),
            json_array_size(where) > 1 ? " and others" : "",
            units_text(UNITS_TIME, number(fault, "at_us") * 1e6).at);
    }
}

static void print_case(FILE *to, const json_t *one)
{
    const json_t *entries = json_object_get(one, "entries");
    struct column columns[COMPARISON_FIGURE_COUNT];
    int count = choose_columns(entries, columns);
    int names = name_columns(entries);
    size_t index;
    json_t *entry;

    fprintf(to, "\n%s", *text(one, "label") ? text(one, "label") : "all contenders");
    print_faults(to, json_object_get(json_array_get(entries, 0), "faults"));
    fprintf(to, "\n  %-*s", names, "contender");
    for (int i = 0; i < count; i++)
        fprintf(to, "  %*s", columns[i].columns, comparison_figures[columns[i].figure].heading);
    fprintf(to, "\n  %-*s", names, "ideal");
    print_ideal(to, number(one, "ideal_bps"), columns, count);
    json_array_foreach(entries, index, entry)
    {
        fprintf(to, "  %-*s", names, text(entry, "contender"));
        for (int i = 0; i < count; i++)
            fprintf(to, "  %*s", columns[i].columns, figure_cell(entry, columns[i].figure).text);
        fputc('\n', to);
    }
}

/* ---- state and cost -------------------------------------------------------------------------- */

static struct cell range_cell(double least, double most)
{
    struct cell cell = { "-" };

    if (most > least)
        snprintf(cell.text, CELL_BYTES, "%.0f to %.0f", least, most);
    else if (most > 0)
        snprintf(cell.text, CELL_BYTES, "%.0f", most);
    return cell;
}

static void print_state(FILE *to, const json_t *contender, const json_t *entry, int names)
{
    const json_t *published = json_object_get(contender, "state");
    const json_t *state = json_object_get(entry, "state");
    const json_t *measured = json_object_get(state, "qp_bytes");
    double qps = number(state, "qps_per_nic");
    double least = json_is_number(measured) ? json_number_value(measured)
                                            : number(published, "qp_bytes_least");
    double most =
        json_is_number(measured) ? json_number_value(measured) : number(published, "qp_bytes_most");

    fprintf(to, "  %-*s  %7.0f  %12s  %18s  %15.0f  %-9s  %s\n", names, text(contender, "name"),
        qps, range_cell(least, most).text, range_cell(least * qps, most * qps).text,
        number(state, "switch_headroom_bytes"), text(published, "origin"),
        text(contender, "title"));
}

static void print_states(FILE *to, const json_t *comparison)
{
    const json_t *cases = json_object_get(comparison, "cases");
    const json_t *entries = json_object_get(json_array_get(cases, 0), "entries");
    int names = name_columns(entries);
    size_t index;
    json_t *contender;

    fprintf(to, "\nstate in bytes\n  %-*s  %7s  %12s  %18s  %15s  %-9s  %s\n", names, "contender",
        "QPs/NIC", "QP", "NIC", "PFC of a switch", "origin", "settings");
    json_array_foreach(json_object_get(comparison, "contenders"), index, contender)
        print_state(to, contender, json_array_get(entries, index), names);
}

static void print_cost(FILE *to, const json_t *cost)
{
    fprintf(to,
        "\nswitches and optics of this fabric: %.1f to %.1f thousand US dollars, for every "
        "contender (prices of resellers)\n",
        number(cost, "least_usd") / 1e3, number(cost, "most_usd") / 1e3);
}

void comparison_print(FILE *to, const json_t *comparison)
{
    const json_t *experiment = json_object_get(comparison, "experiment");
    const char *title = text(experiment, "title");
    size_t index;
    json_t *one;

    fprintf(to, "%s%s%s\nthe same fabric, work, faults and seeds for all contenders\n",
        text(experiment, "name"), *title ? ": " : "", title);
    json_array_foreach(json_object_get(comparison, "cases"), index, one) print_case(to, one);
    print_states(to, comparison);
    print_cost(to, json_object_get(comparison, "cost"));
}
