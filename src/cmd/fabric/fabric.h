/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric: functions that its verbs share. */
#pragma once

#include <stdbool.h>

#include "cmd/cmd.h"
#include "control/control.h"

/* Sends a request to the fabric of this name. Reports an error if the fabric does not run or
 * refuses the request. The caller releases the answer with json_decref(). */
enum cmd_status fabric_ask(const char *fabric, const struct request_line *, json_t **answer);
/* The same for a request without arguments that need a value. */
enum cmd_status fabric_ask_word(const char *fabric, const char *request, json_t **answer);

enum cmd_status fabric_complain_not_running(const char *fabric);
/* Reports a request that was not answered. */
enum cmd_status fabric_complain(const char *fabric, enum request_result, const char *reason);

/* mrc fabric fault run: runs a script of faults. arguments[0] is "run". */
extern const struct option_table fabric_script_table;
enum cmd_status fabric_script(const char *fabric, int argument_count, char **arguments);

extern const struct cmd fabric_run_command;
extern const struct cmd fabric_up_command;
extern const struct cmd fabric_down_command;
extern const struct cmd fabric_list_command;
extern const struct cmd fabric_show_command;
extern const struct cmd fabric_fault_command;
extern const struct cmd fabric_record_command;
extern const struct cmd fabric_web_command;
extern const struct cmd fabric_stop_command;
