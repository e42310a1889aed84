/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of mrc, one file each, and what they share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What every subcommand returns, and mrc exits with. */
enum cmd_status {
    CMD_DONE = 0,
    CMD_FAILED = 1,  /* the work could not be done, or what was looked at is wrong */
    CMD_MISUSED = 2, /* the command line is wrong */
};

struct completion;
struct option_table;

struct cmd {
    const char *name;
    const char *summary; /* one line, no full stop */
    /* arguments[0]: the name */
    enum cmd_status (*run)(int argument_count, char **arguments);
    const struct option_table *options;
    /* Offers what a word that is no option can be; NULL: the name of a file. */
    void (*complete)(const struct completion *);
    const struct cmd *const *verbs; /* instead of all these; ends with NULL */
    const char *purpose;            /* a sentence, of a command with verbs */
};

/* All commands, in the order of commands.def; ends with NULL. */
extern const struct cmd *const commands[];

/* Runs the verb that arguments[1] names, or says which there are. */
enum cmd_status cmd_run_verb(const struct cmd *, int argument_count, char **arguments);

/* "mrc NAME: ..." on standard error; returns `status`. */
__attribute__((format(printf, 3, 4))) enum cmd_status cmd_complain(
    enum cmd_status, const char *name, const char *format, ...);

/* Asked right after printing, so that errno is still that of the write: there is no point in going
 * on. A reader that went away (`| head`) is nothing to complain about, a full disk is. */
bool cmd_output_is_lost(enum cmd_status *, const char *name);

/* Closes standard output; complains if what was still to be written could not be. */
enum cmd_status cmd_finish(enum cmd_status, const char *name);
