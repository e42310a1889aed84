/* SPDX-License-Identifier: Apache-2.0 */
/* Wraps the usual file system of SQLite. */
#include "lossy_vfs.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"

struct pending {
    struct pending *next; /* in the order of writing */
    sqlite3_int64 offset;
    int length; /* -1: a truncation to the offset */
    char bytes[];
};

struct lossy_file {
    sqlite3_file base;
    struct lossy_file *next;
    struct pending *first;
    struct pending *last;
    sqlite3_int64 size; /* with what is pending */
    sqlite3_file *real;
    int is_dead; /* opened before a cut: what is done to it has no effect */
};

static struct lossy_file *files; /* that are open */
static sqlite3_vfs *usual;
static int is_full_now;
static uint64_t sync_count;

static struct lossy_file *file_of(sqlite3_file *file)
{
    return (struct lossy_file *)file;
}

static void forget_pending(struct lossy_file *file)
{
    while (file->first) {
        struct pending *next = file->first->next;

        free(file->first);
        file->first = next;
    }
    file->last = NULL;
}

static int apply_pending(struct lossy_file *file, const struct pending *write)
{
    if (write->length < 0)
        return file->real->pMethods->xTruncate(file->real, write->offset);
    return file->real->pMethods->xWrite(file->real, write->bytes, write->length, write->offset);
}

static int flush_pending(struct lossy_file *file)
{
    int result = SQLITE_OK;

    for (struct pending *write = file->first; write && result == SQLITE_OK; write = write->next)
        result = apply_pending(file, write);
    forget_pending(file);
    return result;
}

static int add_pending(struct lossy_file *file, const void *bytes, int length, sqlite3_int64 offset)
{
    struct pending *write = malloc(sizeof(*write) + (size_t)(length > 0 ? length : 0));

    if (!write)
        return SQLITE_NOMEM;
    *write = (struct pending){ .offset = offset, .length = length };
    if (length > 0)
        memcpy(write->bytes, bytes, (size_t)length);
    if (file->last)
        file->last->next = write;
    else
        file->first = write;
    file->last = write;
    return SQLITE_OK;
}

static int lossy_close(sqlite3_file *base)
{
    struct lossy_file *file = file_of(base);
    struct lossy_file **link = &files;
    int result;

    while (*link && *link != file)
        link = &(*link)->next;
    if (*link)
        *link = file->next;
    flush_pending(file);
    result = file->real->pMethods->xClose(file->real);
    free(file->real);
    return result;
}

/* Lays the pending writes over what the disk has. */
static int lossy_read(sqlite3_file *base, void *out, int length, sqlite3_int64 offset)
{
    struct lossy_file *file = file_of(base);
    int result = file->real->pMethods->xRead(file->real, out, length, offset);

    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ)
        return result;
    for (const struct pending *write = file->first; write; write = write->next) {
        sqlite3_int64 from = write->offset > offset ? write->offset : offset;
        sqlite3_int64 to = write->offset + write->length;

        if (to > offset + length)
            to = offset + length;
        if (write->length > 0 && to > from)
            memcpy((char *)out + (from - offset), write->bytes + (from - write->offset),
                (size_t)(to - from));
        if (write->length < 0 && write->offset < offset + length) {
            from = write->offset > offset ? write->offset : offset;
            memset((char *)out + (from - offset), 0, (size_t)(offset + length - from));
        }
    }
    return offset + length <= file->size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int lossy_write(sqlite3_file *base, const void *bytes, int length, sqlite3_int64 offset)
{
    struct lossy_file *file = file_of(base);

    if (file->is_dead)
        return SQLITE_OK;
    if (is_full_now)
        return SQLITE_FULL;
    if (offset + length > file->size)
        file->size = offset + length;
    return add_pending(file, bytes, length, offset);
}

static int lossy_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    if (file_of(base)->is_dead)
        return SQLITE_OK;
    file_of(base)->size = size;
    return add_pending(file_of(base), NULL, -1, size);
}

/* What reaches the usual file system is what survives: it need not be synced there. */
static int lossy_sync(sqlite3_file *base, int flags)
{
    (void)flags;
    sync_count++;
    return flush_pending(file_of(base));
}

static int lossy_size(sqlite3_file *base, sqlite3_int64 *size)
{
    *size = file_of(base)->size;
    return SQLITE_OK;
}

