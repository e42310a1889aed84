/* SPDX-License-Identifier: Apache-2.0 */
/* Whether runs are as their experiment expects. */
#pragma once

#include <stdbool.h>

#include <jansson.h>

#include "files/files.h"

/* Evaluates the criteria of all runs and puts the verdicts into them; false: one fails. */
bool result_criteria_judge(const struct experiment *, json_t *runs);
