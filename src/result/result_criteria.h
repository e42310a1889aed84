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

/* Judges a comparison of runs that were repeated: names have the mean over all seeds. Returns
 * "value", "least" and "most" of the left side over seeds, and "pass". A name without a value has
 * a "problem": "pass" is then false if the run has this figure, as null (it never recovered), and
 * null if there is no such figure. */
json_t *result_criteria_judge_seeds(const char *text, const json_t *runs);
