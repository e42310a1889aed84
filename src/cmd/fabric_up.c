/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric up: builds a namespace fabric and starts its switches. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/fabric.h"
#include "cmd/fabric_netns.h"
#include "cmd/options.h"
#include "files/files.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

static const char name[] = "fabric up";

struct options {
    struct netns netns;
    struct fabric_netns_switch process;
    bool netns_is_said;
    bool is_quiet;
};

/* ---- the command line ------------------------------------------------------------------------ */

static enum cmd_status take_name(void *options, char *text)
{
    ((struct options *)options)->netns.prefix = text;
    return fabric_check_name(name, text);
}

static enum cmd_status take_slower(void *to, char *text)
{
    struct options *options = to;
    uint64_t number = 0;
    enum cmd_status status =
        options_number(name, "--slower", text, (struct option_range){ 1, 1000000 }, &number);

    options->process.is_paced = true;
    options->netns.slower = (uint32_t)number;
    return status;
}

static enum cmd_status take_seed(void *options, char *text)
{
    uint64_t number;

    ((struct options *)options)->process.seed = text;
    return options_number(name, "--seed", text, (struct option_range){ 0, UINT32_MAX }, &number);
}

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_FLAG, 0, "netns", NULL, "of network namespaces (there is no other kind)", AT(netns_is_said) },
    { OPTION_CALL, 'n', "name", "NAME", "call the fabric so (default: fabric)", .read = take_name, .values = OPTION_VALUES_NONE },
    { OPTION_FLAG, 'k', "kernel", NULL, "the Linux kernel forwards, in place of 'mrc switch'", AT(netns.is_kernel) },
    { OPTION_FLAG, 0, "paced", NULL, "links have the rates and delays of the file", AT(process.is_paced) },
    { OPTION_CALL, 's', "slower", "N", "and are N times slower and longer", .read = take_slower, .values = OPTION_VALUES_NONE },
    { OPTION_CALL, 0, "seed", "N", "of losses, marks and trimming", .read = take_seed, .values = OPTION_VALUES_NONE },
    { OPTION_FLAG, 'q', "quiet", NULL, "say nothing", AT(is_quiet) },
};
/* clang-format on */

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc fabric up [OPTIONS] FABRIC.yaml\n"
             "\n"
             "Builds a fabric of network namespaces, one for each host and each switch, and "
             "starts the\n"
             "switches. NIC hN is for programs inside the namespace NAME-hN, as the device mrcN "
             "or, if\n"
             "another fabric has that, as 'mrc fabric list' shows. Needs root.",
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
    else if (options->netns.is_kernel && options->process.is_paced)
        *status = cmd_complain(CMD_MISUSED, name,
            "--kernel: the kernel's links have no rates; leave out --paced and --slower");
    options->process.file = arguments[optind];
    return *status == CMD_DONE;
}

/* ---- what is there already ------------------------------------------------------------------- */

enum found {
    FOUND_NOTHING, /* or the rest of something */
    FOUND_THIS,
    FOUND_ANOTHER,
};

static enum found look(const struct options *options, const char *folder)
{
    const struct netns *netns = &options->netns;
    struct netns_state state;

    if (netns_state_read(folder, &state) != 0)
        return FOUND_NOTHING;
    if (!state.is_kernel && !netns_state_is_running(&state))
        return FOUND_NOTHING;
    if (state.is_kernel != netns->is_kernel || state.digest != netns_state_digest(netns->fabric))
        return FOUND_ANOTHER;
    return netns_is_whole(netns) ? FOUND_THIS : FOUND_NOTHING;
}

/* ---- building -------------------------------------------------------------------------------- */

static enum cmd_status complain_about(int err)
{
    if (err == -ENOPKG)
        return cmd_complain(CMD_FAILED, name, "there is no 'ip' command; install iproute2");
    if (err == -EREMOTEIO)
        return cmd_complain(CMD_FAILED, name,
            "'ip' could not do this, as said above; does this kernel have namespaces, veth and, "
            "for --kernel, seg6local End with next-csid (Linux 6.1)?");
    return cmd_complain(CMD_FAILED, name, "%s", strerror(-err));
}

static enum cmd_status build(const struct options *options, const char *folder)
{
    const struct netns *netns = &options->netns;
    struct netns_state state = { .is_kernel = netns->is_kernel,
        .nic_count = netns->fabric->topology.nic_count,
        .switch_count = netns->fabric->topology.switch_count,
        .digest = netns_state_digest(netns->fabric) };
    enum cmd_status status = CMD_DONE;
    int err = netns_build(netns);

    if (!err && !netns->is_kernel)
        status = fabric_netns_start(netns, &options->process, folder, &state);
    if (!err && status == CMD_DONE)
        err = netns_state_write(folder, &state);
    if (!err && status == CMD_DONE)
        return CMD_DONE;
    netns_state_end_process(&state, FABRIC_NETNS_PATIENCE_MS);
    fabric_netns_clean(netns->root, netns->prefix);
    return err ? complain_about(err) : status;
}

static void say(const struct options *options, const char *what)
{
    const struct netns *netns = &options->netns;

    if (options->is_quiet)
        return;
    printf("fabric '%s' %s: hosts %s-h0 to %s-h%u, %u switches in %u planes, forwarding by %s\n",
        netns->prefix, what, netns->prefix, netns->prefix, netns->fabric->topology.nic_count - 1,
        netns->fabric->topology.switch_count, netns->fabric->topology.config.plane_count,
        netns->is_kernel ? "the kernel" : "mrc switch");
}

static enum cmd_status bring_up(const struct options *options)
{
    char folder[FABRIC_NETNS_PATH_BYTES];
    enum cmd_status status;
    int err;

    fabric_netns_folder(options->netns.root, options->netns.prefix, folder);
    switch (look(options, folder)) {
    case FOUND_ANOTHER:
        return cmd_complain(CMD_FAILED, name,
            "a fabric called '%s' is up and is not this one; 'mrc fabric down -n %s' first",
            options->netns.prefix, options->netns.prefix);
    case FOUND_THIS:
        err = options->netns.is_kernel ? netns_repair(&options->netns) : 0;
        if (err)
            return complain_about(err);
        say(options, "is up already");
        return CMD_DONE;
    default:
        break;
    }
    status = fabric_netns_clean(options->netns.root, options->netns.prefix);
    if (status != CMD_DONE)
        return status;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return cmd_complain(CMD_FAILED, name, "%s: %s", folder, strerror(errno));
    status = build(options, folder);
    if (status == CMD_DONE)
        say(options, "is up");
    return status;
}

static enum cmd_status fabric_up(int argument_count, char **arguments)
{
    char root[FABRIC_ROOT_BYTES];
    struct options options = { .netns = { .root = root, .prefix = "fabric", .slower = 1 } };
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
        return complain_about(err);
    status = fabric_load(name, options.process.file, &yaml, &fabric);
    if (status != CMD_DONE)
        return status;
    options.netns.fabric = &fabric;
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
