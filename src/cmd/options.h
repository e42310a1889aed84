/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a command as a table. Parsing, --help and completion use it. Every table
 * implicitly has -h and --help. */
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
    OPTION_SIZE,    /* like OPTION_NUMBER; may end in K, M or G */
    OPTION_LIST,    /* appends to a struct option_list; may be repeated */
    OPTION_CALL,    /* calls `read` with the value, or NULL if it takes none */
    OPTION_HEADING, /* not an option: the help prints `help` as a line */
    OPTION_KIND_COUNT,
};

/* The values of an option, for completion. */
enum option_values {
    OPTION_VALUES_FILES,
    OPTION_VALUES_NONE, /* no candidates */
    OPTION_VALUES_DEVICES,
    OPTION_VALUES_FABRICS,
    OPTION_VALUES_PARAMETERS,     /* KEY=VALUE of an experiment */
    OPTION_VALUES_CONTENDERS,     /* of mrc compare, separated by commas */
    OPTION_VALUES_NORMALISATIONS, /* of mrc compare */
    OPTION_VALUES_CONFIGS,        /* formats of mrc plan config */
    OPTION_VALUES_COUNT,
};

struct option_row {
    enum option_kind kind;
    char letter;       /* '\0': none */
    const char *name;  /* without dashes; NULL: only a letter */
    const char *value; /* its placeholder in the help; NULL: the option takes no value */
    const char *help;  /* one or more lines; NULL: an alias that the help omits */
    size_t offset;     /* in the command's options */
    size_t bytes;
    uint64_t least;
    uint64_t most; /* 0: no limit */
    enum cmd_status (*read)(void *options, char *value);
    enum option_values values;
    uint32_t letter_modes; /* modes in which the letter selects this row; 0: all */
};

/* The values of an option that may be repeated. */
#define OPTION_LIST_MAX 64
struct option_list {
    const char *at[OPTION_LIST_MAX];
    uint32_t count;
};

/* .offset and .bytes of a member. */
#define OPTION_AT(type, member)                                                                    \
    .offset = offsetof(type, member), .bytes = sizeof(((type *)0)->member)

struct option_table {
    const char *command; /* "fabric run" */
    const char *intro;   /* usage and purpose, without an empty line at the end */
    const char *closing; /* the help after the options; NULL: nothing */
    const struct option_row *rows;
    size_t count;
    void (*list)(FILE *);  /* prints help before the options; NULL: nothing */
    uint32_t letter_modes; /* the mode of this table, one bit */
    bool ends_at_word;     /* stop at the first word that is not an option */
};

/* Reads the options. The remaining words begin at arguments[optind]. Returns false if the caller is
 * to return *status, after the help or an error message. */
bool options_read(const struct option_table *, void *options, int argument_count, char **arguments,
    enum cmd_status *status);

void options_print_help(const struct option_table *, FILE *);

/* Reads a number as OPTION_NUMBER or OPTION_SIZE does. Returns CMD_MISUSED after an error message.
 * `most` 0: no limit. */
struct option_range {
    uint64_t least;
    uint64_t most;
};
enum cmd_status options_number(const char *command, const char *option, const char *text,
    struct option_range, uint64_t *number);
enum cmd_status options_size(const char *command, const char *option, const char *text,
    struct option_range, uint64_t *number);

/* Returns NULL if the table has no such option. `typed` begins with a dash. */
const struct option_row *options_find(const struct option_table *, const char *typed);
