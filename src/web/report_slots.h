/* SPDX-License-Identifier: Apache-2.0 */
/* Results and the description of counters as parts of a page. */
#pragma once

#include <stdio.h>

/* `results`: an array of result documents, which is modified; NULL: none. */
void report_put_results(FILE *to, void *results);
void report_put_metrics(FILE *to, void *metrics);
