/* SPDX-License-Identifier: Apache-2.0 */
/* Pages: what a browser shows. */
#pragma once

#include <stdio.h>

#include <jansson.h>

/* Writes one HTML page that shows `results`, an array of result documents as `mrc sim` writes them,
 * and needs nothing else: no network, no other file. Takes the documents apart on the way: they are
 * of no use to the caller afterwards. Yields 0, or -EIO with the cause in errno. */
int web_report_write(FILE *to, json_t *results);
