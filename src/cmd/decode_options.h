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
    uint32_t port_count; /* --udp-port so far */
    bool shows_foreign;
    bool skips_icrc;
    uint64_t count_max;
    const char *write_path; /* NULL: writes no capture */
    char **files;
    int file_count; /* 0: standard input */
};

extern const struct option_table decode_option_table;

/* As options_read() does, and checks what goes together. */
bool decode_options_read(
    struct decode_options *, int argument_count, char **arguments, enum cmd_status *);
