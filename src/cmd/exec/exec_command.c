/* SPDX-License-Identifier: Apache-2.0 */
/* mrc exec: runs an unmodified verbs program over MRC. */
#include <errno.h>
#include <getopt.h>
#include <infiniband/verbs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/options.h"
#include "lab/lab.h"

static const char name[] = "exec";

struct options {
    struct exec_wish wish;
    char devices[1024];
    bool prints;
};

/* ---- devices --------------------------------------------------------------------------------- */

static bool is_there(const char *device, struct ibv_device *const *list)
{
    while (list && *list && strcmp(ibv_get_device_name(*list), device) != 0)
        list++;
    return list && *list;
}

static enum cmd_status complain_device(const char *typed, struct ibv_device *const *list)
{
    char names[256] = "";

    for (size_t length = 0; list && *list && length < sizeof(names) - 80; list++)
        length += (size_t)snprintf(
            names + length, sizeof(names) - length, " %s", ibv_get_device_name(*list));
    if (!names[0])
        return cmd_complain(CMD_FAILED, name,
            "there are no devices; 'mrc fabric run' creates some (mrc_config(5))");
    return cmd_complain(
        CMD_FAILED, name, "there is no device '%s'; the devices are%s", typed, names);
}

static enum cmd_status add_device(
    struct options *options, const char *typed, struct ibv_device *const *list)
{
    size_t length = strlen(options->devices);
    size_t room = sizeof(options->devices) - length;
    char device[DEVICE_NAME_BYTES];

    device_name_find(typed, device);
    if (!is_there(device, list))
        return complain_device(typed, list);
    if ((size_t)snprintf(options->devices + length, room, "%s%s", length ? "," : "", device) >=
        room)
        return cmd_complain(CMD_MISUSED, name, "--nic: too many devices");
    return CMD_DONE;
}

static enum cmd_status add_devices(void *options, char *typed)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    enum cmd_status status = CMD_DONE;
    char *rest;

    for (char *one = strtok_r(typed, ",", &rest); one && status == CMD_DONE;
         one = strtok_r(NULL, ",", &rest))
        status = add_device(options, one, list);
    if (list)
        ibv_free_device_list(list);
    return status;
}

/* ---- options --------------------------------------------------------------------------------- */

static const struct option_row rows[] = {
    { OPTION_CALL, 'n', "nic", "NIC[,NIC]",
        "let PROGRAM see only these devices: mrc0, h0 for NIC h0 of the\n"
        "fabric 'fabric', or lab/h0 for NIC h0 of the fabric 'lab'",
        .read = add_devices, .values = OPTION_VALUES_DEVICES },
    { OPTION_FLAG, 0, "preload", NULL, "use LD_PRELOAD instead of LD_LIBRARY_PATH",
        OPTION_AT(struct options, wish.preloads) },
    { OPTION_FLAG, 'p', "print", NULL, "print the variables as shell commands; run nothing",
        OPTION_AT(struct options, prints) },
};

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc exec [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
             "       mrc exec [OPTIONS] --print\n"
             "\n"
             "Runs an unmodified program that uses verbs (libibverbs), such as perftest or NCCL,\n"
             "over MRC.",
    .closing = "  mrc exec --nic h0 -- ib_write_bw &\n"
               "  mrc exec --nic h1 -- ib_write_bw 127.0.0.1",
    .ends_at_word = true,
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* ---- work ------------------------------------------------------------------------------------ */

/* Single quotes protect the value from the shell. */
static void print_variable(const struct exec_variable *variable)
{
    printf("export %s='", variable->name);
    for (const char *c = variable->value; *c; c++)
        fputs(*c == '\'' ? "'\\''" : (char[]){ *c, '\0' }, stdout);
    puts("'");
}

/* Restores SIGPIPE, which mrc ignores, for the program. */
static enum cmd_status run_program(const struct exec_environment *environment, char **program)
{
    for (size_t i = 0; i < environment->count; i++)
        setenv(environment->variables[i].name, environment->variables[i].value, 1);
    signal(SIGPIPE, SIG_DFL);
    execvp(program[0], program);
    return cmd_complain(CMD_FAILED, name, "%s: %s", program[0], strerror(errno));
}

static enum cmd_status run_exec(int argument_count, char **arguments)
{
    static struct exec_environment environment; /* too large for the stack */
    struct options options = { 0 };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (optind == argument_count && !options.prints)
        return cmd_complain(CMD_MISUSED, name, "name a program, e.g. 'mrc exec -- ib_write_bw'");
    options.wish.devices = options.devices;
    if (!exec_environment_find_libraries(options.wish.libraries))
        return cmd_complain(CMD_FAILED, name,
            "libmrc-verbs.so.1 not found, neither next to mrc nor in the library folder");
    exec_environment_make(&environment, &options.wish);
    if (!options.prints)
        return run_program(&environment, &arguments[optind]);
    for (size_t i = 0; i < environment.count; i++)
        print_variable(&environment.variables[i]);
    return CMD_DONE;
}

const struct cmd exec_command = {
    .name = "exec",
    .summary = "run an unmodified verbs program over MRC",
    .run = run_exec,
    .options = &table,
};
