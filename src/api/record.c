/* SPDX-License-Identifier: Apache-2.0 */
/* Stores records as files: a new file is written and then renamed over the old one. */
#include "api/record.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORD_MAGIC UINT32_C(0x3143524d) /* "MRC1"; changes with the structs */

static const struct {
    const char *stem;
    size_t size_bytes;
} kinds[RECORD_KIND_COUNT] = {
    [RECORD_PORTS] = { "ports", sizeof(struct record_ports) },
    [RECORD_FMT] = { "fmt", sizeof(struct record_fmt) },
    [RECORD_EV] = { "ev", sizeof(struct record_ev) },
    [RECORD_CC] = { "cc", sizeof(struct record_cc) },
};

void record_file(
    enum record_kind kind, uint64_t id, const char *suffix, char out[RECORD_FILE_BYTES])
{
    assert(kind < RECORD_KIND_COUNT);
    if (kind == RECORD_PORTS)
        snprintf(out, RECORD_FILE_BYTES, "%s%s", kinds[kind].stem, suffix);
    else
        snprintf(out, RECORD_FILE_BYTES, "%s.%" PRIx64 "%s", kinds[kind].stem, id, suffix);
}

static int read_all(int fd, void *buffer, size_t room, size_t *length)
{
    *length = 0;
    while (*length < room) {
        ssize_t got = read(fd, (char *)buffer + *length, room - *length);

        if (got < 0 && errno != EINTR)
            return -EIO;
        if (got == 0)
            return 0;
        if (got > 0)
            *length += (size_t)got;
    }
    return 0;
}

/* An EV record has only as many entries as its count says. */
static bool is_complete(enum record_kind kind, const void *record, size_t length)
{
    const struct record_ev *ev = record;

    if (kind != RECORD_EV)
        return length == kinds[kind].size_bytes;
    return length >= offsetof(struct record_ev, entries) && ev->count <= RECORD_EV_MAX &&
           length == offsetof(struct record_ev, entries) + ev->count * sizeof(ev->entries[0]);
}

int record_load(const struct folder *folder, enum record_kind kind, uint64_t id, void *record)
{
    struct record_head *head = record;
    char file[RECORD_FILE_BYTES];
    size_t length;
    int err;
    int fd;

    memset(record, 0, kinds[kind].size_bytes);
    *head = (struct record_head){ .magic = RECORD_MAGIC, .kind = kind, .id = id };
    record_file(kind, id, "", file);
    fd = openat(folder->fd, file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : errno == EACCES ? -EPERM : -EIO;
    err = read_all(fd, record, kinds[kind].size_bytes, &length);
    close(fd);
    if (err)
        return err;
    if (length < sizeof(*head) || head->magic != RECORD_MAGIC || head->kind != kind ||
        head->id != id || head->length_bytes != length || !is_complete(kind, record, length))
        return -EIO;
    return 0;
}

static int write_all(int fd, const void *buffer, size_t length)
{
    size_t done = 0;

    while (done < length) {
        ssize_t wrote = write(fd, (const char *)buffer + done, length - done);

        if (wrote < 0 && errno != EINTR)
            return -EIO;
        if (wrote > 0)
            done += (size_t)wrote;
    }
    return 0;
}

static int refusal(int number)
{
    return number == EACCES || number == EPERM || number == EROFS ? -EPERM : -EIO;
}

static int replace_file(
    const struct folder *folder, const struct record_head *head, const char *file)
{
    char beside[RECORD_FILE_BYTES];
    int err;
    int fd;

    record_file(head->kind, head->id, ".new", beside);
    fd = openat(folder->fd, beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return refusal(errno);
    err = write_all(fd, head, head->length_bytes);
    close(fd);
    if (!err && renameat(folder->fd, beside, folder->fd, file) != 0)
        err = refusal(errno);
    if (err)
        unlinkat(folder->fd, beside, 0);
    return err;
}

static int forget_record(const struct folder *folder, const struct record_head *head)
{
    static const char *const suffixes[] = { "", ".use", ".seen" };

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char file[RECORD_FILE_BYTES];

        record_file(head->kind, head->id, suffixes[i], file);
        if (unlinkat(folder->fd, file, 0) != 0 && errno != ENOENT)
            return refusal(errno);
    }
    return 0;
}

int record_save(const struct folder *folder, struct record_head *head)
{
    const struct record_ev *ev = (const struct record_ev *)head;
    char file[RECORD_FILE_BYTES];

    if (head->kind != RECORD_PORTS && head->state == MRC_CTL_PROFILE_INIT)
        return forget_record(folder, head);
    head->length_bytes = (uint32_t)kinds[head->kind].size_bytes;
    if (head->kind == RECORD_EV)
        head->length_bytes =
            (uint32_t)(offsetof(struct record_ev, entries) + ev->count * sizeof(ev->entries[0]));
    record_file(head->kind, head->id, "", file);
    return replace_file(folder, head, file);
}

/* Parses "ev.1f" into the id. Returns false for "ev.1f.use". */
static bool id_of(enum record_kind kind, const char *file, uint64_t *id)
{
    size_t stem_length = strlen(kinds[kind].stem);
    char again[RECORD_FILE_BYTES];

    if (strncmp(file, kinds[kind].stem, stem_length) != 0 || file[stem_length] != '.')
        return false;
    *id = strtoull(file + stem_length + 1, NULL, 16);
    record_file(kind, *id, "", again);
    return strcmp(file, again) == 0;
}

int record_each(const struct folder *folder, enum record_kind kind,
    int (*visit)(void *context, const struct folder *, uint64_t id), void *context)
{
    DIR *entries = opendir(folder->path);
    const struct dirent *entry;
    uint64_t id;
    int result = 0;

    if (!entries)
        return -EIO;
    while (result == 0 && (entry = readdir(entries)))
        if (id_of(kind, entry->d_name, &id))
            result = visit(context, folder, id);
    closedir(entries);
    return result;
}
