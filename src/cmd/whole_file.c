/* SPDX-License-Identifier: Apache-2.0 */
/* Under another name first, then renamed. */
#include "cmd/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file of the permissions an ordinary one would get. */
static FILE *open_beside(char *path)
{
    mode_t mask = umask(0);
    int file = mkstemp(path);
    FILE *opened;

    umask(mask);
    if (file < 0)
        return NULL;
    opened = fchmod(file, 0666 & ~mask) == 0 ? fdopen(file, "w") : NULL;
    if (!opened) {
        close(file);
        unlink(path);
    }
    return opened;
}

static int fill(FILE *to, int (*write)(FILE *, void *what), void *what)
{
    int err = to ? write(to, what) : -errno;

    if (to && fclose(to) != 0 && err == 0)
        err = -errno;
    return err;
}

int whole_file_write(const char *path, int (*write)(FILE *, void *what), void *what)
{
    struct stat found;
    char *beside;
    FILE *to;
    int err;

    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
        return fill(fopen(path, "w"), write, what);
    if (asprintf(&beside, "%s.XXXXXX", path) < 0)
        return -ENOMEM;
    to = open_beside(beside);
    err = fill(to, write, what);
    if (err == 0 && rename(beside, path) != 0)
        err = -errno;
    if (err != 0 && to)
        unlink(beside);
    free(beside);
    return err;
}

int whole_file_try(const char *path)
{
    struct stat found;
    char *beside;
    FILE *to;
    int err;

    if (stat(path, &found) == 0 && S_ISDIR(found.st_mode))
        return -EISDIR;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
        return access(path, W_OK) == 0 ? 0 : -errno;
    if (asprintf(&beside, "%s.XXXXXX", path) < 0)
        return -ENOMEM;
    to = open_beside(beside);
    err = to ? 0 : -errno;
    if (to) {
        fclose(to);
        unlink(beside);
    }
    free(beside);
    return err;
}
