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

char *ctl_folder_read(const struct ctl_folder *folder, const char *name)
{
    char path[CTL_PATH_BYTES];
    char *text = malloc(FILE_BYTES_MAX + 1);
    size_t length;
    FILE *file;

    ctl_folder_file(folder, name, path);
    file = text ? fopen(path, "re") : NULL;
    if (!file) {
        free(text);
        return NULL;
    }
    length = fread(text, 1, FILE_BYTES_MAX, file);
    text[length] = '\0';
    if (fclose(file) == 0)
        return text;
    free(text);
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

int ctl_folder_append(const struct ctl_folder *folder, const char *name, const char *text)
{
    char path[CTL_PATH_BYTES];
    int64_t before = ctl_folder_size(folder, name);
    int err;
    int fd;

    ctl_folder_file(folder, name, path);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    err = write_whole(fd, text);
    if (err && ftruncate(fd, before) != 0)
        err = -errno;
    close(fd);
    return err;
}

int64_t ctl_folder_size(const struct ctl_folder *folder, const char *name)
{
    char path[CTL_PATH_BYTES];
    struct stat status;

    ctl_folder_file(folder, name, path);
    return stat(path, &status) == 0 ? (int64_t)status.st_size : 0;
}
