/* SPDX-License-Identifier: Apache-2.0 */
/* mrcd agent: runs the agent of a node. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/mrcd/mrcd.h"
#include "files/files.h"

static const struct option_row rows[] = {
    { OPTION_TEXT, 'c', "controller", "URL", "the controller: https://HOST:4781; required",
        OPTION_AT(struct mrcd_options, controller) },
    MRCD_STATE_ROW,
    MRCD_CONFIG_ROW,
};

static const struct option_table table = {
    .command = "agent",
    .intro = "usage: mrcd agent --controller URL [OPTIONS]\n"
             "\n"
             "Runs the agent of this node until it is interrupted. Its name is that in its\n"
             "certificate, which 'mrcd init --agent NAME' makes.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static enum cmd_status serve_node(const struct mrcd_options *options)
{
    char reason[CTL_REASON_BYTES] = "no memory";
    char host[MRCD_TEXT_BYTES] = "agent";
    struct ctl_daemon_options daemon = { .controller = options->controller,
        .agent_name = options->name ? options->name : host,
        .is_over = cmd_catch_interrupts(0) };
    struct ctl_folder folder;
    enum cmd_status status = mrcd_config_folder("agent", options, &folder);
    char *certificate;

    if (status != CMD_DONE)
        return status;
    certificate = ctl_folder_read(&folder, "agent.pem");
    if (!certificate)
        return cmd_complain(CMD_FAILED, "agent",
            "%s has no agent.pem; make it with 'mrcd init --agent NAME' on the controller",
            folder.path);
    free(certificate);
    gethostname(host, sizeof(host) - 1);
    if (ctl_daemon_serve_node(&folder, &daemon, reason) != 0)
        status = cmd_complain(CMD_FAILED, "agent", "%s", reason);
    return status;
}

static enum cmd_status run_agent(int argument_count, char **arguments)
{
    struct mrcd_options options = { 0 };
    struct yaml config;
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (arguments[optind])
        return cmd_complain(CMD_MISUSED, "agent", "unknown word '%s'", arguments[optind]);
    status = mrcd_config_read("agent", &options, &config);
    if (status == CMD_DONE &&
        (!options.controller || strncmp(options.controller, "https://", 8) != 0))
        status = cmd_complain(CMD_MISUSED, "agent", "--controller: write https://HOST:PORT");
    if (status == CMD_DONE)
        status = serve_node(&options);
    yaml_fini(&config);
    return status;
}

const struct cmd mrcd_agent_command = {
    .name = "agent",
    .summary = "run the agent of a node",
    .run = run_agent,
    .options = &table,
};
