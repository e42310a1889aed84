/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the kits that run checks: --list, --only, --without and -j. */
#pragma once

#include "cmd/options.h"
#include "conform/conform.h"

/* A member of the options of a command. */
struct conform_options {
    bool lists;
    bool as_json;
    const char *only;
    const char *without;
};

/* .offset and .bytes of a member of the struct conform_options in these options. */
#define CONFORM_OPTION_AT(type, member, own)                                                       \
    .offset = offsetof(type, member) + offsetof(struct conform_options, own),                      \
    .bytes = sizeof(((struct conform_options *)0)->own)

/* Rows for the options of type `type`, whose member `member` is a struct conform_options. */
/* clang-format off */
#define CONFORM_OPTION_ROWS(type, member) \
    { OPTION_TEXT, 0, "without", "WORDS", "what the device does not implement, separated by commas: its checks are\n" \
        "not run (--list shows the words)", CONFORM_OPTION_AT(type, member, without), .values = OPTION_VALUES_NONE }, \
    { OPTION_TEXT, 0, "only", "WORDS", "run only the checks that begin with one of these words", \
        CONFORM_OPTION_AT(type, member, only), .values = OPTION_VALUES_NONE }, \
    { OPTION_FLAG, 0, "list", NULL, "list the checks and what a device may lack, and exit", CONFORM_OPTION_AT(type, member, lists) }, \
    { OPTION_FLAG, 'j', "json", NULL, "print JSON instead of TAP", CONFORM_OPTION_AT(type, member, as_json) }
/* clang-format on */

/* What --only and --without choose. */
struct conform_choice {
    bool chosen[CONFORM_SUITE_CHECKS_MAX];
    uint64_t absent;
};

/* Lists the checks if --list was given; otherwise reads --only and --without. Returns false if the
 * command ends with *status. */
bool conform_options_choose(const struct conform_options *, const char *command,
    const struct conform_suite *, struct conform_choice *, enum cmd_status *status);

/* Runs the checks and prints the report. Returns CMD_FAILED if the device does not pass. */
enum cmd_status conform_options_run(const struct conform_options *, const struct conform_suite *,
    const struct conform_choice *, const char *device, void *kit);
