/* SPDX-License-Identifier: Apache-2.0 */
/* mrcd controller: runs the controller of a fabric. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/fabric_load.h"
#include "cmd/mrcd/mrcd.h"
#include "files/files.h"

#define CAPACITY_PPM 750000

static const struct option_row rows[] = {
    { OPTION_TEXT, 'f', "fabric", "FILE", "the fabric (mrc-fabric(5)); required",
        OPTION_AT(struct mrcd_options, fabric) },
    { OPTION_TEXT, '\0', "listen", "ADDRESS:PORT",
        "serve operators there, on loopback; default 127.0.0.1:4780",
        OPTION_AT(struct mrcd_options, listen) },
    { OPTION_TEXT, '\0', "agents", "ADDRESS:PORT",
        "serve agents of other machines there, over TLS; default: none",
        OPTION_AT(struct mrcd_options, agents) },
    { OPTION_FLAG, '\0', "local", NULL, "be the agent of this machine, too",
        OPTION_AT(struct mrcd_options, is_local) },
    { OPTION_TEXT, '\0', "min-capacity", "PERCENT",
        "refuse drains that leave a NIC fewer of its paths; default 75%",
        OPTION_AT(struct mrcd_options, min_capacity) },
    { OPTION_TEXT, '\0', "soft", "NAME",
        "the soft fabric of this machine whose links the page shows; default fabric",
        OPTION_AT(struct mrcd_options, soft) },
    { OPTION_NUMBER, '\0', "ev-profile", "ID",
        "make an EV profile with the EVs of the fabric on all devices",
        OPTION_AT(struct mrcd_options, ev_profile), .values = OPTION_VALUES_NONE },
    { OPTION_NUMBER, '\0', "cc-profile", "ID",
        "make a congestion control profile (NSCC) on all devices",
        OPTION_AT(struct mrcd_options, cc_profile), .values = OPTION_VALUES_NONE },
    { OPTION_TEXT, '\0', "map-period", "MS", "milliseconds between probes of links, or off [100]",
        OPTION_AT(struct mrcd_options, map_period) },
    { OPTION_TEXT, '\0', "map-round", "N", "periods after which links are judged [30]",
        OPTION_AT(struct mrcd_options, map_round) },
    { OPTION_TEXT, '\0', "policy", "MODE",
        "drain what verdicts name: off, on, or only log it [dry-run]",
        OPTION_AT(struct mrcd_options, policy) },
    { OPTION_TEXT, '\0', "policy-actions", "N", "actions of the policy in an hour, at most [6]",
        OPTION_AT(struct mrcd_options, policy_actions) },
    { OPTION_TEXT, '\0', "policy-hold", "S",
        "seconds that the policy drains an element at least, doubled each time [300]",
        OPTION_AT(struct mrcd_options, policy_hold) },
    { OPTION_TEXT, '\0', "policy-clean", "N",
        "rounds without a verdict before the policy restores [20]",
        OPTION_AT(struct mrcd_options, policy_clean) },
    MRCD_STATE_ROW,
    MRCD_CONFIG_ROW,
};

static const struct option_table table = {
    .command = "controller",
    .intro = "usage: mrcd controller --fabric FILE [--local] [--agents ADDRESS:PORT] [OPTIONS]\n"
             "\n"
             "Runs the controller of a fabric until it is interrupted.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* `fabric_text`: what agents of other machines get to know of the fabric. */
static enum cmd_status run_daemon(
    const struct mrcd_options *options, const struct plan *plan, const char *fabric_text)
{
    char address[MRCD_TEXT_BYTES] = "127.0.0.1", agents[MRCD_TEXT_BYTES];
    char reason[CTL_REASON_BYTES] = "no memory";
    struct ctl_daemon_options daemon = { .address = address,
        .port = MRCD_PORT,
        .is_local = options->is_local,
        .capacity_ppm = CAPACITY_PPM,
        .profiles = { .ev_id = options->ev_profile, .cc_id = options->cc_profile },
        .agent_name = "local",
        .shown_fabric = options->soft ? options->soft : "fabric",
        .is_over = cmd_catch_interrupts(0) };
    struct ctl_folder folder;
    enum cmd_status status = CMD_DONE;

    if (options->listen)
        status =
            mrcd_config_address("controller", "--listen", options->listen, address, &daemon.port);
    if (status == CMD_DONE && options->agents) {
        daemon.agents_address = agents;
        status = mrcd_config_address(
            "controller", "--agents", options->agents, agents, &daemon.agents_port);
    }
    if (status == CMD_DONE && options->min_capacity)
        status = mrcd_config_percent(
            "controller", "--min-capacity", options->min_capacity, &daemon.capacity_ppm);
    if (status == CMD_DONE)
        status = mrcd_config_loop("controller", options, &daemon.map, &daemon.policy);
    daemon.map.fabric_text = fabric_text;
    if (status == CMD_DONE)
        status = mrcd_config_folder("controller", options, &folder);
    if (status == CMD_DONE && ctl_daemon_control(&folder, plan, &daemon, reason) != 0)
        status = cmd_complain(CMD_FAILED, "controller", "%s", reason);
    return status;
}

static enum cmd_status run_controller(int argument_count, char **arguments)
{
    struct mrcd_options options = { 0 };
    struct yaml config, fabric;
    enum cmd_status status;
    struct plan plan;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (arguments[optind])
        return cmd_complain(CMD_MISUSED, "controller", "unknown word '%s'", arguments[optind]);
    status = mrcd_config_read("controller", &options, &config);
    if (status == CMD_DONE && !options.fabric)
        status = cmd_complain(CMD_MISUSED, "controller", "--fabric: name the file of the fabric");
    if (status == CMD_DONE)
        status = fabric_load("controller", options.fabric, &fabric, &plan);
    if (status == CMD_DONE) {
        char *text = whole_file_text(options.fabric);

        status = run_daemon(&options, &plan, text);
        free(text);
        yaml_fini(&fabric);
    }
    yaml_fini(&config);
    return status;
}

const struct cmd mrcd_controller_command = {
    .name = "controller",
    .summary = "run the controller of a fabric",
    .run = run_controller,
    .options = &table,
};
