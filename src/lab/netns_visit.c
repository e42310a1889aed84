/* SPDX-License-Identifier: Apache-2.0 */
/* Enters network namespaces by their names in ip-netns(8). */
#include "lab/netns_visit.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "lab/netns.h"

static int open_there(const char *name)
{
    char path[sizeof(NETNS_FOLDER) + 128];

    snprintf(path, sizeof(path), NETNS_FOLDER "/%s", name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

int netns_visit_begin(struct netns_visit *visit, const char *name)
{
    int there;
    int err = 0;

    visit->home_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (visit->home_fd < 0)
        return -errno;
    there = open_there(name);
    if (there < 0 || setns(there, CLONE_NEWNET) != 0)
        err = -errno;
    if (there >= 0)
        close(there);
    if (err)
        close(visit->home_fd);
    return err;
}

void netns_visit_end(struct netns_visit *visit)
{
    int err = setns(visit->home_fd, CLONE_NEWNET);

    assert(err == 0);
    close(visit->home_fd);
}
