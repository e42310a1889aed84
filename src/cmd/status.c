/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the processes that have devices. */
#include "cmd/status.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "pktio/pktio.h"

enum { PATH_BYTES = 512 };

/* ---- devices --------------------------------------------------------------------------------- */

static void add_device(struct status_devices *devices, const char *name)
{
    size_t length = strlen(name);

    for (uint32_t i = 0; i < devices->count; i++)
        if (strcmp(devices->names[i], name) == 0)
            return;
    if (devices->count < STATUS_DEVICES_MAX && length < STATUS_NAME_BYTES)
        memcpy(devices->names[devices->count++], name, length + 1);
}

static void add_described(struct status_devices *devices)
{
    struct ibv_device **list = ibv_get_device_list(NULL);

    for (uint32_t i = 0; list && list[i]; i++)
        add_device(devices, ibv_get_device_name(list[i]));
    if (list)
        ibv_free_device_list(list);
}

/* Those that a process has open, wherever they are described. */
static void add_owned(struct status_devices *devices)
{
    struct process_lock_holder holder;
    char path[PATH_BYTES];
    struct dirent *entry;
    DIR *folder = run_place(path, sizeof(path), NULL, NULL) == 0 ? opendir(path) : NULL;

    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.' && run_place(path, sizeof(path), entry->d_name, "owner") == 0 &&
            process_lock_look(path, &holder))
            add_device(devices, entry->d_name);
    if (folder)
        closedir(folder);
}

/* mrc2 before mrc10. */
static int compare(const void *left, const void *right)
{
    size_t left_length = strlen(left);
    size_t right_length = strlen(right);

    if (left_length != right_length)
        return left_length < right_length ? -1 : 1;
    return strcmp(left, right);
}

enum cmd_status status_devices(const struct status_command *command,
    const struct status_options *options, struct status_devices *devices)
{
    devices->count = 0;
    add_described(devices);
    add_owned(devices);
    qsort(devices->names, devices->count, sizeof(devices->names[0]), compare);
    if (!options->device)
        return CMD_DONE;
    for (uint32_t i = 0; i < devices->count; i++)
        if (strcmp(devices->names[i], options->device) == 0) {
            memmove(devices->names[0], devices->names[i], STATUS_NAME_BYTES);
            devices->count = 1;
            return CMD_DONE;
        }
    return cmd_complain(CMD_FAILED, command->name,
        "there is no device %s; 'mrc dev show' lists them", options->device);
}

/* ---- questions ------------------------------------------------------------------------------- */

static enum cmd_status read_answer(
    const struct status_command *command, const char *device, const char *text, json_t **answer)
{
    json_error_t error;
    const char *refusal;

    *answer = json_loads(text, 0, &error);
    if (!*answer)
        return cmd_complain(
            CMD_FAILED, command->name, "%s: the answer is damaged: %s", device, error.text);
    refusal = json_string_value(json_object_get(*answer, "error"));
    if (!refusal)
        return CMD_DONE;
    cmd_complain(CMD_FAILED, command->name, "%s: %s", device, refusal);
    json_decref(*answer);
    *answer = NULL;
    return CMD_FAILED;
}

enum cmd_status status_ask(
    const struct status_command *command, const char *device, const char *request, json_t **answer)
{
    char path[PATH_BYTES];
    char *text = NULL;
    enum cmd_status status;
    int err = run_place(path, sizeof(path), device, "status");

    *answer = NULL;
    if (!err)
        err = control_ask(path, request, &text);
    if (err == -ENOENT || err == -ECONNREFUSED)
        return CMD_DONE;
    if (err)
        return cmd_complain(CMD_FAILED, command->name, "%s: %s", device, strerror(-err));
    status = read_answer(command, device, text, answer);
    free(text);
    return status;
}

enum cmd_status status_ask_owner(const struct status_command *command,
    const struct status_options *options, const char *device, const char *request, json_t **answer)
{
    enum cmd_status status = status_ask(command, device, request, answer);

    if (status == CMD_DONE && !*answer && options->device)
        return cmd_complain(CMD_FAILED, command->name, "%s: no process has it open", device);
    return status;
}

/* ---- printing -------------------------------------------------------------------------------- */

void status_print_json(json_t *json)
{
    json_dumpf(json, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(json);
}

/* One that was asked for by its number, and is nowhere. */
static enum cmd_status complain_missing(
    const struct status_command *command, const struct status_options *options)
{
    if (options->qpn)
        return cmd_complain(CMD_FAILED, command->name, "no device has a QP %u", options->qpn);
    return cmd_complain(CMD_FAILED, command->name, "no device has a port %u", options->port);
}

enum cmd_status status_finish(const struct status_command *command,
    const struct status_options *options, const struct status_devices *devices, json_t *all,
    enum cmd_status status)
{
    if (status == CMD_DONE && json_array_size(all) == 0 && (options->qpn || options->port)) {
        json_decref(all);
        return complain_missing(command, options);
    }
    if (options->as_json && status == CMD_DONE) {
        status_print_json(all);
        return status;
    }
    if (status == CMD_DONE && devices->count == 0)
        cmd_complain(CMD_DONE, command->name,
            "there are no devices; 'mrc fabric run' makes some, MRC_CONFIG or MRC_RUN_DIR may "
            "point elsewhere");
    else if (status == CMD_DONE && json_array_size(all) == 0)
        cmd_complain(CMD_DONE, command->name, "%s", command->nothing);
    json_decref(all);
    return status;
}

long long status_number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

const char *status_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "-";
}

const char *status_time(long long ns, char out[static 24])
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
