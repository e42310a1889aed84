/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that all subcommands share. */
#include "cmd/cmd.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum cmd_status cmd_complain(enum cmd_status status, const char *name, const char *format, ...)
{
    va_list arguments;

    fflush(stdout); /* keep the order of messages and output */
    fprintf(stderr, "%s%s%s: ", cmd_program, *name ? " " : "", name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return status;
}

/* Returns true if standard output is a pipe without a reader. */
static bool reader_is_gone(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

    return poll(&out, 1, 0) == 1 && out.revents & (POLLERR | POLLHUP);
}

enum cmd_status cmd_finish(enum cmd_status status, const char *name)
{
    bool was_lost = ferror(stdout);
    bool is_lost = fflush(stdout) != 0 || was_lost;
    int err = errno;

    if (!is_lost) {
        is_lost = fclose(stdout) != 0;
        err = errno;
    }
    if (!is_lost || reader_is_gone() || (was_lost && status != CMD_DONE))
        return status;
    return cmd_complain(CMD_FAILED, name, "standard output: %s",
        was_lost ? "not everything could be written" : strerror(err));
}

bool cmd_output_is_lost(enum cmd_status *status, const char *name)
{
    if (!ferror(stdout))
        return false;
    if (errno != EPIPE)
        *status = cmd_complain(CMD_FAILED, name, "standard output: %s", strerror(errno));
    return true;
}

static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
}

const volatile sig_atomic_t *cmd_catch_interrupts(int flags)
{
    struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = flags };

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &is_interrupted;
}
