/* SPDX-License-Identifier: Apache-2.0 */
/* mrc plan: finds the verb. */
#include "cmd/plan.h"

#include <stdio.h>
#include <string.h>

#include "files/files.h"

static const char name[] = "plan";

static const struct cmd verbs[] = {
    { "path", "show every path from one NIC to another", plan_path },
};

#define VERB_COUNT (sizeof(verbs) / sizeof(verbs[0]))

static void print_usage(FILE *to)
{
    fputs("usage: mrc plan VERB [ARGUMENTS]\n\nThe plan of a fabric file.\n\nverbs:\n", to);
    for (size_t i = 0; i < VERB_COUNT; i++)
        fprintf(to, "  %-8s  %s\n", verbs[i].name, verbs[i].summary);
    fputs("\nmrc plan VERB --help explains one; mrc-plan(1) says more.\n", to);
}

enum cmd_status cmd_plan(int argument_count, char **arguments)
{
    const char *names[VERB_COUNT];
    const char *meant;

    if (argument_count < 2) {
        print_usage(stderr);
        return CMD_MISUSED;
    }
    if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
        print_usage(stdout);
        return CMD_DONE;
    }
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if (strcmp(verbs[i].name, arguments[1]) == 0)
            return verbs[i].run(argument_count - 1, arguments + 1);
        names[i] = verbs[i].name;
    }
    meant = nearest_word(arguments[1], names, VERB_COUNT);
    if (meant)
        return cmd_complain(
            CMD_MISUSED, name, "there is no verb '%s'; did you mean '%s'?", arguments[1], meant);
    return cmd_complain(
        CMD_MISUSED, name, "there is no verb '%s'; 'mrc plan --help' lists them", arguments[1]);
}
