/* SPDX-License-Identifier: Apache-2.0 */
/* mrc conform switch: checks a switch between interfaces that are cabled to its ports. */
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "cmd/conform/conform_description.h"
#include "cmd/conform/conform_options.h"
#include "cmd/conform/conform_verbs.h"
#include "files/files.h"

static const char name[] = "conform switch";

struct options {
    struct conform_options common;
    struct option_list inputs;
    struct option_list outputs;
    struct option_list ports;
    struct option_list sets;
    const char *fabric;
    const char *switch_name;
};

/* ---- the command line ------------------------------------------------------------------------ */

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_LIST, 0, "in", "IF[,KEY=VALUE...]", "an interface cabled to a port of the switch, to send frames into it; may be\n"
        "repeated. Keys: usid, mac, rate, host, faces_host, port, in, out, device, plane", AT(inputs), .values = OPTION_VALUES_NONE },
    { OPTION_LIST, 0, "out", "IF[,KEY=VALUE...]", "an interface cabled to a port by which frames are to leave", AT(outputs),
        .values = OPTION_VALUES_NONE },
    { OPTION_LIST, 0, "port", "IF[,KEY=VALUE...]", "an interface for both", AT(ports), .values = OPTION_VALUES_NONE },
    { OPTION_TEXT, 0, "fabric", "FILE", "take uSIDs, queues and thresholds from the plan of this fabric", AT(fabric) },
    { OPTION_TEXT, 0, "switch", "NAME", "the switch in the plan: p0.t0.1", AT(switch_name), .values = OPTION_VALUES_NONE },
    { OPTION_LIST, 0, "set", "KEY=VALUE", "change a key of the description; may be repeated", AT(sets), .values = OPTION_VALUES_NONE },
    CONFORM_OPTION_ROWS(struct options, common),
};
/* clang-format on */

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc conform switch [OPTIONS] [SWITCH.yaml]\n"
             "\n"
             "Checks a switch: sends frames into its ports and judges what comes out. SWITCH.yaml "
             "describes\n"
             "the switch: its uSID, ports, queues and thresholds, and what it does not implement. "
             "Ports\n"
             "that are interfaces require root.",
    .closing = "Exit status: 0; 1 if a check failed or the switch disappeared; 2 for a wrong "
               "command line or\n"
               "description.\n"
               "\n"
               "  mrc conform switch --fabric fabric.yaml --switch p0.t0.0 --port eth1,port=d0 "
               "--port eth2,port=u0\n"
               "  mrc conform switch --set usid=0020 --in eth1 --out eth2,usid=0011 --without "
               "queue,source-check",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* ---- the description ------------------------------------------------------------------------- */

static bool apply_options(struct yaml *yaml, struct yaml_node *top, const struct options *options)
{
    if ((options->fabric &&
            !conform_description_set(yaml, top, "--fabric", "fabric", options->fabric)) ||
        (options->switch_name &&
            !conform_description_set(yaml, top, "--switch", "switch", options->switch_name)))
        return false;
    return conform_description_set_pairs(yaml, top, &options->sets) &&
           conform_description_add_ports(yaml, top, "--port", &options->ports, NULL) &&
           conform_description_add_ports(yaml, top, "--in", &options->inputs, "in") &&
           conform_description_add_ports(yaml, top, "--out", &options->outputs, "out");
}

/* What a description is read with and into. */
struct reading {
    const struct options *options;
    struct switch_device *device;
};

static bool read_device(void *context, struct yaml *yaml, struct yaml_node *top)
{
    const struct reading *reading = context;

    return apply_options(yaml, top, reading->options) &&
           switch_device_read(yaml, top, reading->device);
}

/* ---- running --------------------------------------------------------------------------------- */

static enum cmd_status complain_port(const struct switch_device *device, uint32_t port, int err)
{
    const char *interface = port < device->port_count ? device->ports[port].interface : "";

    if (err == -EPERM || err == -EACCES)
        return cmd_complain(CMD_FAILED, name, "%s: only root can open an interface", interface);
    if (err == -ENODEV)
        return cmd_complain(CMD_FAILED, name, "%s: there is no such interface", interface);
    return cmd_complain(CMD_FAILED, name, "%s: %s", interface, strerror(-err));
}

/* Virtual interfaces deliver frames on the processor of the sender. A sender that moves to another
 * processor can reorder its own frames. */
static void stay_on_processor(void)
{
    int processor = sched_getcpu();
    cpu_set_t set;

    if (processor < 0)
        return;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

static enum cmd_status run_checks(const struct options *options,
    const struct conform_choice *choice, const struct switch_device *device)
{
    struct switch_bench bench;
    enum cmd_status status;
    uint32_t port = 0;
    int err = switch_bench_open(&bench, device, &port);

    if (err)
        return complain_port(device, port, err);
    bench.is_interrupted = cmd_catch_interrupts(0);
    stay_on_processor();
    status = conform_options_run(&options->common, &switch_suite, choice,
        device->name[0] ? device->name : "the switch", &bench);
    switch_bench_close(&bench);
    return status;
}

static enum cmd_status run_switch(int argument_count, char **arguments)
{
    struct options options = { .fabric = NULL };
    struct conform_choice choice = { .absent = 0 };
    struct switch_device device = { .absent = 0 };
    struct reading reading = { &options, &device };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status) ||
        !conform_options_choose(&options.common, name, &switch_suite, &choice, &status))
        return status;
    if (argument_count > optind + 1)
        return cmd_complain(CMD_MISUSED, name, "name at most one SWITCH.yaml");
    device.absent = choice.absent;
    status = conform_description_load(
        name, optind < argument_count ? arguments[optind] : NULL, read_device, &reading);
    choice.absent = device.absent;
    return status == CMD_DONE ? run_checks(&options, &choice, &device) : status;
}

const struct cmd conform_switch_command = {
    .name = "switch",
    .summary = "check a switch between interfaces cabled to its ports",
    .run = run_switch,
    .options = &table,
};
