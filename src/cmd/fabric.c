/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric: finds the verb; what the verbs share. */
#include "cmd/fabric.h"

#include "control/control.h"

static const char name[] = "fabric";

static const struct cmd verbs[] = {
    { "run", "emulate all switches and links of a fabric in this process", fabric_run },
    { "up", "build a fabric of network namespaces (root)", fabric_up },
    { "down", "take a fabric of network namespaces away", fabric_down },
    { "list", "list the fabrics of this machine", fabric_list },
    { "show", "show links, queues, counters and faults of a running fabric", fabric_show },
    { "fault", "break or repair a part of a running fabric", fabric_fault },
    { "record", "write what has happened to a running fabric as an experiment", fabric_record },
    { "stop", "end a running fabric", fabric_stop },
};

enum cmd_status cmd_fabric(int argument_count, char **arguments)
{
    static const struct cmd_verbs all = { name, "Fabrics on this machine.", verbs,
        sizeof(verbs) / sizeof(verbs[0]) };

    return cmd_run_verb(&all, argument_count, arguments);
}

enum cmd_status fabric_complain_not_running(const char *fabric)
{
    return cmd_complain(CMD_FAILED, name,
        "no fabric called '%s' is running; start one with 'mrc fabric run FABRIC.yaml' or 'mrc "
        "fabric up FABRIC.yaml'",
        fabric);
}

enum cmd_status fabric_ask(const char *fabric, json_t *request, json_t **answer)
{
    char reason[REQUEST_REASON_BYTES];

    switch (request_fabric(fabric, request, answer, reason)) {
    case REQUEST_ANSWERED:
        return CMD_DONE;
    case REQUEST_NOT_RUNNING:
        return fabric_complain_not_running(fabric);
    case REQUEST_REFUSED:
        return cmd_complain(CMD_MISUSED, name, "%s", reason);
    default:
        return cmd_complain(CMD_FAILED, name, "'%s': %s", fabric, reason);
    }
}
