/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric stop: ends a fabric and waits until it is gone. */
#include <getopt.h>
#include <string.h>

#include "cmd/fabric/fabric.h"
#include "cmd/fabric_load.h"
#include "cmd/options.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

static const char name[] = "fabric stop";

struct options {
    const char *fabric;
};

static const struct option_row rows[] = {
    { OPTION_TEXT, 'n', "name", "NAME", "the fabric (default: fabric)",
        OPTION_AT(struct options, fabric), .values = OPTION_VALUES_FABRICS },
};

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc fabric stop [-n NAME]\n"
             "\n"
             "Ends a running fabric and returns when its process, devices and files are gone. Also "
             "removes\n"
             "the files of a fabric that was killed.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static enum cmd_status stop_fabric(const char *fabric)
{
    char root[RUN_PLACE_BYTES];
    char reason[REQUEST_REASON_BYTES];
    struct process_lock_holder holder;
    enum request_result result;
    int err = run_place_make(root, sizeof(root));

    if (err)
        return cmd_complain(CMD_FAILED, name, "%s: %s", root, strerror(-err));
    if (fabric_process_runs(root, fabric, &holder)) {
        result = fabric_process_end(root, fabric, &holder, reason);
        return result == REQUEST_ANSWERED ? CMD_DONE : fabric_complain(fabric, result, reason);
    }
    if (leftovers_remove(root, fabric))
        return cmd_complain(CMD_DONE, name, "'%s' had been killed; its files are removed", fabric);
    return fabric_complain_not_running(fabric);
}

static enum cmd_status fabric_stop(int argument_count, char **arguments)
{
    struct options options = { .fabric = "fabric" };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (optind != argument_count)
        return cmd_complain(CMD_MISUSED, name, "%s: not an option", arguments[optind]);
    if (fabric_load_check_name(name, "--name", options.fabric) != CMD_DONE)
        return CMD_MISUSED;
    return stop_fabric(options.fabric);
}

const struct cmd fabric_stop_command = {
    .name = "stop",
    .summary = "end a running fabric",
    .run = fabric_stop,
    .options = &table,
};
