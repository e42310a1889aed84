/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric up: builds a namespace fabric and starts its switches. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/fabric/fabric.h"
#include "cmd/fabric_load.h"
#include "cmd/options.h"
#include "files/files.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

static const char name[] = "fabric up";

struct options {
    struct netns_fabric fabric;
    bool netns_is_said;
    bool is_quiet;
};

/* ---- the command line ------------------------------------------------------------------------ */

static enum cmd_status take_name(void *options, char *text)
{
    ((struct options *)options)->fabric.netns.prefix = text;
    return fabric_load_check_name(name, "--name", text);
}

static enum cmd_status take_slower(void *to, char *text)
{
    struct options *options = to;
    uint64_t number = 0;
    enum cmd_status status =
        options_number(name, "--slower", text, (struct option_range){ 1, 1000000 }, &number);

    options->fabric.is_paced = true;
    options->fabric.netns.slower = (uint32_t)number;
    return status;
}

static enum cmd_status take_seed(void *options, char *text)
{
    uint64_t number;

    ((struct options *)options)->fabric.seed = text;
    return options_number(name, "--seed", text, (struct option_range){ 0, UINT32_MAX }, &number);
}

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_FLAG, 0, "netns", NULL, "use network namespaces (the default and the only kind)", AT(netns_is_said) },
    { OPTION_CALL, 'n', "name", "NAME", "the name of the fabric (default: fabric)", .read = take_name, .values = OPTION_VALUES_NONE },
    { OPTION_FLAG, 'k', "kernel", NULL, "the Linux kernel forwards instead of 'mrc switch'", AT(fabric.netns.is_kernel) },
    { OPTION_FLAG, 0, "paced", NULL, "links have the rates and delays of the file", AT(fabric.is_paced) },
    { OPTION_CALL, 's', "slower", "N", "as --paced, with rates divided and delays multiplied by N", .read = take_slower, .values = OPTION_VALUES_NONE },
    { OPTION_CALL, 0, "seed", "N", "the seed for losses, marks and trimming", .read = take_seed, .values = OPTION_VALUES_NONE },
    { OPTION_FLAG, 'q', "quiet", NULL, "print nothing", AT(is_quiet) },
};
/* clang-format on */

static const struct option_table table = {
    .command = name,
    .intro =
        "usage: mrc fabric up [OPTIONS] FABRIC.yaml\n"
        "\n"
        "Builds a fabric of network namespaces, one for each host and each switch, and "
        "starts the\n"
        "switches. Programs inside the namespace NAME-hN use NIC hN as the device mrcN "
        "or,\n"
        "if another fabric has that name, the one that 'mrc fabric list' shows. Requires root.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static bool read_options(
    int argument_count, char **arguments, struct options *options, enum cmd_status *status)
{
    if (!options_read(&table, options, argument_count, arguments, status))
        return false;
    if (optind != argument_count - 1)
        *status = cmd_complain(CMD_MISUSED, name, "name one FABRIC.yaml");
    else if (options->fabric.netns.is_kernel && options->fabric.is_paced)
        *status = cmd_complain(
            CMD_MISUSED, name, "--kernel cannot pace links; leave out --paced and --slower");
    options->fabric.file = arguments[optind];
    return *status == CMD_DONE;
}

/* ---- work -------------------------------------------------------------------------------------
 */

static void say_fabric(const struct options *options, const char *what)
{
    const struct netns *netns = &options->fabric.netns;

    if (options->is_quiet)
        return;
    printf("fabric '%s' %s: hosts %s-h0 to %s-h%u, %u switches in %u planes, forwarding by %s\n",
        netns->prefix, what, netns->prefix, netns->prefix, netns->fabric->topology.nic_count - 1,
        netns->fabric->topology.switch_count, netns->fabric->topology.config.plane_count,
        netns->is_kernel ? "the kernel" : "mrc switch");
}

static enum cmd_status bring_up(const struct options *options)
{
    char reason[NETNS_FABRIC_REASON_BYTES];

    switch (netns_fabric_up(&options->fabric, reason)) {
    case NETNS_FABRIC_UP:
        say_fabric(options, "is up");
        return CMD_DONE;
    case NETNS_FABRIC_WAS_UP:
        say_fabric(options, "is up already");
        return CMD_DONE;
    case NETNS_FABRIC_OTHER:
        return cmd_complain(CMD_FAILED, name,
            "another fabric called '%s' is up; run 'mrc fabric down -n %s' first",
            options->fabric.netns.prefix, options->fabric.netns.prefix);
    default:
        return cmd_complain(CMD_FAILED, name, "%s", reason);
    }
}

static enum cmd_status fabric_up(int argument_count, char **arguments)
{
    char root[RUN_PLACE_BYTES];
    struct options options = { .fabric.netns = { .root = root, .prefix = "fabric", .slower = 1 } };
    struct plan fabric;
    struct yaml yaml;
    enum cmd_status status;
    int err;

    if (!read_options(argument_count, arguments, &options, &status))
        return status;
    if (geteuid() != 0)
        return cmd_complain(CMD_FAILED, name,
            "only root can make network namespaces; 'mrc fabric run' needs no privileges");
    err = run_place_make(root, sizeof(root));
    if (err)
        return cmd_complain(CMD_FAILED, name, "%s", strerror(-err));
    status = fabric_load(name, options.fabric.file, &yaml, &fabric);
    if (status != CMD_DONE)
        return status;
    options.fabric.netns.fabric = &fabric;
    status = bring_up(&options);
    yaml_fini(&yaml);
    return status;
}

const struct cmd fabric_up_command = {
    .name = "up",
    .summary = "build a fabric of network namespaces (root)",
    .run = fabric_up,
    .options = &table,
};
