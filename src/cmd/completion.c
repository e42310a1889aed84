/* SPDX-License-Identifier: Apache-2.0 */
/* mrc completion: scripts for shells, and the candidates that they ask for. All of them come from
 * the commands and their tables of options, so that the scripts never change. */
#include "cmd/completion.h"

#include <stdio.h>
#include <string.h>

static const char bash_script[] =
    "# Completion of mrc for bash, made by 'mrc completion bash'.\n"
    "_mrc()\n"
    "{\n"
    "    mapfile -t COMPREPLY < <(\"${COMP_WORDS[0]}\" completion words \\\n"
    "        \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "    # A key wants its value right behind it.\n"
    "    case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
    "}\n"
    "complete -o default -F _mrc mrc\n";

static const char zsh_script[] =
    "#compdef mrc\n"
    "# Completion of mrc for zsh, made by 'mrc completion zsh'.\n"
    "_mrc()\n"
    "{\n"
    "    local -a candidates keys\n"
    "    candidates=(${(f)\"$(\"${words[1]}\" completion words \"${(@)words[2,CURRENT]}\" "
    "2>/dev/null)\"})\n"
    "    keys=(${(M)candidates:#*=})\n"
    "    if (( ${#candidates} == 0 )); then\n"
    "        _files\n"
    "    elif (( ${#keys} )); then\n"
    "        compadd -S '' -- \"${keys[@]}\"\n"
    "    else\n"
    "        compadd -- \"${candidates[@]}\"\n"
    "    fi\n"
    "}\n"
    "# Installed, this file is the function; evaluated, it defines it.\n"
    "if [ \"${funcstack[1]}\" = _mrc ]; then _mrc \"$@\"; else compdef _mrc mrc; fi\n";

/* ---- candidates ------------------------------------------------------------------------------ */

void completion_offer(const struct completion *completion, const char *candidate)
{
    if (strncmp(candidate, completion->typed, strlen(completion->typed)) == 0)
        puts(candidate);
}

void completion_offer_all(const struct completion *completion, const char *const *candidates)
{
    for (; *candidates; candidates++)
        completion_offer(completion, *candidates);
}

void completion_offer_options(const struct completion *completion, const struct option_table *table)
{
    char option[64];

    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].name) {
            snprintf(option, sizeof(option), "--%s", table->rows[i].name);
            completion_offer(completion, option);
        }
}

static void offer_commands(const struct completion *completion, const struct cmd *const *all)
{
    for (; *all; all++)
        completion_offer(completion, (*all)->name);
}

/* ---- the command line so far ----------------------------------------------------------------- */

static const struct cmd *find_command(const struct cmd *const *all, const char *name)
{
    while (*all && strcmp((*all)->name, name) != 0)
        all++;
    return *all;
}

/* Sorts the words before the typed one; returns the option whose value is being typed, or NULL. */
static const struct option_row *sort_words(
    struct completion *completion, char *const *words, size_t count)
{
    const struct option_row *open = NULL;

    for (size_t i = 0; i < count; i++) {
        if (open && open->name && strcmp(open->name, "name") == 0)
            completion->name = words[i];
        if (open)
            open = NULL;
        else if (words[i][0] == '-')
            open = options_find(completion->command->options, words[i]);
        else if (completion->count < COMPLETION_WORDS_MAX)
            completion->words[completion->count++] = words[i];
        if (open && !open->value)
            open = NULL;
    }
    return open;
}

static void complete_command(struct completion *completion, char *const *words, size_t count)
{
    const struct cmd *command = completion->command;
    const struct option_row *open = sort_words(completion, words, count);

    if (open) {
        if (open->kind != OPTION_NUMBER && open->kind != OPTION_SIZE)
            completion_offer_values(completion, open->values);
        return;
    }
    if (completion->typed[0] == '-') {
        completion_offer_options(completion, command->options);
        completion_offer(completion, "--help");
    }
    if (command->complete)
        command->complete(completion);
}

static void complete(char *const *words, size_t count)
{
    struct completion completion = { .typed = words[count - 1] };
    size_t used = 1;

    if (count == 1 || (count == 2 && strcmp(words[0], "help") == 0)) {
        offer_commands(&completion, commands);
        if (count == 1)
            completion_offer_all(
                &completion, (const char *const[]){ "help", "--help", "--version", NULL });
        return;
    }
    completion.command = find_command(commands, words[0]);
    if (completion.command && completion.command->verbs) {
        if (count == 2) {
            offer_commands(&completion, completion.command->verbs);
            completion_offer(&completion, "--help");
            return;
        }
        completion.command = find_command(completion.command->verbs, words[used++]);
    }
    if (completion.command)
        complete_command(&completion, words + used, count - 1 - used);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const struct option_table table = {
    .command = "completion",
    .intro = "usage: mrc completion bash|zsh\n"
             "       mrc completion words WORD...\n"
             "\n"
             "Prints a script that completes the command lines of mrc, or what the last WORD of "
             "one can\n"
             "become.",
    .ends_at_word = true,
};

static void complete_shell(const struct completion *completion)
{
    if (completion->count == 0)
        completion_offer_all(completion, (const char *const[]){ "bash", "zsh", NULL });
}

static enum cmd_status print_completion(int argument_count, char **arguments)
{
    enum cmd_status status;
    const char *what;

    /* Words may look like options of this command. */
    if (argument_count > 2 && strcmp(arguments[1], "words") == 0) {
        complete(arguments + 2, (size_t)argument_count - 2);
        return CMD_DONE;
    }
    if (!options_read(&table, NULL, argument_count, arguments, &status))
        return status;
    what = argument_count == 2 ? arguments[1] : "";
    if (strcmp(what, "bash") == 0)
        fputs(bash_script, stdout);
    else if (strcmp(what, "zsh") == 0)
        fputs(zsh_script, stdout);
    else
        return cmd_complain(CMD_MISUSED, table.command,
            "for which shell? 'mrc completion bash' or 'mrc completion zsh'");
    return CMD_DONE;
}

const struct cmd completion_command = {
    .name = "completion",
    .summary = "print a script that completes command lines in a shell",
    .run = print_completion,
    .options = &table,
    .complete = complete_shell,
};
