/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric: finds the verb; what the verbs share. */
#include "cmd/fabric.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/files.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

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

static enum cmd_status read_answer(const char *text, json_t **answer)
{
    json_error_t error;
    const char *refusal;

    *answer = json_loads(text, 0, &error);
    if (!*answer)
        return cmd_complain(CMD_FAILED, name, "the fabric's answer is damaged: %s", error.text);
    refusal = json_string_value(json_object_get(*answer, "error"));
    if (!refusal)
        return CMD_DONE;
    cmd_complain(CMD_MISUSED, name, "%s", refusal);
    json_decref(*answer);
    *answer = NULL;
    return CMD_MISUSED;
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
    char root[FABRIC_ROOT_BYTES];
    char path[FABRIC_ROOT_BYTES + 80];
    char *question = json_dumps(request, JSON_COMPACT);
    char *text = NULL;
    enum cmd_status status;
    int err = question ? run_place_make(root, sizeof(root)) : -ENOMEM;

    json_decref(request);
    if (!err) {
        snprintf(path, sizeof(path), "%s/%.60s/control", root, fabric);
        err = control_ask(path, question, &text);
    }
    free(question);
    if (err == -ENOENT || err == -ECONNREFUSED)
        return fabric_complain_not_running(fabric);
    if (err)
        return cmd_complain(CMD_FAILED, name, "%s: %s", path, strerror(-err));
    status = read_answer(text, answer);
    free(text);
    return status;
}
