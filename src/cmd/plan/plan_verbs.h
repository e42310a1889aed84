/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of mrc plan. */
#pragma once

#include "cmd/cmd.h"

extern const struct cmd plan_size_command;
extern const struct cmd plan_failures_command;
extern const struct cmd plan_chips_command;
extern const struct cmd plan_check_command;
extern const struct cmd plan_config_command;
extern const struct cmd plan_diff_command;
extern const struct cmd plan_path_command;
