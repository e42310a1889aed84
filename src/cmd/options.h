/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a command as a table, from which parsing, --help and completion come. Every table
 * has -h and --help without saying so. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/cmd.h"

enum option_kind {
    OPTION_FLAG,    /* sets a bool */
    OPTION_TEXT,    /* sets a const char * */
    OPTION_NUMBER,  /* sets a uint32_t or uint64_t; decimal, or hexadecimal after 0x */
    OPTION_SIZE,    /* the same; may end in K, M or G */
    OPTION_CALL,    /* calls `read` with the value, NULL if it takes none */
    OPTION_HEADING, /* no option: `help` is a line between the options in the help */
    OPTION_KIND_COUNT,
};

/* What the value of an option can be, for completion. */
enum option_values {
    OPTION_VALUES_FILES,
    OPTION_VALUES_NONE, /* nothing that could be listed */
    OPTION_VALUES_DEVICES,
    OPTION_VALUES_FABRICS,
    OPTION_VALUES_PARAMETERS, /* KEY=VALUE of an experiment */
    OPTION_VALUES_COUNT,
};

struct option_row {
    enum option_kind kind;
    char letter;       /* '\0': none */
    const char *name;  /* without dashes; NULL: only a letter */
    const char *value; /* what the help calls it; NULL: the option takes none */
    const char *help;  /* one or more lines; NULL: another spelling, which the help leaves out */
    size_t offset;     /* in the command's options */
    size_t bytes;
    uint64_t least;
    uint64_t most; /* 0: no limit */
    enum cmd_status (*read)(void *options, char *value);
    enum option_values values;
    uint32_t letter_modes; /* sets in which the letter means this; 0: all */
};

/* .offset and .bytes of a member. */
#define OPTION_AT(type, member)                                                                    \
    .offset = offsetof(type, member), .bytes = sizeof(((type *)0)->member)

struct option_table {
    const char *command; /* "fabric run" */
    const char *intro;   /* usage and purpose, without an empty line at the end */
    const char *closing; /* what follows the options in the help; NULL: nothing */
    const struct option_row *rows;
    size_t count;
    void (*list)(FILE *);  /* more of the help, in front of the options; NULL: nothing */
    uint32_t letter_modes; /* one bit, for the rows */
    bool ends_at_word;     /* what follows the first word is not for this command */
};

/* Fills in the command's options; words are then arguments[optind] and on. False: there is nothing
 * more to do than to return *status, after the help or a complaint. */
bool options_read(const struct option_table *, void *options, int argument_count, char **arguments,
    enum cmd_status *status);

void options_print_help(const struct option_table *, FILE *);

/* A number as OPTION_NUMBER or OPTION_SIZE takes it; complains and returns CMD_MISUSED. `most` 0:
 * no limit. */
struct option_range {
    uint64_t least;
    uint64_t most;
};
enum cmd_status options_number(const char *command, const char *option, const char *text,
    struct option_range, uint64_t *number);
enum cmd_status options_size(const char *command, const char *option, const char *text,
    struct option_range, uint64_t *number);

/* NULL: the table has no such option. `typed` begins with a dash. */
const struct option_row *options_find(const struct option_table *, const char *typed);
