/* SPDX-License-Identifier: Apache-2.0 */
/* The report page: a template in which each {{NAME}} stands for an embedded file, {{results}} for
 * the data, and {{metrics}} for the description of counters. */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "web/page_files.h"
#include "web/web.h"

static bool is_part(const char *name, size_t length, const char *part)
{
    return strlen(part) == length && memcmp(name, part, length) == 0;
}

static const struct files_entry *find_file(const char *name, size_t length)
{
    for (size_t i = 0; i < files_count; i++)
        if (is_part(name, length, files_entries[i].name))
            return &files_entries[i];
    return NULL;
}

/* "<" can only stand inside a string of a JSON text. Escaped, no string ends the script element it
 * is in. */
static int put_escaped(const char *text, size_t length, void *to)
{
    const char *end = text + length;

    while (text < end) {
        const char *bracket = memchr(text, '<', (size_t)(end - text));
        const char *stop = bracket ? bracket : end;

        fwrite(text, 1, (size_t)(stop - text), to);
        if (bracket)
            fputs("\\u003c", to);
        text = bracket ? bracket + 1 : end;
    }
    return ferror((FILE *)to) ? -1 : 0;
}

static void put_json(FILE *to, const char *kind, const char *id, const json_t *value)
{
    fprintf(to, "<script type=\"application/json\" class=\"%s\" id=\"%s\">", kind, id);
    json_dump_callback(value, put_escaped, to, JSON_COMPACT | JSON_REAL_PRECISION(10));
    fputs("</script>\n", to);
}

/* The bulk of a run goes into an element of its own, which the page reads when the run is looked
 * at. The seed becomes text: a browser's numbers hold 53 bits. */
static void put_run(FILE *to, size_t document, size_t index, json_t *run)
{
    static const char *const bulk[] = { "series", "events" };
    json_t *details = json_object();
    json_t *seed = json_object_get(run, "seed");
    char text[64];

    for (size_t i = 0; i < sizeof(bulk) / sizeof(bulk[0]); i++) {
        json_object_set(details, bulk[i], json_object_get(run, bulk[i]));
        json_object_del(run, bulk[i]);
    }
    snprintf(text, sizeof(text), "details-%zu-%zu", document, index);
    put_json(to, "details", text, details);
    json_decref(details);

    if (json_is_integer(seed)) {
        snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(seed));
        json_object_set_new(run, "seed", json_string(text));
    }
}

static void put_results(FILE *to, json_t *results)
{
    size_t document_index;
    size_t run_index;
    json_t *document;
    json_t *run;
    char id[64];

    json_array_foreach(results, document_index, document)
    {
        json_array_foreach(json_object_get(document, "runs"), run_index, run)
            put_run(to, document_index, run_index, run);
        snprintf(id, sizeof(id), "result-%zu", document_index);
        put_json(to, "result", id, document);
    }
}

static void put_part(
    FILE *to, const char *name, size_t length, json_t *results, const json_t *metrics)
{
    const struct files_entry *file = find_file(name, length);

    if (file) {
        fwrite(file->bytes, 1, file->size, to);
        return;
    }
    if (is_part(name, length, "metrics")) {
        put_json(to, "metrics", "metrics", metrics);
        return;
    }
    assert(is_part(name, length, "results"));
    put_results(to, results);
}

int web_report_write(FILE *to, json_t *results, const json_t *metrics)
{
    const struct files_entry *page = find_file("report.html", strlen("report.html"));
    const char *at = (const char *)page->bytes;
    const char *end = at + page->size;
    const char *open;

    while ((open = memmem(at, (size_t)(end - at), "{{", 2)) != NULL) {
        const char *name = open + 2;
        const char *close = memmem(name, (size_t)(end - name), "}}", 2);

        assert(close != NULL);
        fwrite(at, 1, (size_t)(open - at), to);
        put_part(to, name, (size_t)(close - name), results, metrics);
        at = close + 2;
    }
    fwrite(at, 1, (size_t)(end - at), to);
    return ferror(to) ? -EIO : 0;
}
