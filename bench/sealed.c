/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a child under a seccomp filter that allows only exit. */
#include "sealed.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS_NOT_SEALED = 2 };

static bool seal(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog filter = { .len = sizeof(rules) / sizeof(rules[0]), .filter = rules };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

enum sealed sealed_run(void (*work)(void *context), void *context)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        if (!seal())
            _exit(STATUS_NOT_SEALED);
        work(context);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return SEALED_UNKNOWN;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return SEALED_QUIET;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS ? SEALED_CALLED : SEALED_UNKNOWN;
}
