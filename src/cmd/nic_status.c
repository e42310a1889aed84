/* SPDX-License-Identifier: Apache-2.0 */
/* Functions shared by the commands that inspect running NICs: requests, and messages when there is
 * no answer. */
#include "cmd/nic_status.h"

#include <stdio.h>

/* ---- questions ------------------------------------------------------------------------------- */

enum cmd_status nic_status_devices(const struct nic_command *command,
    const struct nic_options *options, struct device_list *devices)
{
    device_list_read(devices);
    if (!options->device || device_list_keep(devices, options->device))
        return CMD_DONE;
    return cmd_complain(CMD_FAILED, command->name,
        "there is no device %s; 'mrc dev show' lists them", options->device);
}

bool nic_status_begin(const struct nic_command *command, int argument_count, char **arguments,
    struct nic_options *options, struct device_list *devices, enum cmd_status *status)
{
    if (!nic_status_parse(command, argument_count, arguments, options, status))
        return false;
    *status = nic_status_devices(command, options, devices);
    return *status == CMD_DONE;
}

enum cmd_status nic_status_ask(
    const struct nic_command *command, const char *device, const char *request, json_t **answer)
{
    char reason[REQUEST_REASON_BYTES];

    switch (request_device(device, request, answer, reason)) {
    case REQUEST_ANSWERED:
    case REQUEST_NOT_RUNNING:
        return CMD_DONE;
    default:
        return cmd_complain(CMD_FAILED, command->name, "%s: %s", device, reason);
    }
}

enum cmd_status nic_status_ask_owner(const struct nic_command *command,
    const struct nic_options *options, const char *device, const char *request, json_t **answer)
{
    enum cmd_status status = nic_status_ask(command, device, request, answer);

    if (status == CMD_DONE && !*answer && options->device)
        return cmd_complain(CMD_FAILED, command->name, "%s: no process has it open", device);
    return status;
}

enum cmd_status nic_status_qps(const struct nic_command *command, const struct nic_options *options,
    const char *device, json_t **qps)
{
    char reason[REQUEST_REASON_BYTES];
    enum request_result result = qp_list_read(device, options->qpn, qps, reason);

    if (result == REQUEST_NOT_RUNNING)
        return options->device
                   ? cmd_complain(CMD_FAILED, command->name, "%s: no process has it open", device)
                   : CMD_DONE;
    if (result != REQUEST_ANSWERED)
        return cmd_complain(CMD_FAILED, command->name, "%s: %s", device, reason);
    if (options->qpn == 0 || !options->device || json_array_size(*qps) > 0)
        return CMD_DONE;
    json_decref(*qps);
    *qps = NULL;
    return cmd_complain(CMD_FAILED, command->name, "%s: there is no QP %u", device, options->qpn);
}

/* ---- printing -------------------------------------------------------------------------------- */

void nic_status_print_json(json_t *json)
{
    json_dumpf(json, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(json);
}

/* Reports a QP or port that was requested by number and that no device has. */
static enum cmd_status complain_missing(
    const struct nic_command *command, const struct nic_options *options)
{
    if (options->qpn)
        return cmd_complain(CMD_FAILED, command->name, "no device has a QP %u", options->qpn);
    return cmd_complain(CMD_FAILED, command->name, "no device has a port %u", options->port);
}

enum cmd_status nic_status_finish(const struct nic_command *command,
    const struct nic_options *options, const struct device_list *devices, json_t *all,
    enum cmd_status status)
{
    if (status == CMD_DONE && json_array_size(all) == 0 && (options->qpn || options->port)) {
        json_decref(all);
        return complain_missing(command, options);
    }
    if (options->as_json && status == CMD_DONE) {
        nic_status_print_json(all);
        return status;
    }
    if (status == CMD_DONE && devices->count == 0)
        cmd_complain(CMD_DONE, command->name,
            "there are no devices; 'mrc fabric run' creates some. Check MRC_CONFIG and MRC_RUN_DIR "
            "if they are set");
    else if (status == CMD_DONE && json_array_size(all) == 0)
        cmd_complain(CMD_DONE, command->name, "%s", command->nothing);
    json_decref(all);
    return status;
}

long long nic_status_number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

const char *nic_status_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "-";
}

const char *nic_status_time(long long ns, char out[static 24])
{
    if (ns >= 10000000)
        snprintf(out, 24, "%lldms", ns / 1000000);
    else if (ns >= 1000000)
        snprintf(out, 24, "%.1fms", (double)ns / 1e6);
    else if (ns >= 1000)
        snprintf(out, 24, "%lldus", ns / 1000);
    else
        snprintf(out, 24, "%lldns", ns);
    return out;
}
