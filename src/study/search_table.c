/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of a search on a terminal. */
#include "study/search_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"

enum { CELL_BYTES = 48, COLUMN = 18, NAME_COLUMN = 32 };

struct cell {
    char text[CELL_BYTES];
};

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));

    return value ? value : "";
}

static bool flag(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Time figures are in us. */
static struct cell value_cell(const char *unit, double value)
{
    struct cell cell;

    if (strcmp(unit, "fraction") == 0)
        snprintf(cell.text, sizeof(cell.text), "%.1f%%", 100 * value);
    else if (strcmp(unit, "time") == 0)
        snprintf(cell.text, sizeof(cell.text), "%s", units_text(UNITS_TIME, value * 1e6).at);
    else if (strcmp(unit, "rate") == 0)
        snprintf(cell.text, sizeof(cell.text), "%s", units_text(UNITS_RATE, value).at);
    else if (strcmp(unit, "usd") == 0)
        snprintf(cell.text, sizeof(cell.text), "%.0f $", value);
    else if (strcmp(unit, "watts") == 0)
        snprintf(cell.text, sizeof(cell.text), "%.1f W", value);
    else
        snprintf(cell.text, sizeof(cell.text), "%.6g", value);
    return cell;
}

/* Mean and half the width of the interval, which figures of the topology do not have. */
static struct cell interval_cell(const json_t *objective, const json_t *point)
{
    const char *unit = text(objective, "unit");
    const json_t *interval =
        json_object_get(json_object_get(point, "checked"), text(objective, "name"));
    double half = number(interval, "half_width");
    struct cell mean;
    struct cell cell;

    if (!json_is_number(json_object_get(interval, "mean"))) {
        snprintf(cell.text, sizeof(cell.text), "none");
        return cell;
    }
    mean = value_cell(unit, number(interval, "mean"));
    if (half == 0)
        return mean;
    snprintf(cell.text, sizeof(cell.text), "%.20s +-%.20s", mean.text, value_cell(unit, half).text);
    return cell;
}

static void print_settings(FILE *to, const json_t *settings)
{
    const char *separator = "";
    const char *key;
    json_t *value;

    if (json_object_size(settings) == 0)
        fputs("usual", to);
    json_object_foreach((json_t *)settings, key, value)
    {
        const char *dot = strrchr(key, '.');
        char *dump = json_dumps(value, JSON_ENCODE_ANY);

        fprintf(to, "%s%s=%s", separator, dot ? dot + 1 : key,
            json_is_string(value) ? json_string_value(value) : dump);
        separator = " ";
        free(dump);
    }
}

/* ---- points ---------------------------------------------------------------------------------- */

static const char *mark_of(const json_t *point)
{
    if (flag(point, "is_beyond_separate"))
        return "**";
    return flag(point, "is_beyond_alone") ? "*" : "";
}

static void print_heading(FILE *to, const json_t *objectives)
{
    size_t index;
    json_t *objective;

    fprintf(to, "  %4s %-2s ", "id", "");
    json_array_foreach(objectives, index, objective)
        fprintf(to, "%*s ", COLUMN, text(objective, "name"));
    fprintf(to, "%9s  %-*s %s\n", "dominates", NAME_COLUMN, "topology", "values");
}

static void print_point(FILE *to, const json_t *objectives, const json_t *point)
{
    size_t index;
    json_t *objective;

    fprintf(to, "  %4d %-2s ", (int)number(point, "id"), mark_of(point));
    json_array_foreach(objectives, index, objective)
        fprintf(to, "%*s ", COLUMN, interval_cell(objective, point).text);
    fprintf(to, "%9d  %-*s ", (int)number(point, "dominates"), NAME_COLUMN, text(point, "name"));
    print_settings(to, json_object_get(point, "settings"));
    fputc('\n', to);
}

static void print_front(FILE *to, const json_t *document, const char *title, const char *key)
{
    const json_t *objectives = json_object_get(document, "objectives");
    size_t index;
    json_t *point;

    fprintf(to, "\n%s\n", title);
    print_heading(to, objectives);
    json_array_foreach(json_object_get(document, "points"), index, point) if (flag(point, key))
        print_point(to, objectives, point);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void print_answer(FILE *to, const json_t *answer)
{
    int alone = (int)number(answer, "beyond_alone");
    int separate = (int)number(answer, "beyond_separate");

    fprintf(to,
        "\n%d of the %d points that the search found are on the front with the check "
        "seeds, too.\n",
        (int)number(answer, "stayed"), (int)number(answer, "found"));
    if (alone == 0) {
        fputs("In the space searched, no point of the front is out of reach of a search over "
              "topologies\nor parameters alone.\n",
            to);
        return;
    }
    fprintf(
        to, "*  %d: no point of a search over topologies or parameters alone is as good.\n", alone);
    if (separate)
        fprintf(to, "** %d of them: neither is a combination of what the two searches found.\n",
            separate);
    else
        fputs("Combinations of what the two searches found are as good as all of them.\n", to);
}

static void print_effort(FILE *to, const json_t *document)
{
    const json_t *method = json_object_get(document, "method");
    const json_t *tried = json_object_get(method, "tried");

    fprintf(to,
        "%s: %d GPUs, %.3g points in the space; tried %d + %d + %d + %d (topologies, parameters, "
        "combinations, both), %d checked with %d other seeds%s\n",
        text(document, "name"), (int)number(document, "gpus"),
        number(json_object_get(document, "space"), "points"), (int)number(tried, "topologies"),
        (int)number(tried, "parameters"), (int)number(tried, "combinations"),
        (int)number(tried, "both"), (int)number(tried, "check"), (int)number(method, "check_seeds"),
        flag(method, "is_out_of_time") ? "; out of time" : "");
}

void search_table_print(FILE *to, const json_t *document)
{
    print_effort(to, document);
    print_front(to, document, "front: topologies and parameters together", "on_front");
    print_front(to, document, "topologies alone, with usual values", "on_topology_front");
    print_front(to, document, "parameters alone, on the usual topology", "on_parameters_front");
    print_answer(to, json_object_get(document, "answer"));
}

/* ---- the space ------------------------------------------------------------------------------- */

static void print_topologies(FILE *to, const json_t *space, int64_t gpus)
{
    size_t index;
    json_t *one;

    fprintf(to, "  %-*s %8s %8s %10s %8s\n", NAME_COLUMN, "topology", "switches", "links",
        "$ per GPU", "W");
    json_array_foreach(json_object_get(space, "topologies"), index, one)
    {
        const json_t *usd = json_object_get(one, "usd");
        const json_t *watts = json_object_get(one, "watts");

        fprintf(to, "  %-*s %8d %8d %10.0f %8.1f%s\n", NAME_COLUMN, text(one, "name"),
            (int)number(one, "switches"), (int)number(one, "links"),
            (number(usd, "least") + number(usd, "most")) / 2 / (double)gpus,
            (number(watts, "least") + number(watts, "most")) / 2 / (double)gpus,
            index == 0 ? "  usual" : "");
    }
    json_array_foreach(json_object_get(space, "refused"), index, one) fprintf(
        to, "  %-*s not possible: %s\n", NAME_COLUMN, text(one, "name"), text(one, "reason"));
}

void search_table_print_space(FILE *to, const json_t *space, int64_t gpus)
{
    size_t index;
    json_t *one;

    print_topologies(to, space, gpus);
    json_array_foreach(json_object_get(space, "parameters"), index, one)
    {
        char *values = json_dumps(json_object_get(one, "values"), JSON_COMPACT);

        fprintf(to, "  %-*s usual, %s\n", NAME_COLUMN, text(one, "key"), values);
        free(values);
    }
    fprintf(to, "%.6g points\n", number(space, "points"));
}
