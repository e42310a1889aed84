/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a comparison as comma-separated values. */
#include <errno.h>

#include "files/files.h"
#include "result/comparison.h"
#include "result/result_csv.h"

static const char *const spreads[] = { "mean", "deviation", "min", "max" };
static const char *const states[] = { "qps_per_nic", "qp_bytes", "switch_routes",
    "switch_headroom_bytes" };
static const char *const costs[] = { "least_usd", "most_usd" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void write_heading(FILE *to)
{
    fputs("case,contender,runs,unrecovered", to);
    for (int i = 0; i < COMPARISON_FIGURE_COUNT; i++)
        for (size_t k = 0; k < COUNT(spreads); k++)
            fprintf(to, ",%s_%s", comparison_figures[i].key, spreads[k]);
    for (size_t i = 0; i < COUNT(states); i++)
        fprintf(to, ",%s", states[i]);
    for (size_t i = 0; i < COUNT(costs); i++)
        fprintf(to, ",%s", costs[i]);
    fputs(",normalisation,fabric,settings\n", to);
}

static void write_cell(FILE *to, const json_t *object, const char *key)
{
    fputc(',', to);
    result_csv_cell(to, json_object_get(object, key));
}

/* What a contender has in all cases. */
static void write_contender(FILE *to, const json_t *contender, const json_t *normalisation)
{
    for (size_t i = 0; i < COUNT(costs); i++)
        write_cell(to, json_object_get(contender, "cost"), costs[i]);
    write_cell(to, normalisation, "title");
    write_cell(to, contender, "fabric");
    write_cell(to, contender, "settings");
    fputc('\n', to);
}

static void write_entry(FILE *to, const json_t *label, const json_t *entry)
{
    const json_t *figures = json_object_get(entry, "figures");

    result_csv_cell(to, label);
    write_cell(to, entry, "contender");
    write_cell(to, entry, "runs");
    write_cell(to, entry, "unrecovered");
    for (int i = 0; i < COMPARISON_FIGURE_COUNT; i++)
        for (size_t k = 0; k < COUNT(spreads); k++)
            write_cell(to, json_object_get(figures, comparison_figures[i].key), spreads[k]);
    for (size_t i = 0; i < COUNT(states); i++)
        write_cell(to, json_object_get(entry, "state"), states[i]);
}

static int write_all(FILE *to, void *comparison)
{
    const json_t *contenders = json_object_get(comparison, "contenders");
    size_t case_index;
    size_t index;
    json_t *one;
    json_t *entry;

    write_heading(to);
    json_array_foreach(json_object_get(comparison, "cases"), case_index, one)
        json_array_foreach(json_object_get(one, "entries"), index, entry)
    {
        write_entry(to, json_object_get(one, "label"), entry);
        write_contender(
            to, json_array_get(contenders, index), json_object_get(comparison, "normalisation"));
    }
    return ferror(to) ? -EIO : 0;
}

int comparison_write_csv(json_t *comparison, const char *path)
{
    return whole_file_write(path, write_all, comparison);
}
