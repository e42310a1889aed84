/* SPDX-License-Identifier: Apache-2.0 */
/* The script that makes a Linux machine a switch, and what reads it back. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config_source.h"

/* Returns whether the script line holds numbers of the plan: it begins with `own`, `port`, `route`
 * or `queue`. All other lines are the same in the scripts of all switches of a fabric and block. */
bool config_linux_is_line(const char *line);
void config_linux_write(const struct config_source *, uint32_t node, FILE *);
