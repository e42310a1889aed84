/* SPDX-License-Identifier: Apache-2.0 */
/* mrc restore: returns drained elements to service. */
#include <getopt.h>
#include <stdlib.h>

#include "cmd/controller.h"

static const struct option_row rows[] = {
    { OPTION_FLAG, 'a', "all", NULL, "everything that is drained",
        OPTION_AT(struct controller_options, all) },
    { OPTION_FLAG, 'n', "dry-run", NULL, "only print what would happen",
        OPTION_AT(struct controller_options, is_dry) },
    { OPTION_TEXT, 'r', "reason", "TEXT", "the reason, for the audit log",
        OPTION_AT(struct controller_options, reason), .values = OPTION_VALUES_NONE },
    CONTROLLER_STATE_ROW,
    CONTROLLER_JSON_ROW,
};

static const struct option_table table = {
    .command = "restore",
    .intro = "usage: mrc restore ELEMENT... [-n] [-r TEXT] [-j]\n"
             "       mrc restore --all\n"
             "\n"
             "Asks the controller (mrcd) to return drained elements to service.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static enum cmd_status restore_all(const struct controller_options *options)
{
    json_t *drained;
    enum cmd_status status = CMD_DONE;
    const json_t *row;
    size_t i;

    if (controller_ask("restore", options, "/v1/denylist", NULL, &drained) != 200)
        return CMD_FAILED;
    json_array_foreach(drained, i, row)
    {
        char *names[] = { (char *)(size_t)controller_text(row, "element"), NULL };

        if (status == CMD_DONE)
            status = controller_change("restore", options, names);
    }
    json_decref(drained);
    return status;
}

static enum cmd_status run_restore(int argument_count, char **arguments)
{
    struct controller_options options = { 0 };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (options.all && !arguments[optind])
        return restore_all(&options);
    if (options.all || !arguments[optind])
        return cmd_complain(
            CMD_MISUSED, "restore", "name elements, or --all; 'mrc drain' lists what is drained");
    return controller_change("restore", &options, arguments + optind);
}

const struct cmd restore_command = {
    .name = "restore",
    .summary = "return drained elements of a fabric to service",
    .run = run_restore,
    .options = &table,
};
