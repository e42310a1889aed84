/* SPDX-License-Identifier: Apache-2.0 */
/* The result of mrc sim: one JSON document, mrc-result(5). */
#pragma once

#include <jansson.h>

#include "files/files.h"

/* Takes ownership of `runs`. `top` is the experiment as it was run, except for the sweep. */
json_t *result_document(const struct experiment *, const struct yaml_node *top, json_t *runs);

/* Writes a file next to `path` and renames it, so that a reader never sees an incomplete one.
 * Returns 0 or a negative errno. */
int result_document_write(json_t *, const char *path);
