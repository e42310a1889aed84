/* SPDX-License-Identifier: Apache-2.0 */
/* mrc dev: shows devices and the processes that have them open. */
#include <stdio.h>

#include "cmd/nic_status.h"

static const struct option_row rows[] = {
    { OPTION_FLAG, 'd', "details", NULL, "also print the parameters in force",
        OPTION_AT(struct nic_options, details) },
    NIC_JSON_ROW,
};

static const struct option_table table = {
    .command = "dev",
    .intro = "usage: mrc dev show [DEVICE] [-d] [-j]\n"
             "\n"
             "Shows the devices of this user and the processes that have them open.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static const char *const verbs[] = { "show", NULL };
static const struct nic_command command = {
    .name = "dev",
    .options = &table,
    .verbs = verbs,
};

static void print_parameters(const json_t *parameters)
{
    const char *key;
    const json_t *value;

    json_object_foreach((json_t *)parameters, key, value)
    {
        if (json_is_string(value))
            printf("    %-24s %s\n", key, json_string_value(value));
        else
            printf("    %-24s %lld\n", key, json_integer_value(value));
    }
}

static void print_device(const char *name, const json_t *device, bool details)
{
    if (!device) {
        printf("%s: free\n", name);
        return;
    }
    printf("%s: %s pid %lld address %s ports %lld pmtu %lld qps %lld/%lld regions %lld\n", name,
        nic_status_text(device, "program"), nic_status_number(device, "pid"),
        nic_status_text(device, "address"), nic_status_number(device, "ports"),
        nic_status_number(device, "pmtu_max"), nic_status_number(device, "qps"),
        nic_status_number(device, "qps_max"), nic_status_number(device, "regions"));
    if (details)
        print_parameters(json_object_get(device, "parameters"));
}

static enum cmd_status run_dev(int argument_count, char **arguments)
{
    struct nic_options options;
    struct device_list devices;
    enum cmd_status status;
    json_t *all;

    if (!nic_status_begin(&command, argument_count, arguments, &options, &devices, &status))
        return status;
    all = json_array();
    for (uint32_t i = 0; i < devices.count; i++) {
        json_t *device;

        if (nic_status_ask(&command, devices.names[i], "dev", &device) != CMD_DONE)
            status = CMD_FAILED;
        if (!options.as_json)
            print_device(devices.names[i], device, options.details);
        json_array_append_new(
            all, device ? device : json_pack("{s:s}", "device", devices.names[i]));
    }
    return nic_status_finish(&command, &options, &devices, all, status);
}

const struct cmd dev_command = {
    .name = "dev",
    .summary = "show devices and the processes that have them open",
    .run = run_dev,
    .options = &table,
    .complete = nic_status_complete,
};
