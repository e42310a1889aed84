/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the state folder. */
#include "ctl/ctl_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pktio/pktio.h"

#define FILE_BYTES_MAX (1 << 20)

bool ctl_folder_name(struct ctl_folder *folder, const char *given)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    int length;

    if (!given)
        given = getenv("MRCD_STATE");
    if (!given && geteuid() == 0)
        given = "/var/lib/mrcd";
    if (given)
        length = snprintf(folder->path, sizeof(folder->path), "%s", given);
    else if (state)
        length = snprintf(folder->path, sizeof(folder->path), "%s/mrcd", state);
    else
        length =
            snprintf(folder->path, sizeof(folder->path), "%s/.local/state/mrcd", home ? home : "");
    folder->lock = -1;
    return length > 0 && length < CTL_PATH_BYTES - 64;
}

void ctl_folder_file(
    const struct ctl_folder *folder, const char *name, char out[static CTL_PATH_BYTES])
{
    size_t length = strlen(folder->path);

    memcpy(out, folder->path, length);
    snprintf(out + length, CTL_PATH_BYTES - length, "/%s", name);
}

static int make_path(char *path)
{
    for (char *slash = path + 1; *slash; slash++) {
        if (*slash != '/')
            continue;
        *slash = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST) {
            *slash = '/';
            return -errno;
        }
        *slash = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : -errno;
}

int ctl_folder_make(const struct ctl_folder *folder, const char *name)
{
    char path[CTL_PATH_BYTES];

    ctl_folder_file(folder, name, path);
    return make_path(path);
}

static int make_token(const struct ctl_folder *folder)
{
    unsigned char bytes[(CTL_TOKEN_BYTES - 1) / 2];
    char token[CTL_TOKEN_BYTES + 1];

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return -EIO;
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    token[2 * sizeof(bytes)] = '\n';
    token[2 * sizeof(bytes) + 1] = '\0';
    return ctl_folder_write(folder, "token", token);
}

int ctl_folder_create(const struct ctl_folder *folder)
{
    char path[CTL_PATH_BYTES];
    int err;

    snprintf(path, sizeof(path), "%s", folder->path);
    err = make_path(path);
    if (err)
        return err;
    ctl_folder_file(folder, "token", path);
    return access(path, F_OK) == 0 ? 0 : make_token(folder);
}

int ctl_folder_take(struct ctl_folder *folder)
{
    char path[CTL_PATH_BYTES];

    ctl_folder_file(folder, "lock", path);
    folder->lock = process_lock_take(path);
    return folder->lock < 0 ? folder->lock : 0;
}

/* The text has room for one byte more than a file may have. */
static int read_whole(FILE *file, char *text)
{
    size_t length = fread(text, 1, FILE_BYTES_MAX + 1, file);

    if (ferror(file))
        return -errno;
    if (length > FILE_BYTES_MAX)
        return -EFBIG;
    text[length] = '\0';
    return 0;
}

char *ctl_folder_read(const struct ctl_folder *folder, const char *name)
{
    char path[CTL_PATH_BYTES];
    char *text = malloc(FILE_BYTES_MAX + 1);
    FILE *file;
    int err;

    ctl_folder_file(folder, name, path);
    file = text ? fopen(path, "re") : NULL;
    err = file ? read_whole(file, text) : -errno;
    if (file && fclose(file) != 0 && !err)
        err = -errno;
    if (!err)
        return text;
    free(text);
    errno = -err;
    return NULL;
}

static int write_whole(int fd, const char *text)
{
    size_t length = strlen(text);
    ssize_t wrote = write(fd, text, length);

    if (wrote != (ssize_t)length)
        return wrote < 0 ? -errno : -ENOSPC;
    return fsync(fd) == 0 ? 0 : -errno;
}

int ctl_folder_write(const struct ctl_folder *folder, const char *name, const char *text)
{
    char path[CTL_PATH_BYTES], beside[CTL_PATH_BYTES];
    int err;
    int fd;

    ctl_folder_file(folder, name, path);
    snprintf(beside, sizeof(beside), "%.370s.new", path);
    fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    err = write_whole(fd, text);
    close(fd);
    if (!err && rename(beside, path) != 0)
        err = -errno;
    if (err)
        unlink(beside);
    return err;
}

/* Returns 0 for a file that does not exist. */
static int64_t size_of(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? (int64_t)status.st_size : 0;
}

/* What root makes in the folder of another user, that user must be able to read. The user may have
 * put a link to a file of root there, which stays root's. */
static int give_to_owner(const struct ctl_folder *folder, int fd)
{
    struct stat owner, file;

    if (geteuid() != 0)
        return 0;
    if (stat(folder->path, &owner) != 0 || fstat(fd, &file) != 0)
        return -errno;
    if (!S_ISREG(file.st_mode) || file.st_nlink != 1)
        return -EPERM;
    if (file.st_uid == owner.st_uid)
        return 0;
    return fchown(fd, owner.st_uid, owner.st_gid) == 0 ? 0 : -errno;
}

static int append_whole(const struct ctl_folder *folder, int fd, const char *text, int64_t before)
{
    int err = give_to_owner(folder, fd);

    if (err)
        return err;
    if (before + (int64_t)strlen(text) > FILE_BYTES_MAX)
        return -EFBIG;
    err = write_whole(fd, text);
    return err && ftruncate(fd, before) != 0 ? -errno : err;
}

int ctl_folder_append(const struct ctl_folder *folder, const char *name, const char *text)
{
    char path[CTL_PATH_BYTES];
    int64_t before;
    int err;
    int fd;

    ctl_folder_file(folder, name, path);
    before = size_of(path);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    err = append_whole(folder, fd, text, before);
    close(fd);
    if (err && before == 0)
        unlink(path);
    return err;
}
