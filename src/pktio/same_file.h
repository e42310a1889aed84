/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a path still leads to an open file: another process may have removed or replaced it. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

static inline bool same_file(int fd, const char *path)
{
    struct stat ours;
    struct stat there;

    return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino &&
           ours.st_dev == there.st_dev;
}
