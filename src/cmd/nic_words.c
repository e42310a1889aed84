/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the command lines of the commands that inspect running NICs. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/completion.h"
#include "cmd/nic_status.h"
#include "plan/plan.h"

static bool begins(const char *word, const char *typed)
{
    return typed[0] != '\0' && strncmp(word, typed, strlen(typed)) == 0;
}

static enum cmd_status wrong(const struct nic_command *command, const char *what, const char *typed)
{
    return cmd_complain(
        CMD_MISUSED, command->name, "%s '%s'; try 'mrc %s --help'", what, typed, command->name);
}

static bool take_number(const char *text, uint32_t limit, uint32_t *out)
{
    char *end;
    unsigned long long value = text ? strtoull(text, &end, 0) : 0;

    if (!text || *end || text[0] == '-' || value == 0 || value > limit)
        return false;
    *out = (uint32_t)value;
    return true;
}

/* Reads an EV such as p1/u3, in the usual width. */
static bool take_ev(const char *word, struct nic_options *options)
{
    struct ev_admin_ev ev;

    if (options->ev_count == NIC_EVS_MAX || !plan_ev_read_usual(word, &ev.ev, &ev.plane))
        return false;
    options->evs[options->ev_count++] = ev;
    return true;
}

/* Returns the number of arguments consumed, 0 if the word does not belong to this command, or -1
 * after an error message. */
static int take_word(
    const struct nic_command *command, struct nic_options *options, char **arguments)
{
    const char *word = arguments[0];
    bool has_ports = command->arguments & NIC_WITH_PORT;

    if (begins("dev", word) && arguments[1]) {
        options->device = arguments[1];
        return 2;
    }
    if ((command->arguments & NIC_WITH_QP) && strcmp(word, "qp") == 0) {
        if (take_number(arguments[1], (1u << 24) - 1, &options->qpn))
            return 2;
        wrong(command, "not a QP number:", arguments[1] ? arguments[1] : "");
        return -1;
    }
    if (has_ports && begins("port", word) && !begins("up", word)) {
        if (take_number(arguments[1], 16, &options->port))
            return 2;
        wrong(command, "not a port number:", arguments[1] ? arguments[1] : "");
        return -1;
    }
    if ((command->arguments & NIC_WITH_EV) && take_ev(word, options))
        return 1;
    if (has_ports && (strcmp(word, "up") == 0 || strcmp(word, "down") == 0)) {
        options->to = word;
        return 1;
    }
    return 0;
}

static const char *find_verb(const struct nic_command *command, const char *typed)
{
    for (const char *const *verb = command->verbs; *verb; verb++)
        if (begins(*verb, typed))
            return *verb;
    return begins("list", typed) && strlen(typed) > 1 ? command->verbs[0] : NULL;
}

static enum cmd_status take_words(
    const struct nic_command *command, char **arguments, struct nic_options *options)
{
    bool has_verb = command->arguments & NIC_WITHOUT_VERB;

    for (; *arguments; arguments++) {
        const char *verb = has_verb ? NULL : find_verb(command, *arguments);
        int taken;

        if (verb) {
            options->verb = verb;
            has_verb = true;
            continue;
        }
        taken = take_word(command, options, arguments);
        if (taken < 0)
            return CMD_MISUSED;
        if (taken == 0 && options->device)
            return wrong(command, "unknown word", *arguments);
        if (taken == 0)
            options->device = *arguments; /* "dev" may be left out */
        else
            arguments += taken - 1;
        has_verb = true;
    }
    return CMD_DONE;
}

bool nic_status_parse(const struct nic_command *command, int argument_count, char **arguments,
    struct nic_options *options, enum cmd_status *status)
{
    *options = (struct nic_options){ .verb = command->verbs[0] };
    if (!options_read(command->options, options, argument_count, arguments, status))
        return false;
    *status = take_words(command, arguments + optind, options);
    return *status == CMD_DONE;
}

void nic_status_complete(const struct completion *completion)
{
    const char *before = completion->count ? completion->words[completion->count - 1] : "";
    bool is_port = strcmp(completion->command->name, "port") == 0;
    bool is_stat = strcmp(completion->command->name, "stat") == 0;
    bool is_ev = strcmp(completion->command->name, "ev") == 0;

    if (strcmp(before, "dev") == 0) {
        completion_offer_devices(completion);
        return;
    }
    if (completion->count == 0 && strcmp(completion->command->name, "monitor") != 0)
        completion_offer_all(completion, (const char *const[]){ "show",
                                             is_port   ? "set"
                                             : is_stat ? "list"
                                             : is_ev   ? "deny"
                                                       : NULL,
                                             is_ev ? "allow" : NULL, NULL });
    else
        completion_offer_all(completion, (const char *const[]){ "dev", "qp", "port", NULL });
    if (strcmp(completion->command->name, "dev") == 0 && strcmp(before, "show") == 0)
        completion_offer_devices(completion);
}
