/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of mrc conform. */
#pragma once

#include "cmd/cmd.h"

extern const struct cmd conform_api_command;
extern const struct cmd conform_capture_command;
extern const struct cmd conform_endpoint_command;
extern const struct cmd conform_switch_command;
extern const struct cmd conform_traffic_command;
