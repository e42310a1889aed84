/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of mrc decode. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cmd/format_options.h"

enum decode_form {
    DECODE_LINES,
    DECODE_TREE,
    DECODE_JSON,
};

struct decode_options {
    struct format_options wire; /* first */
    enum decode_form form;
    bool shows_foreign;
    bool skips_icrc;
    uint64_t count_max;
    const char *write_path; /* NULL: no capture is written */
    char **files;
    int file_count; /* 0: standard input */
};

extern const struct option_table decode_option_table;

/* Like options_read(). Also checks combinations of options. */
bool decode_options_read(
    struct decode_options *, int argument_count, char **arguments, enum cmd_status *);
