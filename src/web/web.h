/* SPDX-License-Identifier: Apache-2.0 */
/* Pages: what a browser shows. */
#pragma once

#include <stdio.h>

#include <jansson.h>

/* Writes one HTML page that shows `results`, an array of result documents as `mrc sim` writes them.
 * The page needs no network and no other file. `metrics` describes the counters (metric_json()).
 * The function modifies the documents, which the caller can then only release. Returns 0, or -EIO
 * with the cause in errno. */
int web_report_write(FILE *to, json_t *results, json_t *metrics);

/* Likewise shows the document of mrc-compare(1). Leaves it as it is. */
int web_compare_write(FILE *to, json_t *comparison);

/* Likewise shows a plan: what mrc-plan(1) prints as JSON, and the numbers of the drawing. */
int web_plan_write(FILE *to, json_t *plan);

/* Likewise shows the document of mrc-search(1). */
int web_search_write(FILE *to, json_t *search);

/* Writes the page of a running fabric, which asks its server for data, or, if `results` is not
 * NULL, one that plays back one or two results and needs no server. Modifies the results as
 * web_report_write() does. */
int web_dashboard_write(FILE *to, json_t *results, json_t *metrics);
