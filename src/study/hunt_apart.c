/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a case in a separate process, so that a failing assert is an ordinary outcome. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "study/hunt.h"

enum { GUARD_SECONDS = 300 }; /* a run takes less than a second; after this time it hangs */

static _Noreturn void be_the_child(const struct study_trial *trial, struct hunt_figures *shared)
{
    alarm(GUARD_SECONDS);
    hunt_run(trial, shared);
    _exit(0);
}

void hunt_note_end(struct hunt_figures *figures, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    figures->outcome = HUNT_CRASHED;
    if (WIFSIGNALED(status))
        snprintf(figures->reason, sizeof(figures->reason), "signal %d (%s)", WTERMSIG(status),
            strsignal(WTERMSIG(status)));
    else
        snprintf(figures->reason, sizeof(figures->reason), "exit status %d", WEXITSTATUS(status));
}

void hunt_run_apart(const struct study_trial *trial, struct hunt_figures *figures)
{
    struct hunt_figures *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    pid_t child;

    *figures = (struct hunt_figures){ .outcome = HUNT_CRASHED, .reason = "no process" };
    if (shared == MAP_FAILED)
        return;
    *shared = *figures;
    fflush(NULL);
    child = fork();
    if (child == 0)
        be_the_child(trial, shared);
    if (child > 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    *figures = *shared;
    if (child > 0)
        hunt_note_end(figures, status);
    munmap(shared, sizeof(*shared));
}
