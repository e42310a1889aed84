/* SPDX-License-Identifier: Apache-2.0 */
/* Prints fabrics side by side: those of --compare, or the best of --goal. */
#pragma once

#include "cmd/plan/plan_request.h"

enum cmd_status plan_side_by_side(
    const char *command, const struct plan_options *, const struct size_judge *);
