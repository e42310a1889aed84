/* SPDX-License-Identifier: Apache-2.0 */
/* Writes configurations into a folder beside the final one, and renames it. */
#include "config/config_write.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    PATH_BYTES = 4096,
    SAMPLES_MAX = 64,
    BUFFER_BYTES = 1 << 18,
    OPEN_MAX = 16,
    BLOCK_BYTES = 4096, /* a file or folder takes up to this much more than its bytes */
};

/* ---- size ------------------------------------------------------------------------------------ */

static ssize_t count_bytes(void *cookie, const char *bytes, size_t length)
{
    (void)bytes;
    *(uint64_t *)cookie += length;
    return (ssize_t)length;
}

static uint64_t size_of(const struct config_job *job, uint32_t node)
{
    uint64_t bytes = 0;
    FILE *file = fopencookie(&bytes, "w", (cookie_io_functions_t){ .write = count_bytes });

    if (!file)
        return 0;
    for (const struct config_file *at = job->format->files; at->name; at++)
        at->write(&job->source, node, file);
    (void)fclose(file);
    return bytes;
}

struct config_size config_write_size(const struct config_job *job)
{
    uint32_t count = config_format_count(job->format, job->source.plan);
    uint32_t samples = count < SAMPLES_MAX ? count : SAMPLES_MAX;
    struct config_size size = { .folders = job->only == CONFIG_ALL ? count : 1 };

    assert(count > 0);
    while (job->format->files[size.files].name)
        size.files++;
    size.files *= size.folders;
    if (job->only != CONFIG_ALL) {
        size.bytes = size_of(job, job->only);
        return size;
    }
    for (uint32_t i = 0; i < samples; i++)
        size.bytes += size_of(job, (uint32_t)((uint64_t)i * count / samples));
    size.bytes = size.bytes * count / samples;
    return size;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int write_file(
    const struct config_job *job, uint32_t node, const struct config_file *which, const char *path)
{
    FILE *file = fopen(path, "we");
    bool is_lost;

    if (!file)
        return -errno;
    (void)setvbuf(file, NULL, _IOFBF, BUFFER_BYTES);
    which->write(&job->source, node, file);
    is_lost = ferror(file) != 0;
    if (fclose(file) != 0)
        return -errno;
    return is_lost ? -ENOSPC : 0;
}

static int write_node(const struct config_job *job, uint32_t node, const char *folder)
{
    char name[TOPOLOGY_NAME_BYTES];
    char path[PATH_BYTES];
    int err = 0;

    config_format_name(job->format, job->source.plan, node, name);
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (*name && mkdir(path, 0777) != 0)
        return -errno;
    for (const struct config_file *file = job->format->files; file->name && !err; file++) {
        snprintf(path, sizeof(path), "%s/%s/%s", folder, name, file->name);
        err = write_file(job, node, file, path);
    }
    return err;
}

static int write_nodes(const struct config_job *job, const char *folder)
{
    uint32_t count = config_format_count(job->format, job->source.plan);
    int err = 0;

    if (job->only != CONFIG_ALL)
        return write_node(job, job->only, folder);
    for (uint32_t node = 0; node < count && !err; node++)
        err = job->is_interrupted && *job->is_interrupted ? -EINTR : write_node(job, node, folder);
    return err;
}

/* ---- folders --------------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *at)
{
    (void)status;
    (void)flag;
    (void)at;
    return remove(path);
}

/* Returns 0 if the folder does not exist or is empty. */
static int check_free(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    int err = 0;

    if (!folder)
        return errno == ENOENT ? 0 : -errno;
    while (!err && (entry = readdir(folder)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            err = -EEXIST;
    closedir(folder);
    return err;
}

static int check_room(const struct config_job *job, const char *folder)
{
    struct config_size size = config_write_size(job);
    uint64_t needed = size.bytes + (uint64_t)BLOCK_BYTES * (size.files + size.folders);
    struct statvfs disk;

    if (statvfs(folder, &disk) != 0)
        return -errno;
    return (uint64_t)disk.f_bavail * disk.f_frsize < needed ? -ENOSPC : 0;
}

static int make_beside(const char *path, char beside[static PATH_BYTES])
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length + sizeof(".XXXXXX") > PATH_BYTES / 2)
        return -ENAMETOOLONG;
    snprintf(beside, PATH_BYTES, "%.*s.XXXXXX", (int)length, path);
    return mkdtemp(beside) ? 0 : -errno;
}

int config_write_folder(const struct config_job *job, const char *path)
{
    char beside[PATH_BYTES];
    mode_t mask = umask(0);
    int err = check_free(path);

    umask(mask);
    if (!err)
        err = make_beside(path, beside);
    if (err)
        return err;
    err = check_room(job, beside);
    if (!err)
        err = write_nodes(job, beside);
    if (!err && (chmod(beside, 0777 & ~mask) != 0 || rename(beside, path) != 0))
        err = errno == ENOTEMPTY ? -EEXIST : -errno;
    if (err)
        nftw(beside, remove_entry, OPEN_MAX, FTW_DEPTH | FTW_PHYS);
    return err;
}

void config_write_print(const struct config_job *job, uint32_t node, FILE *to)
{
    bool has_several = job->format->files[1].name != NULL;

    for (const struct config_file *file = job->format->files; file->name; file++) {
        if (has_several)
            fprintf(to, "==> %s <==\n", file->name);
        file->write(&job->source, node, to);
    }
}
