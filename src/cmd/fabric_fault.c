/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric fault: breaks and repairs. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/fabric.h"
#include "files/files.h"
#include "lab/lab.h"
#include "network/network.h"

static const char name[] = "fabric fault";

/* A kind of fault with its parameters: "flap PERIOD SHARE     flap 10ms 50%". */
static void print_kind(FILE *to, enum fault_kind kind)
{
    char form[48];
    char example[48];
    size_t form_length = (size_t)snprintf(form, sizeof(form), "%s", fault_kind_words[kind]);
    size_t length = (size_t)snprintf(example, sizeof(example), "%s", fault_kind_words[kind]);

    for (uint32_t i = 0; i < FAULT_PARAMETER_COUNT; i++) {
        if (!fault_kind_has(kind, (enum fault_parameter)i))
            continue;
        form_length += (size_t)snprintf(
            form + form_length, sizeof(form) - form_length, " %s", fault_parameters[i].form);
        length += (size_t)snprintf(
            example + length, sizeof(example) - length, " %s", fault_parameters[i].example);
    }
    if (fault_kinds[kind].needs == 0)
        fprintf(to, "                 %s\n", form);
    else
        fprintf(to, "                 %-21s %s\n", form, example);
}

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
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++)
        print_kind(to, (enum fault_kind)kind);
    fputs("clear            ends all faults\n"
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

/* A word of a list that ends with NULL, or the one that was meant, or all of them. */
static enum cmd_status check_word(const char *word, const char *const *known)
{
    const char *meant = word ? word_nearest(known, word) : NULL;
    char list[160];

    if (word && word_find(known, word) >= 0)
        return CMD_DONE;
    if (meant)
        return cmd_complain(CMD_MISUSED, name, "%s: did you mean '%s'?", word, meant);
    word_list(known, list, sizeof(list));
    return cmd_complain(CMD_MISUSED, name, "%s: must be %s", word ? word : "(nothing)", list);
}

/* ---- how ------------------------------------------------------------------------------------- */

static const enum quantity_kind quantities[FAULT_QUANTITY_COUNT] = {
    [FAULT_QUANTITY_FRACTION] = QUANTITY_FRACTION,
    [FAULT_QUANTITY_BIT_RATE] = QUANTITY_RATE,
    [FAULT_QUANTITY_TIME] = QUANTITY_TIME,
    [FAULT_QUANTITY_PERMILLE] = QUANTITY_PERMILLE,
};

static enum cmd_status take(struct words *words, const char *what, enum quantity_kind kind,
    json_t *request, const char *key)
{
    const char *word = next_word(words);
    uint64_t value;

    if (!word || quantity_parse(kind, word, &value) != QUANTITY_OK)
        return cmd_complain(CMD_MISUSED, name, "%s %s: must be %s", what, word ? word : "(nothing)",
            quantity_example(kind));
    json_object_set_new(request, key, json_integer((json_int_t)value));
    return CMD_DONE;
}

static enum cmd_status check_rate(const json_t *request)
{
    const json_t *rate_bps = json_object_get(request, fault_parameters[FAULT_RATE].request);

    if (rate_bps && json_integer_value(rate_bps) < SOFT_RATE_BPS_MIN)
        return cmd_complain(
            CMD_MISUSED, name, "slow: at least 1Mb/s; 'blackhole' carries nothing at all");
    return CMD_DONE;
}

static bool is_end(const struct words *words)
{
    return words->left == 0 || strcmp(*words->next, "for") == 0 ||
           strcmp(*words->next, "direction") == 0;
}

/* What the kind needs, and what it may have if it follows. */
static enum cmd_status read_parameters(struct words *words, enum fault_kind kind, json_t *request)
{
    enum cmd_status status = CMD_DONE;

    for (uint32_t i = 0; i < FAULT_PARAMETER_COUNT && status == CMD_DONE; i++) {
        enum fault_parameter parameter = (enum fault_parameter)i;

        if (fault_kind_needs(kind, parameter) ||
            (fault_kind_has(kind, parameter) && !is_end(words)))
            status = take(words, fault_kind_words[kind], quantities[fault_parameters[i].quantity],
                request, fault_parameters[i].request);
    }
    return status == CMD_DONE ? check_rate(request) : status;
}

static enum cmd_status read_how(struct words *words, const char *how, json_t *request)
{
    const char *known[FAULT_KIND_COUNT + 2];
    enum cmd_status status;

    memcpy(known, fault_kind_words, sizeof(fault_kind_words));
    known[FAULT_KIND_COUNT] = "up";
    known[FAULT_KIND_COUNT + 1] = NULL;
    status = check_word(how, known);
    if (status != CMD_DONE || strcmp(how, "up") == 0)
        return status;
    return read_parameters(words, (enum fault_kind)word_find(known, how), request);
}

static enum cmd_status read_direction(struct words *words, json_t *request)
{
    const char *word = next_word(words);

    json_object_set_new(request, "direction", json_string(word ? word : ""));
    return check_word(word, fault_direction_words);
}

/* "direction up", "for 2s" */
static enum cmd_status read_rest(struct words *words, const char *how, json_t *request)
{
    enum cmd_status status = CMD_DONE;
    const char *word;

    while (status == CMD_DONE && (word = next_word(words))) {
        if (json_object_get(request, "for_ps"))
            return cmd_complain(CMD_MISUSED, name, "%s: nothing may follow the time", word);
        if (strcmp(word, "for") != 0 && strcmp(word, "direction") != 0)
            return cmd_complain(CMD_MISUSED, name,
                "%s: only 'direction up' or 'down' and 'for TIME' may follow", word);
        if (strcmp(how, "up") == 0)
            return cmd_complain(
                CMD_MISUSED, name, "up: has no duration and no direction; leave out '%s'", word);
        status = strcmp(word, "for") == 0 ? take(words, "for", QUANTITY_TIME, request, "for_ps")
                                          : read_direction(words, request);
    }
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* "h0.p0,h1.p0" */
static json_t *split(const char *names)
{
    json_t *list = json_array();

    while (*names) {
        size_t length = strcspn(names, ",");

        json_array_append_new(list, json_stringn(names, length));
        names += length + (names[length] == ',');
    }
    return list;
}

static enum cmd_status read_request(struct words *words, json_t *request)
{
    static const char *const known[] = { "link", "port", "switch", "plane", "nic", "group", "ev",
        "clear", "run", NULL };
    const char *what = next_word(words);
    enum cmd_status status = check_word(what, known);
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
        status = read_rest(words, how, request);
    json_object_set_new(request, "do", json_string(strcmp(how, "up") == 0 ? "clear" : "fault"));
    if (strcmp(what, "ev") == 0) {
        json_object_set_new(request, "ev", json_string(where));
    } else {
        json_object_set_new(request, "what", json_string(what));
        json_object_set_new(request, "where", split(where));
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
