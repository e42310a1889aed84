/* SPDX-License-Identifier: Apache-2.0 */
/* Going on in the background. */
#include "cmd/background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static enum cmd_status status_of(const char *command, pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status))
        return cmd_complain(CMD_FAILED, command, "killed: %s", strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status) == CMD_MISUSED ? CMD_MISUSED : CMD_FAILED;
}

/* A byte comes when the child is ready, the end of the pipe when it has ended. */
static enum cmd_status await(const char *command, int pipe, pid_t child)
{
    char byte;
    ssize_t got;

    do
        got = read(pipe, &byte, 1);
    while (got < 0 && errno == EINTR);
    close(pipe);
    return got == 1 ? CMD_DONE : status_of(command, child);
}

bool background_fork(const char *command, int *ready, enum cmd_status *status)
{
    int ends[2];
    pid_t child;

    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        *status = cmd_complain(CMD_FAILED, command, "pipe: %s", strerror(errno));
        return false;
    }
    child = fork();
    if (child == 0) {
        close(ends[0]);
        *ready = ends[1];
        return true;
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        *status = cmd_complain(CMD_FAILED, command, "fork: %s", strerror(errno));
    } else {
        *status = await(command, ends[0], child);
    }
    return false;
}

static void replace(int from, int to)
{
    if (from < 0)
        return;
    dup2(from, to);
    close(from);
}

void background_detach(int ready, const char *root, const char *name)
{
    char log[512];

    snprintf(log, sizeof(log), "%s/%s/log", root, name);
    setsid();
    replace(open("/dev/null", O_RDONLY), STDIN_FILENO);
    replace(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    replace(open(log, O_WRONLY | O_CREAT | O_APPEND, 0600), STDERR_FILENO);
    if (write(ready, "r", 1) < 0)
        return; /* the parent has gone */
    close(ready);
}
