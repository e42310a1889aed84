/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric down: removes a namespace fabric. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/fabric/fabric.h"
#include "cmd/fabric_load.h"
#include "cmd/options.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

static const char name[] = "fabric down";

struct options {
    const char *prefix;
    bool netns_is_said;
};

static const struct option_row rows[] = {
    { OPTION_FLAG, 0, "netns", NULL, "use network namespaces (the default and the only kind)",
        OPTION_AT(struct options, netns_is_said) },
    { OPTION_TEXT, 'n', "name", "NAME", "the fabric (default: fabric)",
        OPTION_AT(struct options, prefix), .values = OPTION_VALUES_FABRICS },
};

static const struct option_table table = {
    .command = name,
    .intro =
        "usage: mrc fabric down [-n NAME]\n"
        "\n"
        "Ends the switches of a namespace fabric and removes its namespaces, with everything in "
        "them,\n"
        "and its devices. Does nothing if there is no such fabric.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* Only its own process may remove the folder of a soft fabric that runs. */
static bool is_soft_and_running(const char *root, const char *fabric)
{
    char folder[NETNS_FABRIC_PATH_BYTES];
    struct process_lock_holder holder;
    struct netns_state state;

    netns_fabric_folder(root, fabric, folder);
    return netns_state_read(folder, &state) != 0 && fabric_process_runs(root, fabric, &holder);
}

static enum cmd_status take_down(const char *prefix)
{
    char root[RUN_PLACE_BYTES];
    int err = run_place_make(root, sizeof(root));

    if (err)
        return cmd_complain(CMD_FAILED, name, "%s", strerror(-err));
    if (is_soft_and_running(root, prefix))
        return cmd_complain(CMD_FAILED, name,
            "'%s' is a soft fabric; end it with 'mrc fabric stop -n %s'", prefix, prefix);
    err = netns_fabric_down(root, prefix);
    if (err)
        return cmd_complain(CMD_FAILED, name, "%s-*: the namespaces could not be removed: %s",
            prefix, strerror(-err));
    return CMD_DONE;
}

static enum cmd_status fabric_down(int argument_count, char **arguments)
{
    struct options options = { .prefix = "fabric" };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (argument_count - optind > 1) /* the fabric file may be named, as for `up` */
        return cmd_complain(CMD_MISUSED, name, "%s: not an option", arguments[optind + 1]);
    if (fabric_load_check_name(name, "--name", options.prefix) != CMD_DONE)
        return CMD_MISUSED;
    if (geteuid() != 0)
        return cmd_complain(CMD_FAILED, name, "only root can remove network namespaces");
    return take_down(options.prefix);
}

const struct cmd fabric_down_command = {
    .name = "down",
    .summary = "remove a fabric of network namespaces",
    .run = fabric_down,
    .options = &table,
};
