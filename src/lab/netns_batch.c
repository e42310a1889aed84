/* SPDX-License-Identifier: Apache-2.0 */
/* Runs ip(8) in a child that reads its commands from a temporary file, so that neither process can
 * block the other. */
#include "lab/netns_batch.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int netns_batch_begin(struct netns_batch *batch)
{
    batch->child = -1;
    batch->lines = tmpfile();
    return batch->lines ? 0 : -errno;
}

static int run_ip(int input, pid_t *child)
{
    static char *const arguments[] = { "ip", "-batch", "-", NULL };
    posix_spawn_file_actions_t actions;
    int err;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    err = posix_spawnp(child, "ip", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return err == ENOENT ? -ENOPKG : -err;
}

int netns_batch_end(struct netns_batch *batch)
{
    int status = 0;
    int err = 0;

    if (fflush(batch->lines) != 0 || fseek(batch->lines, 0, SEEK_SET) != 0)
        err = -errno;
    if (!err)
        err = run_ip(fileno(batch->lines), &batch->child);
    while (!err && waitpid(batch->child, &status, 0) < 0)
        if (errno != EINTR)
            err = -errno;
    (void)fclose(batch->lines);
    if (!err && status != 0)
        err = -EREMOTEIO;
    return err;
}
