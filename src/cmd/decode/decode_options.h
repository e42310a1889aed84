/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of mrc decode. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cmd/options.h"
#include "wire/format.h"

enum decode_form {
    DECODE_LINES,
    DECODE_TREE,
    DECODE_JSON,
};

struct decode_options {
    enum decode_form form;
    struct wire_format format;
    uint32_t port_count; /* the number of --udp-port options read so far */
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
