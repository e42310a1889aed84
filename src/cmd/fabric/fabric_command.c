/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric: finds the verb; functions that the verbs share. */
#include "cmd/fabric/fabric.h"

#include "control/control.h"

static const char name[] = "fabric";

static const struct cmd *const verbs[] = {
    &fabric_run_command,
    &fabric_up_command,
    &fabric_down_command,
    &fabric_list_command,
    &fabric_show_command,
    &fabric_fault_command,
    &fabric_record_command,
    &fabric_web_command,
    &fabric_stop_command,
    NULL,
};

const struct cmd fabric_command = {
    .name = name,
    .summary = "run a fabric on this machine, inject faults, show its state",
    .verbs = verbs,
    .purpose = "Runs fabrics on this machine.",
};

enum cmd_status fabric_complain_not_running(const char *fabric)
{
    return cmd_complain(CMD_FAILED, name,
        "no fabric called '%s' is running; start one with 'mrc fabric run FABRIC.yaml' or 'mrc "
        "fabric up FABRIC.yaml'",
        fabric);
}

enum cmd_status fabric_complain(const char *fabric, enum request_result result, const char *reason)
{
    if (result == REQUEST_NOT_RUNNING)
        return fabric_complain_not_running(fabric);
    if (result == REQUEST_REFUSED)
        return cmd_complain(CMD_MISUSED, name, "%s", reason);
    return cmd_complain(CMD_FAILED, name, "'%s': %s", fabric, reason);
}

enum cmd_status fabric_ask(const char *fabric, const struct request_line *request, json_t **answer)
{
    char reason[REQUEST_REASON_BYTES];
    enum request_result result = request_fabric(fabric, request, answer, reason);

    return result == REQUEST_ANSWERED ? CMD_DONE : fabric_complain(fabric, result, reason);
}

enum cmd_status fabric_ask_word(const char *fabric, const char *request, json_t **answer)
{
    struct request_line line;

    request_line_begin(&line, request);
    return fabric_ask(fabric, &line, answer);
}
