/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric record: what has happened to a running fabric, as an experiment for mrc sim. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/fabric.h"
#include "cmd/whole_file.h"
#include "files/files.h"

static const char name[] = "fabric record";

#define AFTERWARDS_PS UINT64_C(1000000000) /* that the experiment goes on after the last change */

struct recording {
    const char *fabric;
    const char *file; /* NULL: standard output */
    uint64_t faster;
    bool clears;
    bool is_json;
    bool wants_help;
    json_t *answer;
};

static void print_usage(FILE *to)
{
    fputs("usage: mrc fabric record [OPTIONS]\n"
          "\n"
          "Writes the faults of a running fabric, with their times, as an experiment for mrc sim.\n"
          "\n"
          "  -n, --name NAME    the fabric (default: fabric)\n"
          "  -o, --output FILE  instead of standard output\n"
          "  -s, --slower N     what the faults were slowed down by: times are divided by N\n"
          "  -c, --clear        begin anew afterwards\n"
          "  -j, --json         faults and events as JSON\n",
        to);
}

/* ---- the file -------------------------------------------------------------------------------- */

static uint64_t number_of(const json_t *of, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(of, key));
}

static const char *text_of(const json_t *of, const char *key)
{
    return json_string_value(json_object_get(of, key));
}

/* The word that it has, or the first of the list. */
static int word_of(const json_t *of, const char *key, const char *const *words)
{
    const char *word = text_of(of, key);
    int number = word ? word_find(words, word) : 0;

    return number < 0 ? 0 : number;
}

static struct fault fault_of(const json_t *json, uint64_t faster)
{
    struct fault fault = { .until_ps = FAULT_NEVER_PS };

    fault.kind = (enum fault_kind)word_of(json, "kind", fault_kind_words);
    fault.direction = (enum fault_direction)word_of(json, "direction", fault_direction_words);
    for (uint32_t i = 0; i < FAULT_PARAMETER_COUNT; i++)
        fault_set(&fault, (enum fault_parameter)i, number_of(json, fault_parameters[i].request));
    fault.period_ps /= faster;
    fault.from_ps = number_of(json, "at_ps") / faster;
    if (json_object_get(json, "until_ps"))
        fault.until_ps = number_of(json, "until_ps") / faster;
    return fault;
}

static void write_fault(FILE *to, const json_t *json, uint64_t faster)
{
    struct fault fault = fault_of(json, faster);
    const json_t *element;
    size_t i;

    fault_write_kind(to, &fault);
    if (text_of(json, "ev"))
        fprintf(to, "    ev: %s\n", text_of(json, "ev"));
    fprintf(to, "    where: [");
    json_array_foreach(json_object_get(json, "where"), i, element)
        fprintf(to, "%s%s", i > 0 ? ", " : "", json_string_value(element));
    fprintf(to, "]\n");
    fault_write_times(to, &fault);
}

