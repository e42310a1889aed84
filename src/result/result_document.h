/* SPDX-License-Identifier: Apache-2.0 */
/* The result of mrc sim: one JSON document, mrc-result(5). */
#pragma once

#include <jansson.h>

#include "files/files.h"

/* Takes over `runs`. `top`: the experiment as it was used, but for the sweep. */
json_t *result_document(const struct experiment *, const struct yaml_node *top, json_t *runs);

/* Writes next to `path` and moves it there, so that a reader never sees half of it. 0 or a negative
 * errno. */
int result_document_write(json_t *, const char *path);
