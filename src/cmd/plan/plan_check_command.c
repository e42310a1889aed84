/* SPDX-License-Identifier: Apache-2.0 */
/* mrc plan check: reads configurations back and compares them with the plan. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"
#include "cmd/plan/plan_source.h"
#include "cmd/plan/plan_verbs.h"

static const char name[] = "plan check";

enum { PATH_BYTES = 4096 };

struct options {
    const char *only;
};

static const struct option_row rows[] = {
    { OPTION_TEXT, 's', "switch", "NAME", "only this switch or NIC: p0.t0.1, h3",
        OPTION_AT(struct options, only), .values = OPTION_VALUES_NONE },
};

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc plan check [-s NAME] DIR FABRIC.yaml\n"
             "\n"
             "Compares a folder that 'mrc plan config' has written with the plan of the fabric.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* ---- files ----------------------------------------------------------------------------------- */

/* Compares the switch in a fabric file of its own with the plan. */
static void check_description(const struct config_job *job, uint32_t node, const char *path,
    const char *place, struct config_tally *tally)
{
    struct config_source source = { 0 };
    struct config_switch_diff diff;
    struct config_switch found;
    struct config_switch wanted;
    struct plan plan;
    struct yaml yaml;
    const struct yaml_node *top;
    uint32_t same;

    yaml_init(&yaml);
    top = yaml_load(&yaml, path);
    config_switch_of(&job->source, node, &wanted);
    if (!top || !fabric_file_read(&yaml, top, &plan)) {
        config_check_tell(tally, place, "%s", yaml.problem);
    } else if (!config_format_find_node(job->format, &plan, wanted.name, &same)) {
        config_check_tell(tally, place, "the fabric of this file has no %s", wanted.name);
    } else if (config_source_init(&source, &plan, "")) {
        config_switch_of(&source, same, &found);
        config_diff_switch(&found, &wanted, &diff);
        for (uint32_t i = 0; i < CONFIG_STEP_COUNT; i++)
            if (diff.steps[i].count > 0)
                config_check_tell(tally, place, "the plan differs at %u places: %s",
                    diff.steps[i].count, diff.steps[i].first);
    }
    config_source_fini(&source);
    yaml_fini(&yaml);
}

static void check_file(const struct config_job *job, uint32_t node, const struct config_file *file,
    const char *folder, struct config_tally *tally)
{
    char node_name[TOPOLOGY_NAME_BYTES];
    char place[TOPOLOGY_NAME_BYTES + 64];
    char path[PATH_BYTES];
    char *text;

    config_format_name(job->format, job->source.plan, node, node_name);
    snprintf(place, sizeof(place), "%s%s%s", node_name, *node_name ? "/" : "", file->name);
    snprintf(path, sizeof(path), "%s/%s", folder, place);
    text = whole_file_text(path);
    if (!text) {
        config_check_tell(tally, place, "missing, or empty");
        return;
    }
    if (strcmp(job->format->word, "mrc-switch") == 0) {
        tally->files++;
        check_description(job, node, path, place, tally);
    } else {
        config_check_text(job, node, file, place, text, tally);
    }
    free(text);
}

static void check_node(
    const struct config_job *job, uint32_t node, const char *folder, struct config_tally *tally)
{
    for (const struct config_file *file = job->format->files; file->name; file++)
        check_file(job, node, file, folder, tally);
}

/* ---- the folder ------------------------------------------------------------------------------ */

static enum cmd_status check_folder(
    struct config_job *job, const struct options *options, const char *folder)
{
    struct config_tally tally = { .to = stdout };
    uint32_t count = config_format_count(job->format, job->source.plan);

    if (options->only &&
        !config_format_find_node(job->format, job->source.plan, options->only, &job->only))
        return cmd_complain(CMD_MISUSED, name, "--switch: this fabric has no '%s'", options->only);
    if (options->only) {
        check_node(job, job->only, folder, &tally);
    } else {
        for (uint32_t node = 0; node < count; node++)
            check_node(job, node, folder, &tally);
        config_check_strangers(job, folder, &tally);
    }
    printf("%s: %u files of the format %s read, %u differences\n", folder, tally.files,
        job->format->word, tally.differences);
    return tally.differences ? CMD_FAILED : CMD_DONE;
}

static enum cmd_status plan_check(int argument_count, char **arguments)
{
    struct options options = { 0 };
    struct config_job job = { .only = CONFIG_ALL };
    struct plan_source fabric;
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (argument_count - optind != 2)
        return cmd_complain(CMD_MISUSED, name, "name a folder and a fabric file: DIR FABRIC.yaml");
    job.format = config_check_format(arguments[optind]);
    if (!job.format)
        return cmd_complain(CMD_MISUSED, name,
            "%s: no configurations; 'mrc plan config' writes such folders", arguments[optind]);
    status = plan_source_open(&fabric, name, arguments[optind + 1]);
    if (status != CMD_DONE)
        return status;
    job.source = fabric.source;
    status = check_folder(&job, &options, arguments[optind]);
    plan_source_close(&fabric);
    return status;
}

const struct cmd plan_check_command = {
    .name = "check",
    .summary = "compare configurations with the plan of a fabric file",
    .run = plan_check,
    .options = &table,
};
