/* SPDX-License-Identifier: Apache-2.0 */
/* mrc conform endpoint: checks an endpoint, as its peer. */
#include <getopt.h>
#include <stdio.h>

#include "cmd/conform/conform_description.h"
#include "cmd/conform/conform_options.h"
#include "cmd/conform/conform_verbs.h"
#include "files/files.h"

static const char name[] = "conform endpoint";

struct options {
    struct conform_options common;
    struct option_list ports;
    struct option_list sets;
    const char *driver;
};

/* ---- the command line ------------------------------------------------------------------------ */

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_LIST, 0, "port", "PORT[,KEY=VALUE...]", "a port to the device, one for each plane: an interface, raw:IF, xdp:IF,\n"
        "udp:LOCAL,REMOTE or shm:PATH. Keys: mac, path, device", AT(ports), .values = OPTION_VALUES_NONE },
    { OPTION_TEXT, 0, "driver", "COMMAND", "the program that drives the device", AT(driver), .values = OPTION_VALUES_NONE },
    { OPTION_LIST, 0, "set", "KEY=VALUE", "change a key of the description; may be repeated", AT(sets), .values = OPTION_VALUES_NONE },
    CONFORM_OPTION_ROWS(struct options, common),
};
/* clang-format on */

static const struct option_table table = {
    .command = name,
    .intro =
        "usage: mrc conform endpoint [OPTIONS] [ENDPOINT.yaml]\n"
        "\n"
        "Checks an endpoint (a NIC, or a program) over the wire: acts as its peer, sends right "
        "and wrong\n"
        "packets, loses some, and judges what the device sends and does. A driver makes QPs "
        "and posts\n"
        "work; mrc-conform-helper is one for devices with mrc.h. Without a driver, ENDPOINT.yaml "
        "describes\n"
        "a QP that is connected. Ports that are interfaces require root.",
    .closing = "Exit status: 0; 1 if a check failed or the device disappeared; 2 for a wrong "
               "command line or\n"
               "description.\n"
               "\n"
               "  mrc conform endpoint --port eth1 --port eth2 --driver mrc-conform-helper\n"
               "  mrc conform endpoint --port udp:127.0.0.1:5001,127.0.0.1:5002 --driver ./drive "
               "--only trim,sack",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* ---- the description ------------------------------------------------------------------------- */

/* A command may contain what YAML does not take as text. */
static bool set_driver(struct yaml *yaml, struct yaml_node *top, const char *command)
{
    struct yaml_node *value = yaml_parse(yaml, "--driver", "''", 2, false);

    if (!value)
        return false;
    value->text = command;
    return yaml_put(yaml, top, "driver", value);
}

/* What a description is read with and into. */
struct reading {
    const struct options *options;
    struct endpoint_device *device;
};

static bool read_device(void *context, struct yaml *yaml, struct yaml_node *top)
{
    const struct reading *reading = context;
    const struct options *options = reading->options;

    return conform_description_set_pairs(yaml, top, &options->sets) &&
           (!options->driver || set_driver(yaml, top, options->driver)) &&
           conform_description_add_ports(yaml, top, "--port", &options->ports, NULL) &&
           endpoint_device_read(yaml, top, reading->device);
}

/* ---- running --------------------------------------------------------------------------------- */

static enum cmd_status run_checks(const struct options *options,
    const struct conform_choice *choice, const struct endpoint_device *device)
{
    struct endpoint_bench bench;
    enum cmd_status status;
    char reason[256];

    if (!endpoint_bench_open(&bench, device, reason, sizeof(reason)))
        return cmd_complain(CMD_FAILED, name, "%s", reason);
    bench.is_interrupted = cmd_catch_interrupts(0);
    status = conform_options_run(&options->common, &endpoint_suite, choice,
        device->name[0] ? device->name : "the endpoint", &bench);
    endpoint_bench_close(&bench);
    return status;
}

static enum cmd_status run_endpoint(int argument_count, char **arguments)
{
    struct options options = { .driver = NULL };
    struct conform_choice choice = { .absent = 0 };
    struct endpoint_device device = { .absent = 0 };
    struct reading reading = { &options, &device };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status) ||
        !conform_options_choose(&options.common, name, &endpoint_suite, &choice, &status))
        return status;
    if (argument_count > optind + 1)
        return cmd_complain(CMD_MISUSED, name, "name at most one ENDPOINT.yaml");
    device.absent = choice.absent;
    status = conform_description_load(
        name, optind < argument_count ? arguments[optind] : NULL, read_device, &reading);
    choice.absent = device.absent;
    return status == CMD_DONE ? run_checks(&options, &choice, &device) : status;
}

const struct cmd conform_endpoint_command = {
    .name = "endpoint",
    .summary = "check an endpoint over the wire, as its peer",
    .run = run_endpoint,
    .options = &table,
};
