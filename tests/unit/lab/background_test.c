/* SPDX-License-Identifier: Apache-2.0 */
/* Going on in the background: the parent waits until the child is ready or has ended. */
#include "lab/background.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spec.h"

SPEC("a child that reports ready continues in the background, with its messages in a log")
{
    char root[] = "/tmp/background_test.XXXXXX";
    char folder[64];
    char log[80];
    struct background background;

    EXPECT(mkdtemp(root));
    snprintf(folder, sizeof(folder), "%s/lab", root);
    snprintf(log, sizeof(log), "%s/log", folder);
    EXPECT_EQ(mkdir(folder, 0700), 0);
    if (background_fork(&background)) {
        background_detach(&background, root, "lab");
        _exit(0);
    }
    EXPECT_EQ(background.exit_status, 0);
    EXPECT_STR_EQ(background.reason, "");
    EXPECT_EQ(access(log, F_OK), 0);
    unlink(log);
    rmdir(folder);
    rmdir(root);
}

SPEC("the parent returns the exit status of a child that ends before it is ready")
{
    struct background background;

    if (background_fork(&background))
        _exit(2);
    EXPECT_EQ(background.exit_status, 2);
    EXPECT_STR_EQ(background.reason, "");
}

SPEC("the parent reports the signal of a child that is killed before it is ready")
{
    struct background background;

    if (background_fork(&background)) {
        raise(SIGKILL);
        _exit(0);
    }
    EXPECT_EQ(background.exit_status, 1);
    EXPECT(strstr(background.reason, "killed: "));
}
