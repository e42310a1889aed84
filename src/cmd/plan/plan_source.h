/* SPDX-License-Identifier: Apache-2.0 */
/* A fabric file and its plan, from which configurations are written. */
#pragma once

#include "cmd/cmd.h"
#include "config/config.h"
#include "files/files.h"

struct plan_source {
    struct yaml yaml;
    struct plan plan;
    char *text;
    struct config_source source;
};

/* Reads a fabric file and reports errors in it. On CMD_DONE the caller ends with
 * plan_source_close(). */
enum cmd_status plan_source_open(struct plan_source *, const char *command, const char *path);
void plan_source_close(struct plan_source *);
