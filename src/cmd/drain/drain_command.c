/* SPDX-License-Identifier: Apache-2.0 */
/* mrc drain: takes elements of a fabric out of service. */
#include <getopt.h>

#include "cmd/controller.h"

static const struct option_row rows[] = {
    { OPTION_FLAG, 'n', "dry-run", NULL, "only print what would happen",
        OPTION_AT(struct controller_options, is_dry) },
    { OPTION_TEXT, 'r', "reason", "TEXT", "the reason, for the audit log",
        OPTION_AT(struct controller_options, reason), .values = OPTION_VALUES_NONE },
    CONTROLLER_STATE_ROW,
    CONTROLLER_JSON_ROW,
};

static const struct option_table table = {
    .command = "drain",
    .intro =
        "usage: mrc drain [ELEMENT...] [-n] [-r TEXT] [-j]\n"
        "\n"
        "Asks the controller (mrcd) to take elements out of service: a switch (p1.t1.7), a link\n"
        "(p3.t0.17-t1.9, h12.p3), a plane (p3), a group or an EV (p1/u3). Without an element,\n"
        "lists what is drained.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static enum cmd_status run_drain(int argument_count, char **arguments)
{
    struct controller_options options = { 0 };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (!arguments[optind])
        return controller_list_drained("drain", &options);
    return controller_change("drain", &options, arguments + optind);
}

const struct cmd drain_command = {
    .name = "drain",
    .summary = "take switches, links or planes of a fabric out of service",
    .run = run_drain,
    .options = &table,
};
