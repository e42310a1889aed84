/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the document of mrc-search(1), and writes it as comma-separated values. */
#pragma once

#include <stdio.h>

#include <jansson.h>

/* Prints the front, the fronts of separate searches, and the answer. */
void search_table_print(FILE *, const json_t *document);
/* Prints what a search may choose from: search_json_space(). */
void search_table_print_space(FILE *, const json_t *space, int64_t gpus);

/* A line for each point. Returns 0 or a negative errno. */
int search_table_write_csv(json_t *document, const char *path);
