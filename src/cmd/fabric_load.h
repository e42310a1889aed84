/* SPDX-License-Identifier: Apache-2.0 */
/* Fabric files and the names of fabrics, for the commands that run them. */
#pragma once

#include "cmd/cmd.h"

struct plan;
struct yaml;

/* Reads a fabric file and reports errors in it. On CMD_DONE the caller ends with yaml_fini(). */
enum cmd_status fabric_load(const char *command, const char *path, struct yaml *, struct plan *);

/* Checks that a fabric may have the name that this option gives it. */
enum cmd_status fabric_load_check_name(const char *command, const char *option, const char *fabric);
