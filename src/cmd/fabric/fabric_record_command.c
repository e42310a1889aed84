/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric record: writes the faults of a running fabric as an experiment for mrc sim. */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/fabric/fabric.h"
#include "cmd/options.h"
#include "control/control.h"
#include "files/files.h"

static const char name[] = "fabric record";

struct recording {
    const char *fabric;
    const char *file; /* NULL: standard output */
    uint64_t faster;
    bool clears;
    bool is_json;
    json_t *answer;
};

#define AT(member) OPTION_AT(struct recording, member)

static const struct option_row rows[] = {
    { OPTION_TEXT, 'n', "name", "NAME", "the fabric (default: fabric)", AT(fabric),
        .values = OPTION_VALUES_FABRICS },
    { OPTION_TEXT, 'o', "output", "FILE", "write to FILE instead of standard output", AT(file) },
    { OPTION_NUMBER, 's', "slower", "N",
        "divide times by N, for a script that was slowed down by N", AT(faster), .least = 1,
        .most = 1000000 },
    { OPTION_FLAG, 'c', "clear", NULL, "clear the record after writing it", AT(clears) },
    { OPTION_FLAG, 'j', "json", NULL, "write faults and events as JSON", AT(is_json) },
};

static const struct option_table table = {
    .command = name,
    .intro =
        "usage: mrc fabric record [OPTIONS]\n"
        "\n"
        "Writes the faults of a running fabric, with their times, as an experiment for mrc sim.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

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
        cmd_complain(CMD_DONE, name, "the record is full; later faults are missing");
    if (recording->is_json)
        return CMD_DONE;
    if (json_array_size(json_object_get(recording->answer, "faults")) == 0)
        return cmd_complain(CMD_FAILED, name, "the fabric has recorded no faults");
    if (!json_string_value(json_object_get(recording->answer, "fabric"))[0])
        return cmd_complain(CMD_FAILED, name, "the fabric has no name of a fabric file");
    return CMD_DONE;
}

static enum cmd_status write_record(struct recording *recording)
{
    enum cmd_status status = fabric_ask_word(
        recording->fabric, recording->clears ? "record clear" : "record", &recording->answer);

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

static enum cmd_status fabric_record(int argument_count, char **arguments)
{
    struct recording recording = { .fabric = "fabric", .faster = 1 };
    enum cmd_status status;

    if (!options_read(&table, &recording, argument_count, arguments, &status))
        return status;
    if (optind != argument_count)
        return cmd_complain(CMD_MISUSED, name, "%s: takes no argument", arguments[optind]);
    return write_record(&recording);
}

const struct cmd fabric_record_command = {
    .name = "record",
    .summary = "write the faults of a running fabric as an experiment",
    .run = fabric_record,
    .options = &table,
};
