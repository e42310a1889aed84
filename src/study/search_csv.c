/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the points of a search as comma-separated values. */
#include <errno.h>

#include "files/files.h"
#include "result/result.h"
#include "study/search_table.h"

static const char *const flags[] = { "is_found", "on_front", "on_topology_front",
    "on_parameters_front", "is_beyond_alone", "is_beyond_separate", "dominates" };

static void write_cell(FILE *to, const json_t *object, const char *key)
{
    fputc(',', to);
    result_csv_cell(to, json_object_get(object, key));
}

static void write_heading(FILE *to, const json_t *document)
{
    size_t index;
    json_t *one;

    fputs("id,topology,origin", to);
    json_array_foreach(json_object_get(document, "objectives"), index, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));

        fprintf(to, ",%s,%s_checked,%s_half_width", name, name, name);
    }
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        fprintf(to, ",%s", flags[i]);
    json_array_foreach(json_object_get(json_object_get(document, "space"), "parameters"), index,
        one) fprintf(to, ",%s", json_string_value(json_object_get(one, "key")));
    fputc('\n', to);
}

static void write_point(FILE *to, const json_t *document, const json_t *point)
{
    size_t index;
    json_t *one;

    result_csv_cell(to, json_object_get(point, "id"));
    write_cell(to, point, "name");
    write_cell(to, point, "origin");
    json_array_foreach(json_object_get(document, "objectives"), index, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        const json_t *checked = json_object_get(json_object_get(point, "checked"), name);

        write_cell(to, json_object_get(point, "chosen"), name);
        write_cell(to, checked, "mean");
        write_cell(to, checked, "half_width");
    }
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        write_cell(to, point, flags[i]);
    json_array_foreach(json_object_get(json_object_get(document, "space"), "parameters"), index,
        one) write_cell(to, json_object_get(point, "settings"),
        json_string_value(json_object_get(one, "key")));
    fputc('\n', to);
}

static int write_all(FILE *to, void *document)
{
    size_t index;
    json_t *point;

    write_heading(to, document);
    json_array_foreach(json_object_get(document, "points"), index, point)
        write_point(to, document, point);
    return ferror(to) ? -EIO : 0;
}

int search_table_write_csv(json_t *document, const char *path)
{
    return whole_file_write(path, write_all, document);
}
