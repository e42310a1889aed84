/* SPDX-License-Identifier: Apache-2.0 */
/* Judges whether runs fulfil the criteria of their experiment. */
#pragma once

#include <stdbool.h>

#include <jansson.h>

#include "files/files.h"

/* Evaluates the criteria of all runs and adds the verdicts to them. Returns false if one fails. */
bool result_criteria_judge(const struct experiment *, json_t *runs);

/* Adds the verdicts of the criteria that do not compare runs to one run. */
void result_criteria_judge_alone(const struct experiment *, json_t *run);
