/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of mrc decode. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cmd/cmd.h"
#include "wire/format.h"

enum decode_form {
    DECODE_LINES,
    DECODE_TREE,
    DECODE_JSON,
};

struct decode_options {
    enum decode_form form;
    struct wire_format format;
    bool wants_help; /* nothing else, then */
    bool shows_foreign;
    bool skips_icrc;
    uint64_t count_max;
    const char *write_path; /* NULL: writes no capture */
    char **files;
    int file_count; /* 0: standard input */
};

/* CMD_DONE, or CMD_MISUSED after saying what is wrong. */
enum cmd_status decode_options_read(struct decode_options *, int argument_count, char **arguments);

void decode_options_print_help(void);
