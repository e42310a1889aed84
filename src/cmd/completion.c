/* SPDX-License-Identifier: Apache-2.0 */
/* Completes command lines from the commands and their tables of options. */
#include "cmd/completion.h"

#include <stdio.h>
#include <string.h>

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

/* Collects the words before the typed one. Returns the option whose value is being typed, or
 * NULL. */
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

void completion_print(char *const *words, size_t count)
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
        const struct cmd *usual = completion.command->usual_verb;

        if (count == 2) {
            offer_commands(&completion, completion.command->verbs);
            if (usual)
                completion_offer_options(&completion, usual->options);
            completion_offer(&completion, "--help");
            return;
        }
        completion.command = usual && words[used][0] == '-'
                                 ? usual
                                 : find_command(completion.command->verbs, words[used++]);
    }
    if (completion.command)
        complete_command(&completion, words + used, count - 1 - used);
}
