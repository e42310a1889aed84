/* SPDX-License-Identifier: Apache-2.0 */
/* mrcd init: makes the state folder, the token and the certificates. */
#include <getopt.h>
#include <stdio.h>

#include "cmd/mrcd/mrcd.h"

static const struct option_row rows[] = {
    { OPTION_LIST, '\0', "host", "NAME",
        "a name or address at which agents reach the controller;\n"
        "may be repeated",
        OPTION_AT(struct mrcd_options, hosts) },
    { OPTION_TEXT, '\0', "agent", "NAME", "make the certificates of an agent in DIR/agents/NAME",
        OPTION_AT(struct mrcd_options, agent) },
    MRCD_STATE_ROW,
};

static const struct option_table table = {
    .command = "init",
    .intro =
        "usage: mrcd init [--host NAME]... [--state DIR]\n"
        "       mrcd init --agent NAME [--state DIR]\n"
        "\n"
        "Makes the state folder of a controller, with its token and certificates; what exists\n"
        "already stays. With --agent, makes the certificates of one agent.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static enum cmd_status run_init(int argument_count, char **arguments)
{
    struct mrcd_options options = { 0 };
    char reason[CTL_REASON_BYTES];
    struct ctl_folder folder;
    enum cmd_status status;
    int err;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (arguments[optind])
        return cmd_complain(CMD_MISUSED, "init", "unknown word '%s'", arguments[optind]);
    if (options.hosts.count > CTL_HOSTS_MAX)
        return cmd_complain(CMD_MISUSED, "init", "--host: at most %d", CTL_HOSTS_MAX);
    if (!ctl_folder_name(&folder, options.state))
        return cmd_complain(CMD_MISUSED, "init", "--state: the name is too long");
    options.hosts.at[options.hosts.count] = NULL;
    err = options.agent ? ctl_setup_agent(&folder, options.agent, reason)
                        : ctl_setup_controller(&folder, options.hosts.at, reason);
    if (err)
        return cmd_complain(CMD_FAILED, "init", "%s", reason);
    if (options.agent)
        printf("%s/agents/%s: copy it to the node as the state folder of its agent\n", folder.path,
            options.agent);
    else
        printf("%s: token, authority and certificate of the controller\n", folder.path);
    return CMD_DONE;
}

const struct cmd mrcd_init_command = {
    .name = "init",
    .summary = "make the state folder, the token and certificates",
    .run = run_init,
    .options = &table,
};
