/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric fault: breaks and repairs. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/fabric.h"
#include "files/files.h"

static const char name[] = "fabric fault";

static void print_usage(FILE *to)
{
    fputs("usage: mrc fabric fault [-n NAME] WHAT WHERE HOW [for TIME]\n"
          "       mrc fabric fault [-n NAME] clear\n"
          "\n"
          "WHAT and WHERE:  link p0.t0.3-t1.2   port h12.p3   switch p0.t1.2   plane p2   nic h12\n"
          "                 ev p0/u3 (its packets, on the uplinks of plane 0)\n"
          "HOW:             down, blackhole, up (ends all faults of this part)\n"
          "                 flap PERIOD SHARE     flap 10ms 50%\n"
          "                 loss SHARE            loss 1%\n"
          "                 corrupt SHARE\n"
          "                 slow RATE             slow 10Gb/s\n"
          "clear            ends all faults\n",
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

#define RATE_BPS_MIN 1000000

static enum cmd_status read_rate(struct words *words, json_t *request)
{
    enum cmd_status status = take(words, "slow", QUANTITY_RATE, 1, request, "rate_bps");

    if (status == CMD_DONE &&
        json_integer_value(json_object_get(request, "rate_bps")) < RATE_BPS_MIN)
        return cmd_complain(
            CMD_MISUSED, name, "slow: at least 1Mb/s; 'blackhole' carries nothing at all");
    return status;
}

static enum cmd_status read_details(struct words *words, const char *how, json_t *request)
{
    enum cmd_status status;

    if (strcmp(how, "loss") == 0 || strcmp(how, "corrupt") == 0)
        return take(words, how, QUANTITY_FRACTION, 1, request, "probability");
    if (strcmp(how, "slow") == 0)
        return read_rate(words, request);
    if (strcmp(how, "flap") == 0) {
        status = take(words, "flap", QUANTITY_TIME, 1000, request, "period_ns");
        return status == CMD_DONE
                   ? take(words, "flap", QUANTITY_PERMILLE, 1, request, "duty_permille")
                   : status;
    }
    if (strcmp(how, "down") == 0 || strcmp(how, "blackhole") == 0 || strcmp(how, "up") == 0)
        return CMD_DONE;
    return cmd_complain(
        CMD_MISUSED, name, "%s: must be down, up, flap, blackhole, loss, corrupt or slow", how);
}

static enum cmd_status read_duration(struct words *words, json_t *request)
{
    const char *word = next_word(words);

    if (!word)
        return CMD_DONE;
    if (strcmp(word, "for") != 0)
        return cmd_complain(CMD_MISUSED, name, "%s: only 'for TIME' may follow", word);
    return take(words, "for", QUANTITY_TIME, 1000, request, "for_ns");
}

/* EV p0/u3 is said as the plane, and the EV's number. */
static enum cmd_status read_place(const char *what, const char *where, json_t *request)
{
    unsigned int plane;
    unsigned int uplink;
    char plane_name[16];
    int used = 0;

    if (strcmp(what, "ev") != 0) {
        json_object_set_new(request, "where", json_string(where));
        return CMD_DONE;
    }
    if (sscanf(where, "p%u/u%u%n", &plane, &uplink, &used) != 2 || where[used] != '\0' ||
        uplink > 511)
        return cmd_complain(CMD_MISUSED, name, "ev %s: must look like p0/u3", where);
    snprintf(plane_name, sizeof(plane_name), "p%u", plane);
    json_object_set_new(request, "where", json_string(plane_name));
    json_object_set_new(request, "ev", json_integer(plane << 8 | uplink));
    return CMD_DONE;
}

static bool is_kind(const char *what)
{
    static const char *const kinds[] = { "link", "port", "switch", "plane", "nic", "ev" };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(what, kinds[i]) == 0)
            return true;
    return false;
}

static enum cmd_status read_request(struct words *words, json_t *request)
{
    const char *what = next_word(words);
    const char *where = next_word(words);
    const char *how = next_word(words);
    bool clears = what && strcmp(what, "clear") == 0 && !where;
    enum cmd_status status;

    if (clears) {
        json_object_set_new(request, "do", json_string("clear"));
        json_object_set_new(request, "all", json_true());
        return CMD_DONE;
    }
    if (!what || !is_kind(what))
        return cmd_complain(CMD_MISUSED, name,
            "%s: must be link, port, switch, plane, nic, ev or clear", what ? what : "(nothing)");
    if (!where || !how)
        return cmd_complain(CMD_MISUSED, name, "say where and how; see 'mrc fabric fault --help'");
    status = read_place(what, where, request);
    if (status == CMD_DONE)
        status = read_details(words, how, request);
    if (status == CMD_DONE)
        status = read_duration(words, request);
    json_object_set_new(request, "do", json_string(strcmp(how, "up") == 0 ? "clear" : "fault"));
    json_object_set_new(request, "kind", json_string(how));
    return status;
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

static bool asks_for_help(const struct words *words)
{
    return words->left > 0 &&
           (strcmp(words->next[0], "--help") == 0 || strcmp(words->next[0], "-h") == 0);
}

enum cmd_status fabric_fault(int argument_count, char **arguments)
{
    struct words words = { arguments + 1, argument_count - 1 };
    const char *fabric = take_name(&words);
    json_t *request;
    json_t *answer;
    enum cmd_status status;

    if (words.left == 0 || asks_for_help(&words)) {
        print_usage(words.left == 0 ? stderr : stdout);
        return words.left == 0 ? CMD_MISUSED : CMD_DONE;
    }
    request = json_object();
    status = read_request(&words, request);
    if (status != CMD_DONE) {
        json_decref(request);
        return status;
    }
    status = fabric_ask(fabric, request, &answer);
    if (status == CMD_DONE)
        json_decref(answer);
    return status;
}
