/* SPDX-License-Identifier: Apache-2.0 */
/* mrc completion: prints completion scripts for shells, and the candidates that the scripts
 * request. The scripts contain no command names, so new commands need no new scripts. */
#include "cmd/completion.h"

#include <stdio.h>
#include <string.h>

static const char bash_script[] =
    "# Completion of mrc for bash, made by 'mrc completion bash'.\n"
    "_mrc()\n"
    "{\n"
    "    mapfile -t COMPREPLY < <(\"${COMP_WORDS[0]}\" completion words \\\n"
    "        \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "    # No space after a key: its value follows.\n"
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
    "# An installed file is the body of _mrc; an evaluated one defines _mrc.\n"
    "if [ \"${funcstack[1]}\" = _mrc ]; then _mrc \"$@\"; else compdef _mrc mrc; fi\n";

static const struct option_table table = {
    .command = "completion",
    .intro = "usage: mrc completion bash|zsh\n"
             "       mrc completion words WORD...\n"
             "\n"
             "Prints a script that completes the command lines of mrc, or the candidates for\n"
             "the last WORD of one.",
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

    /* Do not parse options: the words may look like options of this command. */
    if (argument_count > 2 && strcmp(arguments[1], "words") == 0) {
        completion_print(arguments + 2, (size_t)argument_count - 2);
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
            "name a shell: 'mrc completion bash' or 'mrc completion zsh'");
    return CMD_DONE;
}

const struct cmd completion_command = {
    .name = "completion",
    .summary = "print a script that completes command lines in a shell",
    .run = print_completion,
    .options = &table,
    .complete = complete_shell,
};
