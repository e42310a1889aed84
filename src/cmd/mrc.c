/* SPDX-License-Identifier: Apache-2.0 */
/* The command mrc: finds the subcommand and runs it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "files/files.h"

#define COMMAND(name) extern const struct cmd name##_command;
#include "cmd/commands.def"
#undef COMMAND

const char cmd_program[] = "mrc";

const struct cmd *const commands[] = {
#define COMMAND(name) &name##_command,
#include "cmd/commands.def"
#undef COMMAND
    NULL,
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]) - 1)

static void print_usage(FILE *to)
{
    fputs("usage: mrc SUBCOMMAND [ARGUMENTS]\n"
          "       mrc help [SUBCOMMAND]\n"
          "       mrc --version\n"
          "\n"
          "Tools for Multipath Reliable Connection (MRC).\n"
          "\n"
          "subcommands:\n",
        to);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  %-10s  %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n"
          "A subcommand may be shortened to a unique prefix (mrc dec).\n"
          "mrc SUBCOMMAND --help explains a subcommand. See also the manual pages mrc(1) and "
          "mrc-SUBCOMMAND(1).\n",
        to);
}

/* A complete name takes precedence over a prefix of another. */
static const struct cmd *find_command(const char *typed, size_t *match_count)
{
    const struct cmd *found = NULL;

    *match_count = 0;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strncmp(commands[i]->name, typed, strlen(typed)) != 0)
            continue;
        found = commands[i];
        (*match_count)++;
        if (strcmp(commands[i]->name, typed) == 0) {
            *match_count = 1;
            break;
        }
    }
    return found;
}

static enum cmd_status complain_unknown(const char *typed)
{
    const char *names[COMMAND_COUNT];
    const char *meant;

    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i]->name;
    meant = nearest_word(typed, names, COMMAND_COUNT);
    if (meant)
        return cmd_complain(
            CMD_MISUSED, "", "there is no subcommand '%s'; did you mean '%s'?", typed, meant);
    return cmd_complain(
        CMD_MISUSED, "", "there is no subcommand '%s'; 'mrc help' lists them", typed);
}

static enum cmd_status complain_ambiguous(const char *typed)
{
    fprintf(stderr, "mrc: '%s' is ambiguous:", typed);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strncmp(commands[i]->name, typed, strlen(typed)) == 0)
            fprintf(stderr, " %s", commands[i]->name);
    fputs("\n", stderr);
    return CMD_MISUSED;
}

static enum cmd_status run_command(int argument_count, char **arguments)
{
    size_t match_count;
    const struct cmd *command = find_command(arguments[0], &match_count);

    if (match_count == 0 || arguments[0][0] == '\0')
        return complain_unknown(arguments[0]);
    if (match_count > 1)
        return complain_ambiguous(arguments[0]);
    if (command->verbs)
        return cmd_run_verb(command, argument_count, arguments);
    return command->run(argument_count, arguments);
}

static enum cmd_status help(char *topic)
{
    char option[] = "--help";
    char *arguments[] = { topic, option, NULL };

    if (topic)
        return run_command(2, arguments);
    print_usage(stdout);
    return CMD_DONE;
}

static enum cmd_status dispatch_words(int argument_count, char **arguments)
{
    const char *first = arguments[1];

    if (argument_count < 2) {
        print_usage(stderr);
        return CMD_MISUSED;
    }
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        puts("mrc (OpenMRC) " OPENMRC_VERSION);
        return CMD_DONE;
    }
    if (strcmp(first, "help") == 0 || strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return help(arguments[2]);
    if (first[0] == '-')
        return cmd_complain(CMD_MISUSED, "",
            "there is no option '%s'; before a subcommand, mrc takes --help and --version", first);
    return run_command(argument_count - 1, arguments + 1);
}

int main(int argument_count, char **arguments)
{
    /* With SIGPIPE ignored, a closed pipe (`| head`) is a failed write, and files that are being
     * written are closed properly. */
    signal(SIGPIPE, SIG_IGN);
    return (int)cmd_finish(dispatch_words(argument_count, arguments), "");
}
