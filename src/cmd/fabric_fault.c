/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric fault: breaks and repairs. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/fabric.h"
#include "files/files.h"
#include "lab/lab.h"

static const char name[] = "fabric fault";

static void print_usage(FILE *to)
{
    fputs("usage: mrc fabric fault [-n NAME] WHAT WHERE HOW [for TIME]\n"
          "       mrc fabric fault [-n NAME] clear\n"
          "       mrc fabric fault [-n NAME] run [-q] [-s N] FILE\n"
          "\n"
          "WHAT and WHERE:  link p0.t0.3-t1.2   port h12.p3   switch p0.t1.2   plane p2   nic h12\n"
          "                 ev p0/u3 (its packets, on the links of plane 0)\n"
          "HOW:             down, blackhole, up (ends all faults of this part)\n"
          "                 flap PERIOD SHARE     flap 10ms 50%\n"
          "                 loss SHARE            loss 1%\n"
          "                 corrupt SHARE\n"
          "                 slow RATE             slow 10Gb/s\n"
          "clear            ends all faults\n"
          "run FILE         the faults of a script, or of an experiment, each at its time;\n"
          "                 -s N: N times later and longer\n",
        to);
}

/* Takes words from the command line. */
struct words {
    char **next;
    int left;
};

static const char *next_word(struct words *words)
{
    if (words->left == 0)
        return NULL;
    words->left--;
    return *words->next++;
}

/* A word of a list, or the one that was meant, or all of them. */
static enum cmd_status check_word(const char *word, const char *const *known, const char *list)
{
    size_t count = 0;
    const char *meant;

    for (; known[count]; count++)
        if (word && strcmp(word, known[count]) == 0)
            return CMD_DONE;
    meant = word ? nearest_word(word, known, count) : NULL;
    if (meant)
        return cmd_complain(CMD_MISUSED, name, "%s: did you mean '%s'?", word, meant);
    return cmd_complain(CMD_MISUSED, name, "%s: must be %s", word ? word : "(nothing)", list);
}

/* ---- how ------------------------------------------------------------------------------------- */

static enum cmd_status take(struct words *words, const char *what, enum quantity_kind kind,
    uint64_t divisor, json_t *request, const char *key)
{
    const char *word = next_word(words);
    uint64_t value;

    if (!word || quantity_parse(kind, word, &value) != QUANTITY_OK)
        return cmd_complain(CMD_MISUSED, name, "%s %s: must be %s", what, word ? word : "(nothing)",
            quantity_example(kind));
    json_object_set_new(request, key, json_integer((json_int_t)(value / divisor)));
    return CMD_DONE;
}

static enum cmd_status read_rate(struct words *words, json_t *request)
{
    enum cmd_status status = take(words, "slow", QUANTITY_RATE, 1, request, "rate_bps");

    if (status == CMD_DONE &&
        json_integer_value(json_object_get(request, "rate_bps")) < SOFT_RATE_BPS_MIN)
        return cmd_complain(
            CMD_MISUSED, name, "slow: at least 1Mb/s; 'blackhole' carries nothing at all");
    return status;
}

static enum cmd_status read_flap(struct words *words, json_t *request)
{
    enum cmd_status status = take(words, "flap", QUANTITY_TIME, 1000, request, "period_ns");

    return status == CMD_DONE ? take(words, "flap", QUANTITY_PERMILLE, 1, request, "duty_permille")
                              : status;
}

static enum cmd_status read_how(struct words *words, const char *how, json_t *request)
{
    static const char *const known[] = { "down", "up", "flap", "blackhole", "loss", "corrupt",
        "slow", NULL };
    enum cmd_status status =
        check_word(how, known, "down, up, flap, blackhole, loss, corrupt or slow");

    if (status != CMD_DONE)
        return status;
    if (strcmp(how, "loss") == 0 || strcmp(how, "corrupt") == 0)
        return take(words, how, QUANTITY_FRACTION, 1, request, "probability");
    if (strcmp(how, "slow") == 0)
        return read_rate(words, request);
    return strcmp(how, "flap") == 0 ? read_flap(words, request) : CMD_DONE;
}

static enum cmd_status read_duration(struct words *words, const char *how, json_t *request)
{
    const char *word = next_word(words);
    enum cmd_status status;

    if (!word)
        return CMD_DONE;
    if (strcmp(word, "for") != 0)
        return cmd_complain(CMD_MISUSED, name, "%s: only 'for TIME' may follow", word);
    if (strcmp(how, "up") == 0)
        return cmd_complain(CMD_MISUSED, name, "up: has no duration; leave out 'for'");
    status = take(words, "for", QUANTITY_TIME, 1000, request, "for_ns");
    word = next_word(words);
    return status == CMD_DONE && word
               ? cmd_complain(CMD_MISUSED, name, "%s: nothing may follow the time", word)
               : status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static enum cmd_status read_request(struct words *words, json_t *request)
{
    static const char *const known[] = { "link", "port", "switch", "plane", "nic", "ev", "clear",
        "run", NULL };
    const char *what = next_word(words);
    enum cmd_status status =
        check_word(what, known, "link, port, switch, plane, nic, ev, clear or run");
    const char *where;
    const char *how;

    if (status != CMD_DONE)
        return status;
    where = next_word(words);
    how = next_word(words);
    if (!where || !how)
        return cmd_complain(CMD_MISUSED, name, "say where and how; see 'mrc fabric fault --help'");
    status = read_how(words, how, request);
    if (status == CMD_DONE)
        status = read_duration(words, how, request);
    json_object_set_new(request, "do", json_string(strcmp(how, "up") == 0 ? "clear" : "fault"));
    if (strcmp(what, "ev") == 0) {
        json_object_set_new(request, "ev", json_string(where));
    } else {
        json_object_set_new(request, "what", json_string(what));
        json_object_set_new(request, "where", json_string(where));
    }
    json_object_set_new(request, "kind", json_string(how));
    return status;
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
static const char *take_name(struct words *words)
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

static bool begins_with(const struct words *words, const char *word, const char *or_this)
{
    return words->left > 0 &&
           (strcmp(words->next[0], word) == 0 || strcmp(words->next[0], or_this) == 0);
}

enum cmd_status fabric_fault(int argument_count, char **arguments)
{
    struct words words = { arguments + 1, argument_count - 1 };
    const char *fabric = take_name(&words);
    json_t *request;
    enum cmd_status status;

    if (words.left == 0 || begins_with(&words, "--help", "-h")) {
        print_usage(words.left == 0 ? stderr : stdout);
        return words.left == 0 ? CMD_MISUSED : CMD_DONE;
    }
    if (begins_with(&words, "run", "run"))
        return fabric_script(fabric, words.left - 1, words.next + 1);
    if (begins_with(&words, "clear", "clear") && words.left == 1)
        return ask(fabric, json_pack("{s:s, s:b}", "do", "clear", "all", 1));
    request = json_object();
    status = read_request(&words, request);
    if (status == CMD_DONE)
        return ask(fabric, request);
    json_decref(request);
    return status;
}
