/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a sized fabric as a fabric file. */
#pragma once

#include "cmd/plan/plan_request.h"

enum cmd_status plan_fabric_text(
    const char *command, const struct size_fabric *, const struct size_site *);
