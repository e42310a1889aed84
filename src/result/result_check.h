/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether a JSON document is a result of mrc sim that a report can show. */
#pragma once

#include <stdbool.h>

#include <jansson.h>

struct result_problem {
    char text[256]; /* the problem and its place in the document */
};

bool result_check(const json_t *document, struct result_problem *);

/* Returns true if every run came to its end, and no invariant was violated. */
bool result_check_clean(const json_t *document);