/* The fabric's own file, as a part of this one. */
static void write_fabric(FILE *to, const char *text)
{
    fprintf(to, "fabric:\n");
    while (*text) {
        size_t length = strcspn(text, "\n");
        bool is_marker =
            length >= 3 && (memcmp(text, "---", 3) == 0 || memcmp(text, "...", 3) == 0);

        if (!is_marker && length > 0)
            fprintf(to, "  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static uint64_t last_change_ps(const json_t *faults, uint64_t faster)
{
    uint64_t last_ps = 0;
    const json_t *json;
    size_t i;

    json_array_foreach(faults, i, json)
    {
        struct fault fault = fault_of(json, faster);
        uint64_t change_ps = fault.until_ps == FAULT_NEVER_PS ? fault.from_ps : fault.until_ps;

        last_ps = change_ps > last_ps ? change_ps : last_ps;
    }
    return last_ps;
}

static int write_experiment(FILE *to, void *context)
{
    const struct recording *recording = context;
    const json_t *faults = json_object_get(recording->answer, "faults");
    const json_t *json;
    size_t i;

    fprintf(to,
        "# The faults of the fabric '%s' as they happened. The work is an example: say what ran.\n"
        "name: %s\nduration: %" PRIu64 "ps\n",
        recording->fabric, recording->fabric,
        last_change_ps(faults, recording->faster) + AFTERWARDS_PS);
    write_fabric(to, text_of(recording->answer, "fabric"));
    fprintf(to, "workloads:\n  - { kind: permutation, message_bytes: 1MiB }\nfaults:\n");
    json_array_foreach(faults, i, json) write_fault(to, json, recording->faster);
    return ferror(to) ? -EIO : 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum cmd_status write_out(struct recording *recording)
{
    int err = recording->file ? whole_file_write(recording->file, write_experiment, recording)
                              : write_experiment(stdout, recording);

    if (err)
        return cmd_complain(CMD_FAILED, name, "%s: %s",
            recording->file ? recording->file : "standard output", strerror(-err));
    return CMD_DONE;
}

static enum cmd_status check_answer(const struct recording *recording)
{
    if (json_is_true(json_object_get(recording->answer, "cut")))
        cmd_complain(CMD_DONE, name, "there were more faults than a fabric records");
    if (recording->is_json)
        return CMD_DONE;
    if (json_array_size(json_object_get(recording->answer, "faults")) == 0)
        return cmd_complain(CMD_FAILED, name, "there were no faults to record");
    if (!text_of(recording->answer, "fabric")[0])
        return cmd_complain(CMD_FAILED, name, "the fabric does not know its file");
    return CMD_DONE;
}

static enum cmd_status record(struct recording *recording)
{
    enum cmd_status status = fabric_ask(recording->fabric,
        json_pack("{s:s, s:b}", "do", "record", "clear", (int)recording->clears),
        &recording->answer);

    if (status != CMD_DONE)
        return status;
    status = check_answer(recording);
    if (status == CMD_DONE && recording->is_json) {
        json_dumpf(recording->answer, stdout, JSON_INDENT(2));
        putchar('\n');
    } else if (status == CMD_DONE) {
        status = write_out(recording);
    }
    json_decref(recording->answer);
    return status;
}

static enum cmd_status read_option(struct recording *recording, int option)
{
    unsigned long number;

    switch (option) {
    case 'n':
        recording->fabric = optarg;
        break;
    case 'o':
        recording->file = optarg;
        break;
    case 's':
        if (!fabric_number(optarg, 1, 1000000, &number))
            return cmd_complain(CMD_MISUSED, name, "--slower: must be 1 to 1000000");
        recording->faster = number;
        break;
    case 'c':
        recording->clears = true;
        break;
    case 'j':
        recording->is_json = true;
        break;
    default:
        recording->wants_help = true;
        break;
    }
    return CMD_DONE;
}

enum cmd_status fabric_record(int argument_count, char **arguments)
{
    static const struct option known[] = {
        { "name", required_argument, NULL, 'n' },
        { "output", required_argument, NULL, 'o' },
        { "slower", required_argument, NULL, 's' },
        { "clear", no_argument, NULL, 'c' },
        { "json", no_argument, NULL, 'j' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    struct recording recording = { .fabric = "fabric", .faster = 1 };
    enum cmd_status status = CMD_DONE;
    int option;

    optind = 0;
    opterr = 0;
    while (status == CMD_DONE && !recording.wants_help &&
           (option = getopt_long(argument_count, arguments, ":n:o:s:cjh", known, NULL)) != -1)
        status = option == '?' || option == ':'
                     ? cmd_complain_option(name, option, arguments, known)
                     : read_option(&recording, option);
    if (recording.wants_help)
        print_usage(stdout);
    if (status != CMD_DONE || recording.wants_help)
        return status;
    if (optind != argument_count)
        return cmd_complain(CMD_MISUSED, name, "%s: takes no argument", arguments[optind]);
    return record(&recording);
}