static int lossy_lock(sqlite3_file *base, int level)
{
    return file_of(base)->real->pMethods->xLock(file_of(base)->real, level);
}

static int lossy_unlock(sqlite3_file *base, int level)
{
    return file_of(base)->real->pMethods->xUnlock(file_of(base)->real, level);
}

static int lossy_check_lock(sqlite3_file *base, int *out)
{
    return file_of(base)->real->pMethods->xCheckReservedLock(file_of(base)->real, out);
}

static int lossy_control(sqlite3_file *base, int op, void *argument)
{
    return file_of(base)->real->pMethods->xFileControl(file_of(base)->real, op, argument);
}

static int lossy_sector(sqlite3_file *base)
{
    return file_of(base)->real->pMethods->xSectorSize(file_of(base)->real);
}

static int lossy_traits(sqlite3_file *base)
{
    (void)base;
    return 0; /* nothing is atomic, nothing is safe */
}

static int lossy_shm_map(sqlite3_file *base, int page, int bytes, int extend, void volatile **out)
{
    return file_of(base)->real->pMethods->xShmMap(file_of(base)->real, page, bytes, extend, out);
}

static int lossy_shm_lock(sqlite3_file *base, int offset, int count, int flags)
{
    return file_of(base)->real->pMethods->xShmLock(file_of(base)->real, offset, count, flags);
}

static void lossy_shm_barrier(sqlite3_file *base)
{
    file_of(base)->real->pMethods->xShmBarrier(file_of(base)->real);
}

static int lossy_shm_unmap(sqlite3_file *base, int is_last)
{
    return file_of(base)->real->pMethods->xShmUnmap(
        file_of(base)->real, is_last && !file_of(base)->is_dead);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = lossy_close,
    .xRead = lossy_read,
    .xWrite = lossy_write,
    .xTruncate = lossy_truncate,
    .xSync = lossy_sync,
    .xFileSize = lossy_size,
    .xLock = lossy_lock,
    .xUnlock = lossy_unlock,
    .xCheckReservedLock = lossy_check_lock,
    .xFileControl = lossy_control,
    .xSectorSize = lossy_sector,
    .xDeviceCharacteristics = lossy_traits,
    .xShmMap = lossy_shm_map,
    .xShmLock = lossy_shm_lock,
    .xShmBarrier = lossy_shm_barrier,
    .xShmUnmap = lossy_shm_unmap,
};

static int lossy_open(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags, int *out_flags)
{
    struct lossy_file *file = file_of(base);
    int result;

    (void)vfs;
    memset(file, 0, sizeof(*file));
    file->real = calloc(1, (size_t)usual->szOsFile);
    if (!file->real)
        return SQLITE_NOMEM;
    result = usual->xOpen(usual, name, file->real, flags, out_flags);
    if (result != SQLITE_OK) {
        free(file->real);
        return result;
    }
    file->real->pMethods->xFileSize(file->real, &file->size);
    file->base.pMethods = &methods;
    file->next = files;
    files = file;
    return SQLITE_OK;
}

static int lossy_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs;
    for (const struct lossy_file *file = files; file; file = file->next)
        if (file->is_dead)
            return SQLITE_OK;
    return usual->xDelete(usual, name, sync);
}

void lossy_vfs_register(void)
{
    static sqlite3_vfs vfs;

    if (usual)
        return;
    usual = sqlite3_vfs_find(NULL);
    vfs = *usual;
    vfs.pNext = NULL;
    vfs.zName = LOSSY_VFS;
    vfs.szOsFile = sizeof(struct lossy_file);
    vfs.xOpen = lossy_open;
    vfs.xDelete = lossy_delete;
    sqlite3_vfs_register(&vfs, 0);
}

void lossy_vfs_cut(uint64_t seed)
{
    struct prng prng = prng_stream(seed, 0);

    for (struct lossy_file *file = files; file; file = file->next) {
        for (const struct pending *write = file->first; write; write = write->next)
            if (prng_next(&prng) >> 63)
                apply_pending(file, write);
        forget_pending(file);
        file->is_dead = 1;
    }
}

void lossy_vfs_fill(int is_full)
{
    is_full_now = is_full;
}

uint64_t lossy_vfs_syncs(void)
{
    return sync_count;
}
