/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the checks of a kit and runs them. */
#include "cmd/conform/conform_options.h"

static enum cmd_status choose_checks(const struct conform_options *options, const char *command,
    const struct conform_suite *suite, struct conform_choice *choice)
{
    char reason[CONFORM_SUITE_REASON_BYTES];

    if (options->without &&
        !conform_suite_declare(suite, options->without, &choice->absent, reason))
        return cmd_complain(CMD_MISUSED, command, "--without: %s", reason);
    if (options->only && !conform_suite_choose(suite, options->only, choice->chosen, reason))
        return cmd_complain(CMD_MISUSED, command, "--only: %s", reason);
    return CMD_DONE;
}

bool conform_options_choose(const struct conform_options *options, const char *command,
    const struct conform_suite *suite, struct conform_choice *choice, enum cmd_status *status)
{
    if (options->lists) {
        conform_suite_list(suite, stdout, options->as_json);
        *status = CMD_DONE;
        return false;
    }
    *status = choose_checks(options, command, suite, choice);
    return *status == CMD_DONE;
}

enum cmd_status conform_options_run(const struct conform_options *options,
    const struct conform_suite *suite, const struct conform_choice *choice, const char *device,
    void *kit)
{
    struct conform_report_config config = { .suite = suite,
        .device = device,
        .absent = choice->absent,
        .chosen = options->only ? choice->chosen : NULL,
        .out = stdout,
        .as_json = options->as_json };

    return conform_report_run(&config, kit) ? CMD_DONE : CMD_FAILED;
}
