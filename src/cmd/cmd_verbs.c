/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and runs the verb of a subcommand. */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "files/files.h"

enum { VERBS_MAX = 16 };

static void print_usage(const struct cmd *command, FILE *to)
{
    fprintf(
        to, "usage: mrc %s VERB [ARGUMENTS]\n\n%s\n\nverbs:\n", command->name, command->purpose);
    for (size_t i = 0; command->verbs[i]; i++)
        fprintf(to, "  %-8s  %s\n", command->verbs[i]->name, command->verbs[i]->summary);
    fprintf(to, "\nmrc %s VERB --help explains one; mrc-%s(1) is its manual page.\n", command->name,
        command->name);
}

static enum cmd_status complain_verb(const struct cmd *command, const char *verb)
{
    const char *names[VERBS_MAX];
    const char *meant;
    size_t count = 0;

    for (; command->verbs[count] && count < VERBS_MAX; count++)
        names[count] = command->verbs[count]->name;
    meant = nearest_word(verb, names, count);
    if (meant)
        return cmd_complain(
            CMD_MISUSED, command->name, "there is no verb '%s'; did you mean '%s'?", verb, meant);
    return cmd_complain(CMD_MISUSED, command->name,
        "there is no verb '%s'; 'mrc %s --help' lists them", verb, command->name);
}

enum cmd_status cmd_run_verb(const struct cmd *command, int argument_count, char **arguments)
{
    if (argument_count < 2) {
        print_usage(command, stderr);
        return CMD_MISUSED;
    }
    if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
        print_usage(command, stdout);
        return CMD_DONE;
    }
    if (command->usual_verb && arguments[1][0] == '-')
        return command->usual_verb->run(argument_count, arguments);
    for (size_t i = 0; command->verbs[i]; i++)
        if (strcmp(command->verbs[i]->name, arguments[1]) == 0)
            return command->verbs[i]->run(argument_count - 1, arguments + 1);
    return complain_verb(command, arguments[1]);
}
