/* SPDX-License-Identifier: Apache-2.0 */
/* The report page: results, and the description of counters. */
#include <stdio.h>

#include "web/page.h"
#include "web/report_slots.h"
#include "web/web.h"

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
    page_put_json(to, "details", text, details);
    json_decref(details);

    if (json_is_integer(seed)) {
        snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(seed));
        json_object_set_new(run, "seed", json_string(text));
    }
}

void report_put_results(FILE *to, void *results)
{
    size_t document_index;
    size_t run_index;
    json_t *document;
    json_t *run;
    char id[64];

    json_array_foreach((json_t *)results, document_index, document)
    {
        json_array_foreach(json_object_get(document, "runs"), run_index, run)
            put_run(to, document_index, run_index, run);
        snprintf(id, sizeof(id), "result-%zu", document_index);
        page_put_json(to, "result", id, document);
    }
}

void report_put_metrics(FILE *to, void *metrics)
{
    page_put_json(to, "metrics", "metrics", metrics);
}

int web_report_write(FILE *to, json_t *results, json_t *metrics)
{
    const struct page_slot slots[] = { { "results", report_put_results, results },
        { "metrics", report_put_metrics, metrics } };

    return page_write(to, "report.html", slots, sizeof(slots) / sizeof(slots[0]));
}
