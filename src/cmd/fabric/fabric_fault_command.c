/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric fault: injects and ends faults. */
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/completion.h"
#include "cmd/fabric/fabric.h"
#include "cmd/options.h"
#include "control/control.h"
#include "lab/lab.h"

static const char name[] = "fabric fault";

struct options {
    const char *fabric;
};

static const struct option_row rows[] = {
    { OPTION_TEXT, 'n', "name", "NAME", "the fabric (default: fabric)",
        OPTION_AT(struct options, fabric), .values = OPTION_VALUES_FABRICS },
};

static void print_words(FILE *to)
{
    fputs("WHAT and WHERE:  link p0.t0.3-t1.2   port h12.p3   switch p0.t1.2   plane p2   nic h12\n"
          "                 group NAME (a group of failure_groups)\n"
          "                 several parts that fail together: link h0.p0,h1.p0\n"
          "                 ev p0/u3 (packets with this EV, on all links of its plane)\n"
          "HOW:             up (ends all faults of this part)\n",
        to);
    fault_words_print_kinds(to);
    fputs("clear            ends all faults\n"
          "run FILE         injects the faults of a script or experiment, each at its time;\n"
          "                 -s N multiplies all times and durations by N\n"
          "\n",
        to);
}

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc fabric fault [-n NAME] WHAT WHERE HOW [direction up|down] [for TIME]\n"
             "       mrc fabric fault [-n NAME] clear\n"
             "       mrc fabric fault [-n NAME] run [-q] [-s N] FILE",
    .list = print_words,
    .ends_at_word = true,
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static enum cmd_status ask_fabric(const char *fabric, const struct request_line *request)
{
    json_t *answer;
    enum cmd_status status = fabric_ask(fabric, request, &answer);
    const json_t *cleared;

    if (status != CMD_DONE)
        return status;
    cleared = json_object_get(answer, "cleared");
    if (cleared && json_integer_value(cleared) == 0)
        cmd_complain(CMD_DONE, name, "there was no fault to end");
    json_decref(answer);
    return CMD_DONE;
}

static enum cmd_status fabric_fault(int argument_count, char **arguments)
{
    struct options options = { .fabric = "fabric" };
    struct fault_words words = { .rate_bps_min = SOFT_RATE_BPS_MIN };
    char reason[FAULT_WORDS_REASON_BYTES];
    enum cmd_status status;
    struct request_line request;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    words.next = arguments + optind;
    words.left = argument_count - optind;
    if (words.left == 0) {
        options_print_help(&table, stderr);
        return CMD_MISUSED;
    }
    if (strcmp(words.next[0], "run") == 0)
        return fabric_script(options.fabric, words.left, words.next);
    if (strcmp(words.next[0], "clear") == 0 && words.left == 1)
        request_line_begin(&request, "clear all");
    else if (!fault_words_read(&words, &request, reason))
        return cmd_complain(CMD_MISUSED, name, "%s", reason);
    return ask_fabric(options.fabric, &request);
}

/* WHAT WHERE HOW [direction up|down] [for TIME] */
static void complete_fault(const struct completion *completion)
{
    const char *before = completion->count ? completion->words[completion->count - 1] : "";

    if (completion->count > 0 && strcmp(completion->words[0], "run") == 0) {
        if (completion->typed[0] == '-')
            completion_offer_options(completion, &fabric_script_table);
    } else if (completion->count == 0) {
        completion_offer_all(completion, fault_words_first);
    } else if (completion->count == 1) {
        completion_offer_parts(completion, before);
    } else if (completion->count == 2) {
        completion_offer(completion, "up");
        completion_offer_all(completion, fault_kind_words);
    } else if (strcmp(before, "direction") == 0) {
        completion_offer_all(completion, fault_direction_words);
    } else {
        completion_offer_all(completion, (const char *const[]){ "direction", "for", NULL });
    }
}

const struct cmd fabric_fault_command = {
    .name = "fault",
    .summary = "inject or end faults in a running fabric",
    .run = fabric_fault,
    .options = &table,
    .complete = complete_fault,
};
