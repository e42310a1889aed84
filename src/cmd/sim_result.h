/* SPDX-License-Identifier: Apache-2.0 */
/* The result of mrc sim: one JSON document, mrc-result(5). */
#pragma once

#include <stdbool.h>

#include <jansson.h>

#include "cmd/cmd.h"
#include "files/files.h"

/* Takes over `runs`. `top`: the experiment as it was used, but for the sweep. */
json_t *sim_result(const struct experiment *, const struct yaml_node *top, json_t *runs);

/* Evaluates the criteria of all runs and puts the verdicts into them; false: one fails. */
bool sim_result_judge(const struct experiment *, json_t *runs);

/* Writes next to `path` and moves it there, so that nobody ever sees half of it. */
enum cmd_status sim_result_write(json_t *, const char *path);
