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
#include "files/files.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

static const char name[] = "fabric up";

static void print_usage(FILE *to)
{
    fputs(
        "usage: mrc fabric up [OPTIONS] FABRIC.yaml\n"
        "\n"
        "Builds a fabric of network namespaces, one for each host and each switch, and starts the\n"
        "switches. NIC hN is for programs inside the namespace NAME-hN, as the device mrcN or, if\n"
        "another fabric has that, as 'mrc fabric list' shows. Needs root.\n"
        "\n"
        "      --netns         of network namespaces (there is no other kind)\n"
        "  -n, --name NAME     call the fabric so (default: fabric)\n"
        "  -k, --kernel        the Linux kernel forwards, in place of 'mrc switch'\n"
        "      --paced         links have the rates and delays of the file\n"
        "  -s, --slower N      and are N times slower and longer\n"
        "      --seed N        of losses, marks and trimming\n"
        "  -q, --quiet         say nothing\n"
        "  -h, --help\n",
        to);
}

enum option_code {
    OPTION_NETNS = 256,
    OPTION_PACED,
    OPTION_SEED,
};

struct options {
    struct netns netns;
    struct fabric_netns_switch process;
    bool is_quiet;
    bool wants_help;
};

/* ---- the command line ------------------------------------------------------------------------ */

static enum cmd_status read_option(struct options *options, int option)
{
    unsigned long number;

    switch (option) {
    case OPTION_NETNS:
        return CMD_DONE;
    case 'n':
        options->netns.prefix = optarg;
        return fabric_check_name(name, optarg);
    case 'k':
        options->netns.is_kernel = true;
        return CMD_DONE;
    case OPTION_PACED:
        options->process.is_paced = true;
        return CMD_DONE;
    case 's':
        if (!fabric_number(optarg, 1, 1000000, &number))
            return cmd_complain(CMD_MISUSED, name, "--slower %s: not 1 to 1000000", optarg);
        options->process.is_paced = true;
        options->netns.slower = (uint32_t)number;
        return CMD_DONE;
    case OPTION_SEED:
        if (!fabric_number(optarg, 0, UINT32_MAX, &number))
            return cmd_complain(CMD_MISUSED, name, "--seed %s: not a number", optarg);
        options->process.seed = optarg;
        return CMD_DONE;
    case 'q':
        options->is_quiet = true;
        return CMD_DONE;
    default:
        options->wants_help = true;
        return CMD_DONE;
    }
}

static enum cmd_status read_options(int argument_count, char **arguments, struct options *options)
{
    static const struct option known[] = {
        { "netns", no_argument, NULL, OPTION_NETNS },
        { "name", required_argument, NULL, 'n' },
        { "kernel", no_argument, NULL, 'k' },
        { "paced", no_argument, NULL, OPTION_PACED },
        { "slower", required_argument, NULL, 's' },
        { "seed", required_argument, NULL, OPTION_SEED },
        { "quiet", no_argument, NULL, 'q' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    enum cmd_status status = CMD_DONE;
    int option;

    optind = 0;
    opterr = 0;
    while (status == CMD_DONE && !options->wants_help &&
           (option = getopt_long(argument_count, arguments, ":n:ks:qh", known, NULL)) != -1)
        status = option == '?' || option == ':'
                     ? cmd_complain_option(name, option, arguments, known)
                     : read_option(options, option);
    if (status != CMD_DONE || options->wants_help)
        return status;
    if (optind != argument_count - 1)
        return cmd_complain(CMD_MISUSED, name, "name one FABRIC.yaml");
    if (options->netns.is_kernel && options->process.is_paced)
        return cmd_complain(CMD_MISUSED, name,
            "--kernel: the kernel's links have no rates; leave out --paced and --slower");
    options->process.file = arguments[optind];
    return CMD_DONE;
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

enum cmd_status fabric_up(int argument_count, char **arguments)
{
    char root[FABRIC_ROOT_BYTES];
    struct options options = { .netns = { .root = root, .prefix = "fabric", .slower = 1 } };
    struct plan fabric;
    struct yaml yaml;
    enum cmd_status status;
    int err;

    status = read_options(argument_count, arguments, &options);
    if (options.wants_help)
        print_usage(stdout);
    if (status != CMD_DONE || options.wants_help)
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
