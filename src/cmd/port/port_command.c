/* SPDX-License-Identifier: Apache-2.0 */
/* mrc port: shows the ports of a device, open or not, and sets them up or down. */
#include <stdio.h>
#include <string.h>

#include "cmd/nic_status.h"

static const struct option_row rows[] = {
    NIC_JSON_ROW,
};

static const struct option_table table = {
    .command = "port",
    .intro = "usage: mrc port show [dev DEVICE] [port PORT] [-j]\n"
             "       mrc port set dev DEVICE [port PORT] up|down\n"
             "\n"
             "Ports count from 1; port P is plane P - 1. A port that is set down stays down, also\n"
             "for processes that open the device later, until it is set up.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static const char *const verbs[] = { "show", "set", NULL };
static const struct nic_command command = {
    .name = "port",
    .options = &table,
    .verbs = verbs,
    .arguments = NIC_WITH_PORT,
};

/* ---- set ------------------------------------------------------------------------------------- */

static enum cmd_status set_ports(const struct nic_options *options)
{
    struct device_list devices;
    struct port_admin device;
    enum cmd_status status;
    uint32_t first = options->port ? options->port : 1;
    uint32_t last;

    if (!options->device || !options->to)
        return cmd_complain(
            CMD_MISUSED, "port", "usage: mrc port set dev DEVICE [port PORT] up|down");
    status = nic_status_devices(&command, options, &devices);
    if (status != CMD_DONE)
        return status;
    if (!port_admin_open(&device, options->device)) {
        port_admin_close(&device);
        return cmd_complain(CMD_FAILED, "port", "cannot open %s", options->device);
    }
    last = options->port ? options->port : device.port_count;
    if (last > device.port_count)
        status = cmd_complain(CMD_FAILED, "port", "%s has ports 1 to %u, not %u", options->device,
            device.port_count, last);
    for (uint32_t port = first; port <= last && status == CMD_DONE; port++) {
        int err;

        err = port_admin_set(&device, port, strcmp(options->to, "up") == 0);
        if (err)
            status = cmd_complain(
                CMD_FAILED, "port", "%s port %u: %s", options->device, port, strerror(-err));
    }
    port_admin_close(&device);
    return status;
}

/* ---- show ------------------------------------------------------------------------------------ */

static void print_port(const char *device, const json_t *port)
{
    printf("%s port %lld plane %lld admin %s", device, nic_status_number(port, "port"),
        nic_status_number(port, "plane"), nic_status_text(port, "admin"));
    if (!json_object_get(port, "link")) {
        puts(" free");
        return;
    }
    printf(" link %s %s %s mtu %lld rate %.3gGb/s\n", nic_status_text(port, "link"),
        json_is_true(json_object_get(port, "usable")) ? "usable" : "unusable",
        nic_status_text(port, "kind"), nic_status_number(port, "mtu"),
        (double)nic_status_number(port, "rate_bps") / 1e9);
    printf("    rx frames %lld bytes %lld drops %lld  tx frames %lld bytes %lld drops %lld\n",
        nic_status_number(port, "frames_received"), nic_status_number(port, "bytes_received"),
        nic_status_number(port, "receive_drops"), nic_status_number(port, "frames_sent"),
        nic_status_number(port, "bytes_sent"), nic_status_number(port, "send_drops"));
}

static void select_port(json_t *device, uint32_t port)
{
    json_t *ports = json_object_get(device, "ports");

    for (size_t i = json_array_size(ports); port && i-- > 0;)
        if (nic_status_number(json_array_get(ports, i), "port") != port)
            json_array_remove(ports, i);
}

static enum cmd_status show_ports(const struct nic_options *options)
{
    struct device_list devices;
    enum cmd_status status = nic_status_devices(&command, options, &devices);
    json_t *all = json_array();

    for (uint32_t i = 0; status == CMD_DONE && i < devices.count; i++) {
        json_t *device;
        json_t *port;
        size_t at;

        status = nic_status_ask(&command, devices.names[i], "port", &device);
        if (status == CMD_DONE && !device)
            device = port_admin_describe(devices.names[i]);
        if (!device)
            break;
        select_port(device, options->port);
        if (json_array_size(json_object_get(device, "ports")) == 0) {
            json_decref(device);
            continue;
        }
        if (!options->as_json)
            json_array_foreach(json_object_get(device, "ports"), at, port)
                print_port(devices.names[i], port);
        json_array_append_new(all, device);
    }
    return nic_status_finish(&command, options, &devices, all, status);
}

static enum cmd_status run_port(int argument_count, char **arguments)
{
    struct nic_options options;
    enum cmd_status status;

    if (!nic_status_parse(&command, argument_count, arguments, &options, &status))
        return status;
    if (strcmp(options.verb, "set") == 0)
        return set_ports(&options);
    if (options.to)
        return cmd_complain(
            CMD_MISUSED, "port", "to change a port, use 'mrc port set ... %s'", options.to);
    return show_ports(&options);
}

const struct cmd port_command = {
    .name = "port",
    .summary = "show ports, set them up or down",
    .run = run_port,
    .options = &table,
    .complete = nic_status_complete,
};
