/* SPDX-License-Identifier: Apache-2.0 */
/* Writes requests in the grammar of request_form.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/request_form.h"

/* A request that is being written. */
struct request_line {
    char text[REQUEST_LINE_BYTES];
    size_t length;
    bool is_cut; /* it did not fit, or has a value that the grammar cannot express */
};

void request_line_begin(struct request_line *, const char *request);
void request_line_number(struct request_line *, const char *name, uint64_t value);
void request_line_text(struct request_line *, const char *name, const char *value);
/* Writes the names, separated by commas; nothing if there are none. */
void request_line_list(
    struct request_line *, const char *name, const char *const *values, uint32_t count);
void request_line_flag(struct request_line *, const char *name);
