/* SPDX-License-Identifier: Apache-2.0 */
/* mrc switch: runs some or all switches of a namespace fabric in this process. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/fabric_load.h"
#include "cmd/options.h"
#include "files/files.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

static const char name[] = "switch";

struct options {
    struct soft_config config;
    const char *file;
    const char *only;
    const volatile sig_atomic_t *is_interrupted;
    bool is_quiet;
};

/* ---- the command line ------------------------------------------------------------------------ */

static enum cmd_status take_netns(void *options, char *text)
{
    ((struct options *)options)->config.prefix = text;
    return fabric_load_check_name(name, "--netns", text);
}

static enum cmd_status take_name(void *options, char *text)
{
    ((struct options *)options)->config.name = text;
    return fabric_load_check_name(name, "--name", text);
}

static enum cmd_status pace_links(void *options, char *text)
{
    (void)text;
    ((struct options *)options)->config.is_unpaced = false;
    return CMD_DONE;
}

static enum cmd_status take_slower(void *to, char *text)
{
    struct options *options = to;
    uint64_t number = 0;
    enum cmd_status status =
        options_number(name, "--slower", text, (struct option_range){ 1, 1000000 }, &number);

    options->config.is_unpaced = false;
    options->config.slower = (uint32_t)number;
    return status;
}

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_CALL, 0, "netns", "PREFIX", "the prefix of the namespaces, i.e. the name of the fabric", .read = take_netns, .values = OPTION_VALUES_NONE },
    { OPTION_TEXT, 0, "only", "LIST", "run only these switches: p0.t0.1,p0.t1.0", AT(only), .values = OPTION_VALUES_NONE },
    { OPTION_CALL, 'n', "name", "NAME", "the name for 'mrc fabric show' and 'fault' (default: PREFIX)",
        .read = take_name, .values = OPTION_VALUES_NONE },
    { OPTION_CALL, 0, "paced", NULL, "links have the rates and delays of the file", .read = pace_links },
    { OPTION_CALL, 's', "slower", "N", "as --paced, with rates divided and delays multiplied by N", .read = take_slower, .values = OPTION_VALUES_NONE },
    { OPTION_NUMBER, 0, "spin", "US", "poll for US microseconds before sleeping (default: 50)", AT(config.spin_us), .most = 1000000 },
    { OPTION_NUMBER, 0, "seed", "N", "the seed for losses, marks and trimming", AT(config.seed), .most = UINT32_MAX },
    { OPTION_FLAG, 'q', "quiet", NULL, "print nothing", AT(is_quiet) },
};
/* clang-format on */

static const struct option_table table = {
    .command = name,
    .intro =
        "usage: mrc switch --netns PREFIX [OPTIONS] FABRIC.yaml\n"
        "\n"
        "Runs the switches of a fabric that 'mrc fabric up' has built from network namespaces:\n"
        "forwards by uSIDs, marks and trims. Requires root.",
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
    else if (!options->config.prefix)
        *status = cmd_complain(CMD_MISUSED, name,
            "--netns is required: the prefix of the namespaces that 'mrc fabric up' created");
    options->file = arguments[optind];
    if (!options->config.name)
        options->config.name = options->config.prefix;
    return *status == CMD_DONE;
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
            "the namespaces %s-* do not match %s; build them with 'mrc fabric up -n %s %s'",
            options->config.prefix, options->file, options->config.prefix, options->file);
    return cmd_complain(CMD_FAILED, name, "%s", strerror(-err));
}

static enum cmd_status run_switches(const struct options *options)
{
    struct soft *soft;
    int err = soft_open(&soft, &options->config);

    if (err)
        return complain_about(options, err);
    if (!options->is_quiet) {
        printf("switches of '%s': Ctrl-C ends them\n", options->config.prefix);
        fflush(stdout);
    }
    err = soft_run(soft, options->is_interrupted);
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
    text = whole_file_text(options->file);
    options->config.text = text;
    if (status == CMD_DONE)
        status = run_switches(options);
    free(text);
    free(serves);
    return status;
}

static enum cmd_status run_switch(int argument_count, char **arguments)
{
    char root[RUN_PLACE_BYTES];
    struct options options = {
        .config = { .root = root, .slower = 1, .spin_us = 50, .seed = 1, .is_unpaced = true }
    };
    struct plan fabric;
    struct yaml yaml;
    enum cmd_status status;
    int err;

    if (!read_options(argument_count, arguments, &options, &status))
        return status;
    if (geteuid() != 0)
        return cmd_complain(CMD_FAILED, name, "only root can enter network namespaces");
    err = run_place_make(root, sizeof(root));
    if (err)
        return complain_about(&options, err);
    status = fabric_load(name, options.file, &yaml, &fabric);
    if (status != CMD_DONE)
        return status;
    options.is_interrupted = cmd_catch_interrupts(0);
    status = run_on(&options, &fabric);
    yaml_fini(&yaml);
    return status;
}

const struct cmd switch_command = {
    .name = "switch",
    .summary = "run the switches of a fabric of network namespaces",
    .run = run_switch,
    .options = &table,
};
