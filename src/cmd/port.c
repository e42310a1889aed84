/* SPDX-License-Identifier: Apache-2.0 */
/* mrc port: the ports of a device, running or not; and taking them out of service. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <mrc.h>
#include <mrc_ctl.h>

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

/* ---- the device's own files, whoever has it -------------------------------------------------- */

struct opened {
    struct ibv_context *verbs;
    struct mrc_context *mrc;
    uint32_t port_count;
};

static bool open_device(const char *name, struct opened *out)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct mrc_ctl_port_attr attributes;

    *out = (struct opened){ 0 };
    for (uint32_t i = 0; list && list[i] && !out->verbs; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            out->verbs = ibv_open_device(list[i]);
    if (list)
        ibv_free_device_list(list);
    out->mrc = out->verbs ? mrc_create_context(out->verbs, NULL) : NULL;
    while (out->mrc && mrc_ctl_query_port(out->mrc, (uint8_t)(out->port_count + 1), &attributes,
                           MRC_CTL_PORT_ADMIN_STATE) == 0)
        out->port_count++;
    return out->mrc;
}

static void close_device(struct opened *device)
{
    if (device->mrc)
        mrc_destroy_context(device->mrc);
    if (device->verbs)
        ibv_close_device(device->verbs);
}

/* ---- set ------------------------------------------------------------------------------------- */

static int set_port(const struct opened *device, uint32_t port, const char *to)
{
    struct mrc_ctl_port_attr attributes = { .port_admin_state = strcmp(to, "up") == 0
                                                                    ? MRC_CTL_PORT_ADMIN_ENABLED
                                                                    : MRC_CTL_PORT_ADMIN_DISABLED };

    return mrc_ctl_modify_port(device->mrc, (uint8_t)port, &attributes, MRC_CTL_PORT_ADMIN_STATE);
}

static enum cmd_status set(const struct nic_options *options)
{
    struct device_list devices;
    struct opened device;
    enum cmd_status status;
    uint32_t first = options->port ? options->port : 1;
    uint32_t last;

    if (!options->device || !options->to)
        return cmd_complain(
            CMD_MISUSED, "port", "set what? mrc port set dev DEVICE port P up|down");
    status = nic_status_devices(&command, options, &devices);
    if (status != CMD_DONE)
        return status;
    if (!open_device(options->device, &device)) {
        close_device(&device);
        return cmd_complain(CMD_FAILED, "port", "%s: cannot be opened", options->device);
    }
    last = options->port ? options->port : device.port_count;
    if (last > device.port_count)
        status = cmd_complain(CMD_FAILED, "port", "%s has ports 1 to %u, not %u", options->device,
            device.port_count, last);
    for (uint32_t port = first; port <= last && status == CMD_DONE; port++)
        if (set_port(&device, port, options->to) != 0)
            status = cmd_complain(
                CMD_FAILED, "port", "%s port %u: %s", options->device, port, strerror(errno));
    close_device(&device);
    return status;
}

/* ---- show ------------------------------------------------------------------------------------ */

/* What is known of the ports of a device that nobody has open. */
static json_t *describe(const char *name)
{
    struct opened device;
    json_t *ports = json_array();

    if (open_device(name, &device))
        for (uint32_t port = 1; port <= device.port_count; port++) {
            struct mrc_ctl_port_attr attributes;
            bool is_known = mrc_ctl_query_port(device.mrc, (uint8_t)port, &attributes,
                                MRC_CTL_PORT_ADMIN_STATE) == 0;

            json_array_append_new(
                ports, json_pack("{s:i,s:i,s:s}", "port", port, "plane", port - 1, "admin",
                           !is_known                                                   ? "unknown"
                           : attributes.port_admin_state == MRC_CTL_PORT_ADMIN_ENABLED ? "up"
                                                                                       : "down"));
        }
    close_device(&device);
    return json_pack("{s:s,s:o}", "device", name, "ports", ports);
}

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

static enum cmd_status show(const struct nic_options *options)
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
            device = describe(devices.names[i]);
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
        return set(&options);
    if (options.to)
        return cmd_complain(
            CMD_MISUSED, "port", "to change a port: mrc port set ... %s", options.to);
    return show(&options);
}

const struct cmd port_command = {
    .name = "port",
    .summary = "show ports, take them out of service and back",
    .run = run_port,
    .options = &table,
    .complete = nic_status_complete,
};
