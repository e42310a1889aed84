/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of mrc, one file each, and what they share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What every subcommand yields, and mrc exits with. */
enum cmd_status {
    CMD_DONE = 0,
    CMD_FAILED = 1,  /* the work could not be done, or what was looked at is wrong */
    CMD_MISUSED = 2, /* the command line is wrong */
};

struct cmd {
    const char *name;
    const char *summary;                                          /* one line, no full stop */
    enum cmd_status (*run)(int argument_count, char **arguments); /* arguments[0]: the name */
};

enum cmd_status cmd_decode(int argument_count, char **arguments);
enum cmd_status cmd_dev(int argument_count, char **arguments);
enum cmd_status cmd_doctor(int argument_count, char **arguments);
enum cmd_status cmd_ev(int argument_count, char **arguments);
enum cmd_status cmd_exec(int argument_count, char **arguments);
enum cmd_status cmd_fabric(int argument_count, char **arguments);
enum cmd_status cmd_monitor(int argument_count, char **arguments);
enum cmd_status cmd_perf(int argument_count, char **arguments);
enum cmd_status cmd_plan(int argument_count, char **arguments);
enum cmd_status cmd_port(int argument_count, char **arguments);
enum cmd_status cmd_qp(int argument_count, char **arguments);
enum cmd_status cmd_report(int argument_count, char **arguments);
enum cmd_status cmd_sim(int argument_count, char **arguments);
enum cmd_status cmd_stat(int argument_count, char **arguments);
enum cmd_status cmd_switch(int argument_count, char **arguments);

/* The verbs of a subcommand. */
struct cmd_verbs {
    const char *name;    /* of the subcommand */
    const char *summary; /* a sentence */
    const struct cmd *verbs;
    size_t count;
};
/* Runs the verb that arguments[1] names, or says which there are. */
enum cmd_status cmd_run_verb(const struct cmd_verbs *, int argument_count, char **arguments);

/* "mrc NAME: ..." on standard error; yields `status`, so that it can be returned. */
__attribute__((format(printf, 3, 4))) enum cmd_status cmd_complain(
    enum cmd_status, const char *name, const char *format, ...);

/* What getopt_long() did not know ('?') or found without its value (':'), told with the word that
 * was meant. For opterr = 0 and short options that begin with ':'; `known` ends with a NULL name.
 */
struct option;
enum cmd_status cmd_complain_option(
    const char *name, int option, char **arguments, const struct option *known);

/* Asked right after printing, so that errno is still that of the write: there is no point in going
 * on. A reader that went away (`| head`) is nothing to complain about, a full disk is. */
bool cmd_output_is_lost(enum cmd_status *, const char *name);

/* Closes standard output; complains if what was still to be written could not be. */
enum cmd_status cmd_finish(enum cmd_status, const char *name);
