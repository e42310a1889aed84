/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a file under another name, then renames it. */
#include "files/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a file next to `path`, with the permissions of an ordinary file. The caller frees its
 * name. */
static int open_beside(const char *path, char **name, FILE **out)
{
    mode_t mask = umask(0);
    int file;
    int err;

    *out = NULL;
    umask(mask);
    if (asprintf(name, "%s.XXXXXX", path) < 0) {
        *name = NULL;
        return -ENOMEM;
    }
    file = mkstemp(*name);
    if (file < 0)
        return -errno;
    *out = fchmod(file, 0666 & ~mask) == 0 ? fdopen(file, "w") : NULL;
    if (*out)
        return 0;
    err = -errno;
    close(file);
    unlink(*name);
    return err;
}

/* Writes and closes the file. */
static int fill_file(FILE *to, int (*write)(FILE *, void *what), void *what)
{
    int err = write(to, what);

    if (fclose(to) != 0 && err == 0)
        err = -errno;
    return err;
}

int whole_file_write(const char *path, int (*write)(FILE *, void *what), void *what)
{
    struct stat found;
    char *beside;
    FILE *to;
    int err;

    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode)) {
        to = fopen(path, "w");
        return to ? fill_file(to, write, what) : -errno;
    }
    err = open_beside(path, &beside, &to);
    if (err == 0) {
        err = fill_file(to, write, what);
        if (err == 0 && rename(beside, path) != 0)
            err = -errno;
        if (err != 0)
            unlink(beside);
    }
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
    err = open_beside(path, &beside, &to);
    if (err == 0) {
        (void)fclose(to);
        unlink(beside);
    }
    free(beside);
    return err;
}

char *whole_file_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;

    if (!file)
        return NULL;
    if (getdelim(&text, &room, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    (void)fclose(file);
    return text;
}
