/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric fault: breaks and repairs. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/fabric.h"
#include "control/control.h"
#include "lab/lab.h"

static const char name[] = "fabric fault";

static void print_usage(FILE *to)
{
    fputs("usage: mrc fabric fault [-n NAME] WHAT WHERE HOW [direction up|down] [for TIME]\n"
          "       mrc fabric fault [-n NAME] clear\n"
          "       mrc fabric fault [-n NAME] run [-q] [-s N] FILE\n"
          "\n"
          "WHAT and WHERE:  link p0.t0.3-t1.2   port h12.p3   switch p0.t1.2   plane p2   nic h12\n"
          "                 group NAME (of failure_groups)\n"
          "                 several that fail together: link h0.p0,h1.p0\n"
          "                 ev p0/u3 (its packets, on the links of plane 0)\n"
          "HOW:             up (ends all faults of this part)\n",
        to);
    fault_words_print_kinds(to);
    fputs("clear            ends all faults\n"
          "run FILE         the faults of a script, or of an experiment, each at its time;\n"
          "                 -s N: N times later and longer\n",
        to);
}

static enum cmd_status ask(const char *fabric, json_t *request)
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

/* "-n NAME" first. */
static const char *take_name(struct fault_words *words)
{
    const char *fabric = "fabric";

    if (words->left >= 2 &&
        (strcmp(words->next[0], "-n") == 0 || strcmp(words->next[0], "--name") == 0)) {
        fabric = words->next[1];
        words->next += 2;
        words->left -= 2;
    }
    return fabric;
}

static bool begins_with(const struct fault_words *words, const char *word, const char *or_this)
{
    return words->left > 0 &&
           (strcmp(words->next[0], word) == 0 || strcmp(words->next[0], or_this) == 0);
}

enum cmd_status fabric_fault(int argument_count, char **arguments)
{
    struct fault_words words = { arguments + 1, argument_count - 1, SOFT_RATE_BPS_MIN };
    const char *fabric = take_name(&words);
    char reason[FAULT_WORDS_REASON_BYTES];
    json_t *request;

    if (words.left == 0 || begins_with(&words, "--help", "-h")) {
        print_usage(words.left == 0 ? stderr : stdout);
        return words.left == 0 ? CMD_MISUSED : CMD_DONE;
    }
    if (begins_with(&words, "run", "run"))
        return fabric_script(fabric, words.left - 1, words.next + 1);
    if (begins_with(&words, "clear", "clear") && words.left == 1)
        return ask(fabric, json_pack("{s:s, s:b}", "do", "clear", "all", 1));
    request = json_object();
    if (fault_words_read(&words, request, reason))
        return ask(fabric, request);
    json_decref(request);
    return cmd_complain(CMD_MISUSED, name, "%s", reason);
}
