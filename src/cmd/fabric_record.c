/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric record: what has happened to a running fabric, as an experiment for mrc sim. */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/fabric.h"
#include "control/control.h"
#include "files/files.h"

static const char name[] = "fabric record";

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

static int write_experiment(FILE *to, void *context)
{
    const struct recording *recording = context;

    return fault_record_write(to, &(struct fault_record){ .fabric = recording->fabric,
                                      .answer = recording->answer,
                                      .faster = recording->faster });
}

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
    if (!json_string_value(json_object_get(recording->answer, "fabric"))[0])
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
