/* SPDX-License-Identifier: Apache-2.0 */
/* mrc plan diff: prints what a change of a fabric file changes, in the order of a safe roll-out. */
#include <getopt.h>
#include <stdio.h>

#include "cmd/options.h"
#include "cmd/plan/plan_source.h"
#include "cmd/plan/plan_verbs.h"

static const char name[] = "plan diff";

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc plan diff OLD.yaml NEW.yaml\n"
             "\n"
             "Prints which switches and NICs a change of the fabric file touches, in the order in "
             "which the\n"
             "change can be rolled out without losing packets.",
};

static enum cmd_status print_difference(const struct plan_source *before, const char *path)
{
    struct plan_source after;
    enum cmd_status status = plan_source_open(&after, name, path);
    int64_t count;

    if (status != CMD_DONE)
        return status;
    count = config_diff_print(&before->source, &after.source, stdout);
    if (count < 0)
        status = cmd_complain(CMD_FAILED, name, "out of memory");
    else if (count > 0)
        status = CMD_FAILED;
    plan_source_close(&after);
    return status;
}

static enum cmd_status plan_diff(int argument_count, char **arguments)
{
    struct plan_source before;
    enum cmd_status status;

    if (!options_read(&table, NULL, argument_count, arguments, &status))
        return status;
    if (argument_count - optind != 2)
        return cmd_complain(CMD_MISUSED, name, "name two fabric files: OLD.yaml NEW.yaml");
    status = plan_source_open(&before, name, arguments[optind]);
    if (status != CMD_DONE)
        return status;
    status = print_difference(&before, arguments[optind + 1]);
    plan_source_close(&before);
    return status;
}

const struct cmd plan_diff_command = {
    .name = "diff",
    .summary = "show what a change of the fabric file touches",
    .run = plan_diff,
    .options = &table,
};
