/* SPDX-License-Identifier: Apache-2.0 */
/* Subcommands with verbs: finds the verb. */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "files/files.h"

enum { VERBS_MAX = 16 };

static void print_usage(const struct cmd_verbs *all, FILE *to)
{
    fprintf(to, "usage: mrc %s VERB [ARGUMENTS]\n\n%s\n\nverbs:\n", all->name, all->summary);
    for (size_t i = 0; i < all->count; i++)
        fprintf(to, "  %-8s  %s\n", all->verbs[i].name, all->verbs[i].summary);
    fprintf(to, "\nmrc %s VERB --help explains one; mrc-%s(1) says more.\n", all->name, all->name);
}

static enum cmd_status complain_verb(const struct cmd_verbs *all, const char *verb)
{
    const char *names[VERBS_MAX];
    const char *meant;

    for (size_t i = 0; i < all->count && i < VERBS_MAX; i++)
        names[i] = all->verbs[i].name;
    meant = nearest_word(verb, names, all->count < VERBS_MAX ? all->count : VERBS_MAX);
    if (meant)
        return cmd_complain(
            CMD_MISUSED, all->name, "there is no verb '%s'; did you mean '%s'?", verb, meant);
    return cmd_complain(CMD_MISUSED, all->name, "there is no verb '%s'; 'mrc %s --help' lists them",
        verb, all->name);
}

enum cmd_status cmd_run_verb(const struct cmd_verbs *all, int argument_count, char **arguments)
{
    if (argument_count < 2) {
        print_usage(all, stderr);
        return CMD_MISUSED;
    }
    if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
        print_usage(all, stdout);
        return CMD_DONE;
    }
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->verbs[i].name, arguments[1]) == 0)
            return all->verbs[i].run(argument_count - 1, arguments + 1);
    return complain_verb(all, arguments[1]);
}
