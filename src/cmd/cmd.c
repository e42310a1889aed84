/* SPDX-License-Identifier: Apache-2.0 */
/* What subcommands share. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum cmd_status cmd_complain(enum cmd_status status, const char *name, const char *format, ...)
{
    va_list arguments;

    fflush(stdout); /* what was said before comes before */
    fprintf(stderr, "mrc%s%s: ", *name ? " " : "", name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return status;
}

enum cmd_status cmd_finish(enum cmd_status status, const char *name)
{
    bool was_lost = ferror(stdout);

    if (fclose(stdout) == 0 || was_lost || errno == EPIPE)
        return status;
    return cmd_complain(CMD_FAILED, name, "standard output: %s", strerror(errno));
}

bool cmd_output_is_lost(enum cmd_status *status, const char *name)
{
    if (!ferror(stdout))
        return false;
    if (errno != EPIPE)
        *status = cmd_complain(CMD_FAILED, name, "standard output: %s", strerror(errno));
    return true;
}
