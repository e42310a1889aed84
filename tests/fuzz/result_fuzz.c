/* SPDX-License-Identifier: Apache-2.0 */
/* Results that mrc report reads: one that is taken becomes a page whose data elements are JSON, one
 * that is not says which member is wrong. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "must.h"
#include "result/result_check.h"
#include "web/web.h"

static const char element[] = "<script type=\"application/json\"";

/* Whatever a text in the result says, no data element ends before its end. */
static void expect_page(const char *page, size_t length_bytes, size_t run_count)
{
    const char *end = page + length_bytes;
    size_t found = 0;

    while ((page = memmem(page, (size_t)(end - page), element, strlen(element))) != NULL) {
        const char *data = memchr(page, '>', (size_t)(end - page));
        const char *close = data ? memmem(data, (size_t)(end - data), "</script>", 9) : NULL;
        json_t *json;

        MUST(close != NULL);
        json = json_loadb(data + 1, (size_t)(close - data - 1), JSON_DECODE_ANY, NULL);
        MUST(json != NULL);
        json_decref(json);
        found++;
        page = close;
    }
    MUST(found == run_count + 2); /* the index, the metrics, and each run */
}

static void write_page(json_t *document)
{
    json_t *results = json_pack("[O]", document);
    size_t run_count = json_array_size(json_object_get(document, "runs"));
    size_t length_bytes = 0;
    char *page = NULL;
    FILE *to = open_memstream(&page, &length_bytes);
    json_t *metrics = json_array();

    if (!results || !to)
        abort();
    MUST(web_report_write(to, results, metrics) == 0);
    fclose(to);
    expect_page(page, length_bytes, run_count);
    free(page);
    json_decref(metrics);
    json_decref(results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    json_t *document = json_loadb((const char *)data, length_bytes, 0, NULL);
    struct result_problem problem = { .text = "" };

    if (!document)
        return 0;
    if (result_check(document, &problem))
        write_page(document);
    else
        MUST(problem.text[0] != 0 && memchr(problem.text, 0, sizeof(problem.text)) != NULL);
    json_decref(document);
    return 0;
}
