/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of mrc, one file each, and the functions that they share. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* The result of a subcommand and the exit status of mrc. */
enum cmd_status {
    CMD_DONE = 0,
    CMD_FAILED = 1,  /* the work failed, or the input that was examined is wrong */
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
    /* Offers candidates for a word that is not an option. NULL: files. */
    void (*complete)(const struct completion *);
    const struct cmd *const *verbs; /* replaces `run`, `options` and `complete`; ends with NULL */
    const struct cmd *usual_verb;   /* if an option comes first; NULL: none */
    const char *purpose;            /* a sentence; only for commands with verbs */
};

/* The name of the program in messages: mrc or mrcd. */
extern const char cmd_program[];

/* All commands, in the order of commands.def; ends with NULL. */
extern const struct cmd *const commands[];

/* Runs the verb that arguments[1] names, or lists the verbs. */
enum cmd_status cmd_run_verb(const struct cmd *, int argument_count, char **arguments);

/* Makes SIGINT and SIGTERM set the returned variable. `flags`: of sigaction(2), such as
 * SA_RESETHAND, with which only the first signal is caught. */
const volatile sig_atomic_t *cmd_catch_interrupts(int flags);

/* Prints "mrc NAME: ..." to standard error and returns `status`. */
__attribute__((format(printf, 3, 4))) enum cmd_status cmd_complain(
    enum cmd_status, const char *name, const char *format, ...);

/* Returns true if a write to standard output has failed, so that the caller can stop. Call it right
 * after printing, while errno is that of the write. A closed pipe (`| head`) is not reported; other
 * errors, such as a full disk, are. */
bool cmd_output_is_lost(enum cmd_status *, const char *name);

/* Closes standard output. Reports an error if buffered output cannot be written. */
enum cmd_status cmd_finish(enum cmd_status, const char *name);
