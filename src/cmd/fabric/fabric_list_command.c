/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric list: the fabrics of this machine. */
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/fabric/fabric.h"
#include "cmd/options.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

static const char name[] = "fabric list";

struct options {
    bool as_json;
};

static const struct option_row rows[] = {
    { OPTION_FLAG, 'j', "json", NULL, "print JSON", OPTION_AT(struct options, as_json) },
};

static const struct option_table table = {
    .command = name,
    .intro =
        "usage: mrc fabric list [-j]\n"
        "\n"
        "Kinds: soft (mrc fabric run), switch and kernel (mrc fabric up). A DEAD fabric has lost\n"
        "its switches; 'mrc fabric down' removes it.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static void add_fabric(void *context, const struct fabric_list_entry *entry)
{
    static const char *const kinds[] = { "soft", "switch", "kernel" };
    json_t *all = context;
    json_t *devices = json_array();

    for (uint32_t i = 0; i < entry->device_count; i++)
        json_array_append_new(devices, json_sprintf("mrc%u", entry->first_device + i));
    json_array_append_new(
        all, json_pack("{s:s, s:s, s:b, s:I, s:o}", "name", entry->name, "kind", kinds[entry->kind],
                 "running", entry->is_running, "pid", (json_int_t)entry->pid, "devices", devices));
}

/* "mrc0 to mrc3" */
static void print_devices(const json_t *devices)
{
    size_t count = json_array_size(devices);

    if (count > 0)
        fputs(json_string_value(json_array_get(devices, 0)), stdout);
    if (count > 1)
        printf(" to %s", json_string_value(json_array_get(devices, count - 1)));
    putchar('\n');
}

static void print_list(const json_t *all)
{
    const json_t *one;
    size_t i;

    printf("%-20s %-8s %-6s %8s  %s\n", "NAME", "KIND", "STATE", "PID", "DEVICES");
    json_array_foreach(all, i, one)
    {
        printf("%-20s %-8s %-6s %8lld  ", json_string_value(json_object_get(one, "name")),
            json_string_value(json_object_get(one, "kind")),
            json_is_true(json_object_get(one, "running")) ? "up" : "DEAD",
            (long long)json_integer_value(json_object_get(one, "pid")));
        print_devices(json_object_get(one, "devices"));
    }
}

static enum cmd_status fabric_list(int argument_count, char **arguments)
{
    struct options options = { 0 };
    char root[RUN_PLACE_BYTES];
    enum cmd_status status;
    json_t *all;
    int err;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (optind != argument_count)
        return cmd_complain(CMD_MISUSED, name, "usage: mrc fabric list [-j]");
    err = run_place_make(root, sizeof(root));
    if (err)
        return cmd_complain(CMD_FAILED, name, "%s", strerror(-err));
    all = json_array();
    fabric_list_visit(root, add_fabric, all);
    if (options.as_json) {
        json_dumpf(all, stdout, JSON_INDENT(2));
        putchar('\n');
    } else {
        print_list(all);
    }
    json_decref(all);
    return CMD_DONE;
}

const struct cmd fabric_list_command = {
    .name = "list",
    .summary = "list the fabrics of this machine",
    .run = fabric_list,
    .options = &table,
};
