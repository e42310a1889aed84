/* SPDX-License-Identifier: Apache-2.0 */
/* Moves a process to the background. */
#include "lab/background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void take_end(struct background *background, pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    background->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (WIFSIGNALED(status))
        snprintf(background->reason, sizeof(background->reason), "killed: %s",
            strsignal(WTERMSIG(status)));
}

/* The child writes a byte when it is ready, and the pipe closes when it ends. */
static void await_child(struct background *background, int pipe, pid_t child)
{
    char byte;
    ssize_t got;

    do
        got = read(pipe, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got != 1)
        take_end(background, child);
}

static bool note_failure(struct background *background, const char *what)
{
    background->exit_status = 1;
    snprintf(background->reason, sizeof(background->reason), "%s: %s", what, strerror(errno));
    return false;
}

bool background_fork(struct background *background)
{
    int ends[2];
    pid_t child;

    *background = (struct background){ .ready = -1 };
    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return note_failure(background, "pipe");
    child = fork();
    if (child == 0) {
        close(ends[0]);
        background->ready = ends[1];
        return true;
    }
    if (child < 0)
        note_failure(background, "fork");
    close(ends[1]);
    if (child > 0)
        await_child(background, ends[0], child);
    close(ends[0]);
    return false;
}

static void replace_fd(int from, int to)
{
    if (from < 0)
        return;
    dup2(from, to);
    close(from);
}

void background_detach(const struct background *background, const char *root, const char *name)
{
    char log[512];

    snprintf(log, sizeof(log), "%s/%s/log", root, name);
    setsid();
    replace_fd(open("/dev/null", O_RDONLY), STDIN_FILENO);
    replace_fd(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    replace_fd(open(log, O_WRONLY | O_CREAT | O_APPEND, 0600), STDERR_FILENO);
    if (write(background->ready, "r", 1) < 0)
        return; /* the parent has ended */
    close(background->ready);
}
