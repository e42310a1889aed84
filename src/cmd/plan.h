/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of mrc plan. */
#pragma once

#include "cmd/cmd.h"

enum cmd_status plan_path(int argument_count, char **arguments);
