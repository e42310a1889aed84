/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon mrcd: finds the subcommand and runs it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/mrcd/mrcd.h"

const char cmd_program[] = "mrcd";

static const struct cmd *const subcommands[] = {
    &mrcd_init_command,
    &mrcd_controller_command,
    &mrcd_agent_command,
    &mrcd_revoke_command,
    NULL,
};

static void print_usage(FILE *to)
{
    fputs("usage: mrcd SUBCOMMAND [OPTIONS]\n"
          "       mrcd --version\n"
          "\n"
          "The controller of an MRC fabric, and its agents on the nodes.\n"
          "\n"
          "subcommands:\n",
        to);
    for (size_t i = 0; subcommands[i]; i++)
        fprintf(to, "  %-10s  %s\n", subcommands[i]->name, subcommands[i]->summary);
    fputs("\nmrcd SUBCOMMAND --help explains one. See also mrcd(8).\n", to);
}

static enum cmd_status dispatch_words(int argument_count, char **arguments)
{
    const char *word = arguments[1];

    if (argument_count < 2) {
        print_usage(stderr);
        return CMD_MISUSED;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        puts("mrcd (OpenMRC) " OPENMRC_VERSION);
        return CMD_DONE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_usage(stdout);
        return CMD_DONE;
    }
    for (size_t i = 0; subcommands[i]; i++)
        if (strcmp(subcommands[i]->name, word) == 0)
            return subcommands[i]->run(argument_count - 1, arguments + 1);
    return cmd_complain(
        CMD_MISUSED, "", "there is no subcommand '%s'; 'mrcd --help' lists them", word);
}

int main(int argument_count, char **arguments)
{
    setenv("MRC_ENGINES", "1", 0); /* probes need no more threads */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error of a write, like a full disk */
    return (int)cmd_finish(dispatch_words(argument_count, arguments), "");
}
