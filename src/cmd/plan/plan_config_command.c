/* SPDX-License-Identifier: Apache-2.0 */
/* mrc plan config: writes the configurations of switches and NICs. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/options.h"
#include "cmd/plan/plan_source.h"
#include "cmd/plan/plan_verbs.h"

static const char name[] = "plan config";

struct options {
    const struct config_format *format;
    const char *output;
    const char *only;
};

static enum cmd_status take_format(void *to, char *text)
{
    struct options *options = to;

    options->format = config_format_find(text);
    if (options->format)
        return CMD_DONE;
    return cmd_complain(
        CMD_MISUSED, name, "--format: there is no '%s'; 'mrc plan config --help' lists all", text);
}

static void list_formats(FILE *to)
{
    fputs("\nFormats:\n", to);
    for (uint32_t i = 0; config_formats[i]; i++)
        fprintf(to, "  %-14s %s\n", config_formats[i]->word, config_formats[i]->help);
}

static const struct option_row rows[] = {
    { OPTION_CALL, 'f', "format", "FORMAT", "what to write for", .read = take_format,
        .values = OPTION_VALUES_CONFIGS },
    { OPTION_TEXT, 'o', "output", "DIR", "the folder to create, with a folder for each switch",
        OPTION_AT(struct options, output) },
    { OPTION_TEXT, 's', "switch", "NAME",
        "only this switch or NIC: p0.t0.1, h3\n(without --output: to standard output)",
        OPTION_AT(struct options, only), .values = OPTION_VALUES_NONE },
};

static const struct option_table table = {
    .command = name,
    .intro =
        "usage: mrc plan config FABRIC.yaml -f FORMAT [-o DIR] [-s NAME]\n"
        "\n"
        "Writes the configurations of the switches, or NICs, of a fabric. DIR appears when all "
        "files\n"
        "are complete.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .list = list_formats,
};

/* ---- writing --------------------------------------------------------------------------------- */

static void announce_size(const struct config_job *job, const char *output)
{
    struct config_size size = config_write_size(job);

    fprintf(stderr, "%s: %u file%s, about %.1f MB\n", output, size.files,
        size.files == 1 ? "" : "s", (double)size.bytes / 1e6);
}

static enum cmd_status complain_about(const char *output, int err)
{
    if (err == -EEXIST)
        return cmd_complain(
            CMD_FAILED, name, "%s is there and not empty; remove it or choose another", output);
    if (err == -ENOSPC)
        return cmd_complain(
            CMD_FAILED, name, "%s: the disk has too little room; nothing was kept", output);
    if (err == -EINTR)
        return cmd_complain(CMD_FAILED, name, "interrupted; nothing was kept");
    return cmd_complain(CMD_FAILED, name, "%s: %s; nothing was kept", output, strerror(-err));
}

static enum cmd_status write_folder(struct config_job *job, const char *output)
{
    int err;

    job->is_interrupted = cmd_catch_interrupts(0);
    announce_size(job, output);
    err = config_write_folder(job, output);
    return err ? complain_about(output, err) : CMD_DONE;
}

/* ---- what to write --------------------------------------------------------------------------- */

static enum cmd_status find_node(const struct options *options, struct config_job *job)
{
    const struct topology *topology = &job->source.plan->topology;

    if (job->format->needs_levels && topology->graph)
        return cmd_complain(CMD_MISUSED, name,
            "--format %s: not for fabrics with a shape; 'mrc fabric' writes the files of their "
            "NICs",
            job->format->word);
    if (!options->only ||
        config_format_find_node(job->format, job->source.plan, options->only, &job->only))
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name, "--switch: '%s' is not a %s of this fabric",
        options->only, job->format->scope == CONFIG_OF_NIC ? "NIC" : "switch");
}

static enum cmd_status write_all(const struct options *options, const char *path)
{
    struct config_job job = { .format = options->format, .only = CONFIG_ALL };
    struct plan_source fabric;
    enum cmd_status status = plan_source_open(&fabric, name, path);

    if (status != CMD_DONE)
        return status;
    job.source = fabric.source;
    status = find_node(options, &job);
    if (status == CMD_DONE && options->output)
        status = write_folder(&job, options->output);
    else if (status == CMD_DONE)
        config_write_print(&job, options->only ? job.only : 0, stdout);
    plan_source_close(&fabric);
    return status;
}

static enum cmd_status plan_config(int argument_count, char **arguments)
{
    struct options options = { 0 };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (argument_count - optind != 1)
        return cmd_complain(CMD_MISUSED, name, "name one FABRIC.yaml");
    if (!options.format)
        return cmd_complain(CMD_MISUSED, name, "--format is required; --help lists the formats");
    if (options.only && options.format->scope == CONFIG_OF_FABRIC)
        return cmd_complain(CMD_MISUSED, name, "--switch: the format %s has one file for all",
            options.format->word);
    if (!options.output && !options.only && options.format->scope != CONFIG_OF_FABRIC)
        return cmd_complain(
            CMD_MISUSED, name, "give --output DIR, or --switch NAME for standard output");
    return write_all(&options, arguments[optind]);
}

const struct cmd plan_config_command = {
    .name = "config",
    .summary = "write the configurations of switches and NICs",
    .run = plan_config,
    .options = &table,
};
