/* SPDX-License-Identifier: Apache-2.0 */
/* mrcd revoke: excludes an agent. */
#include <getopt.h>
#include <stdio.h>

#include "cmd/mrcd/mrcd.h"

static const struct option_row rows[] = {
    MRCD_STATE_ROW,
};

static const struct option_table table = {
    .command = "revoke",
    .intro = "usage: mrcd revoke NAME [--state DIR]\n"
             "\n"
             "Revokes the certificate of an agent: a controller that runs ends its connections\n"
             "within a second. 'mrcd init --agent NAME' makes another certificate.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static enum cmd_status run_revoke(int argument_count, char **arguments)
{
    struct mrcd_options options = { 0 };
    char reason[CTL_REASON_BYTES];
    struct ctl_folder folder;
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (!arguments[optind])
        return cmd_complain(CMD_MISUSED, "revoke", "name the agent: mrcd revoke NAME");
    if (arguments[optind + 1])
        return cmd_complain(CMD_MISUSED, "revoke", "unknown word '%s'", arguments[optind + 1]);
    if (!ctl_folder_name(&folder, options.state))
        return cmd_complain(CMD_MISUSED, "revoke", "--state: the name is too long");
    if (ctl_setup_revoke(&folder, arguments[optind], reason) != 0)
        return cmd_complain(CMD_FAILED, "revoke", "%s", reason);
    printf("%s: its certificate is revoked\n", arguments[optind]);
    return CMD_DONE;
}

const struct cmd mrcd_revoke_command = {
    .name = "revoke",
    .summary = "revoke the certificate of an agent",
    .run = run_revoke,
    .options = &table,
};
