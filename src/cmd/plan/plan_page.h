/* SPDX-License-Identifier: Apache-2.0 */
/* --report: everything about a fabric as one page. */
#pragma once

#include "cmd/plan/plan_request.h"

/* Writes the page to options->report. `line`: the words of the command. */
enum cmd_status plan_page(
    const char *command, const struct plan_options *, const struct size_judge *, char *const *line);
