/* SPDX-License-Identifier: Apache-2.0 */
/* mrc switch: the switches of a namespace fabric, all or some of them, in this process. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/fabric.h"
#include "files/files.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

static const char name[] = "switch";
static volatile int stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

static void print_usage(FILE *to)
{
    fputs("usage: mrc switch --netns PREFIX [OPTIONS] FABRIC.yaml\n"
          "\n"
          "Forwards as the switches of a fabric that 'mrc fabric up' has built of network\n"
          "namespaces: by uSIDs, with marks and trimming. Needs root.\n"
          "\n"
          "      --netns PREFIX  of the namespaces\n"
          "      --only LIST     these switches alone: p0.t0.1,p0.t1.0\n"
          "  -n, --name NAME     for 'mrc fabric show' and 'fault' (default: PREFIX)\n"
          "      --paced         links have the rates and delays of the file\n"
          "  -s, --slower N      and are N times slower and longer\n"
          "      --spin US       poll so long before sleeping (default: 50)\n"
          "      --seed N        of losses, marks and trimming\n"
          "  -q, --quiet         say nothing\n"
          "  -h, --help\n",
        to);
}

struct options {
    struct soft_config config;
    const char *file;
    const char *only;
    bool is_quiet;
    bool wants_help;
};

enum option_code {
    OPTION_NETNS = 256,
    OPTION_ONLY,
    OPTION_PACED,
    OPTION_SPIN,
    OPTION_SEED,
};

/* ---- the command line ------------------------------------------------------------------------ */

static enum cmd_status take_number(
    const char *option, unsigned long min, unsigned long max, unsigned long *out)
{
    if (fabric_number(optarg, min, max, out))
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name, "%s %s: not %lu to %lu", option, optarg, min, max);
}

static enum cmd_status take_prefix(const char *option, const char **out)
{
    *out = optarg;
    if (netns_name_is_prefix(optarg))
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name,
        "%s '%s': 1 to %d letters, digits, '-' and '_', not beginning with mrc", option, optarg,
        NETNS_PREFIX_BYTES - 1);
}

static enum cmd_status read_option(struct options *options, int option)
{
    struct soft_config *config = &options->config;
    unsigned long number = 0;
    enum cmd_status status;

    switch (option) {
    case OPTION_NETNS:
        return take_prefix("--netns", &config->prefix);
    case 'n':
        return take_prefix("--name", &config->name);
    case OPTION_ONLY:
        options->only = optarg;
        return CMD_DONE;
    case OPTION_PACED:
        config->is_unpaced = false;
        return CMD_DONE;
    case 's':
        config->is_unpaced = false;
        status = take_number("--slower", 1, 1000000, &number);
        config->slower = (uint32_t)number;
        return status;
    case OPTION_SPIN:
        status = take_number("--spin", 0, 1000000, &number);
        config->spin_us = (uint32_t)number;
        return status;
    case OPTION_SEED:
        status = take_number("--seed", 0, UINT32_MAX, &number);
        config->seed = number;
        return status;
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
        { "netns", required_argument, NULL, OPTION_NETNS },
        { "only", required_argument, NULL, OPTION_ONLY },
        { "name", required_argument, NULL, 'n' },
        { "paced", no_argument, NULL, OPTION_PACED },
        { "slower", required_argument, NULL, 's' },
        { "spin", required_argument, NULL, OPTION_SPIN },
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
           (option = getopt_long(argument_count, arguments, ":n:s:qh", known, NULL)) != -1)
        status = option == '?' || option == ':'
                     ? cmd_complain_option(name, option, arguments, known)
                     : read_option(options, option);
    if (status != CMD_DONE || options->wants_help)
        return status;
    if (optind != argument_count - 1)
        return cmd_complain(CMD_MISUSED, name, "name one FABRIC.yaml");
    if (!options->config.prefix)
        return cmd_complain(CMD_MISUSED, name,
            "--netns: say the prefix of the namespaces that 'mrc fabric up' has made");
    options->file = arguments[optind];
    if (!options->config.name)
        options->config.name = options->config.prefix;
    return CMD_DONE;
}

/* "p0.t0.1,p0.t1.0" */
static enum cmd_status read_only(const struct topology *topology, const char *list, bool *serves)
{
    char *words = strdup(list);
    enum cmd_status status = CMD_DONE;
    char *rest = NULL;

    for (const char *word = words ? strtok_r(words, ",", &rest) : NULL; word && status == CMD_DONE;
         word = strtok_r(NULL, ",", &rest)) {
        char reason[TOPOLOGY_REASON_BYTES];
        struct topology_element element;

        if (!topology_find(topology, word, &element, reason))
            status = cmd_complain(CMD_MISUSED, name, "--only: %s", reason);
        else if (!topology_is_switch(element.kind))
            status = cmd_complain(CMD_MISUSED, name, "--only: '%s' is not a switch", word);
        else
            serves[topology_switch_index(topology, &element)] = true;
    }
    free(words);
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */

static enum cmd_status complain_about(const struct options *options, int err)
{
    if (err == -EBUSY)
        return cmd_complain(CMD_FAILED, name,
            "a fabric called '%s' is running; stop it with 'mrc fabric stop' or choose another "
            "--name",
            options->config.name);
    if (err == -ERANGE)
        return cmd_complain(CMD_MISUSED, name,
            "--slower %u: links would have less than 1Mb/s, or more than 10ms",
            options->config.slower);
    if (err == -EPERM)
        return cmd_complain(CMD_FAILED, name, "only root can enter network namespaces");
    if (err == -ENOENT || err == -ENODEV)
        return cmd_complain(CMD_FAILED, name,
            "the namespaces %s-* do not fit %s; build them with 'mrc fabric up -n %s %s'",
            options->config.prefix, options->file, options->config.prefix, options->file);
    return cmd_complain(CMD_FAILED, name, "%s", strerror(-err));
}

static enum cmd_status run(const struct options *options)
{
    struct soft *soft;
    int err = soft_open(&soft, &options->config);

    if (err)
        return complain_about(options, err);
    if (!options->is_quiet) {
        printf("switches of '%s': Ctrl-C ends them\n", options->config.prefix);
        fflush(stdout);
    }
    err = soft_run(soft, &stop);
    soft_close(soft);
    return err ? complain_about(options, err) : CMD_DONE;
}

static enum cmd_status run_on(struct options *options, const struct plan *fabric)
{
    bool *serves = calloc(fabric->topology.switch_count, sizeof(*serves));
    enum cmd_status status = CMD_DONE;
    char *text;

    if (!serves)
        return complain_about(options, -ENOMEM);
    if (options->only) {
        status = read_only(&fabric->topology, options->only, serves);
        options->config.serves = serves;
    }
    options->config.fabric = fabric;
    text = fabric_text(options->file);
    options->config.text = text;
    if (status == CMD_DONE)
        status = run(options);
    free(text);
    free(serves);
    return status;
}

enum cmd_status cmd_switch(int argument_count, char **arguments)
{
    char root[FABRIC_ROOT_BYTES];
    struct options options = {
        .config = { .root = root, .slower = 1, .spin_us = 50, .seed = 1, .is_unpaced = true }
    };
    struct sigaction action = { .sa_handler = on_signal };
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
        return cmd_complain(CMD_FAILED, name, "only root can enter network namespaces");
    err = run_place_make(root, sizeof(root));
    if (err)
        return complain_about(&options, err);
    status = fabric_load(name, options.file, &yaml, &fabric);
    if (status != CMD_DONE)
        return status;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    status = run_on(&options, &fabric);
    yaml_fini(&yaml);
    return status;
}
