/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric: what its verbs share. */
#pragma once

#include "cmd/cmd.h"

#define FABRIC_ROOT_BYTES 200

/* The folder of all devices and fabrics: RUN/mrc. 0 or a negative errno. */
int fabric_root(char path[static FABRIC_ROOT_BYTES]);

/* Asks the fabric called `name`; complains if it does not run or refuses. The answer is to be
 * released with json_decref(). */
struct json_t;
enum cmd_status fabric_ask(const char *name, struct json_t *request, struct json_t **answer);

enum cmd_status fabric_run(int argument_count, char **arguments);
enum cmd_status fabric_show(int argument_count, char **arguments);
enum cmd_status fabric_fault(int argument_count, char **arguments);
enum cmd_status fabric_stop(int argument_count, char **arguments);
