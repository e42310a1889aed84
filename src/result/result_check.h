/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a JSON document is a result of mrc sim that a report can be made of. */
#pragma once

#include <stdbool.h>

#include <jansson.h>

struct result_problem {
    char text[256]; /* what is wrong, and where in the document */
};

bool result_check(const json_t *document, struct result_problem *);
