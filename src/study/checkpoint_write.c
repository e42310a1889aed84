/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a checkpoint. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "result/result.h"
#include "study/checkpoint_file.h"
#include "study/image_pages.h"

enum { RUN_PAGES_MAX = 256 };

struct writing {
    struct checkpoint_regions regions;
    FILE *file;
    int err; /* the first error, negative */
    uint64_t sum;
    uint64_t bytes;
    struct image_pages pages;
};

static void write_bytes(struct writing *writing, const void *from, size_t bytes)
{
    errno = 0;
    if (!writing->err && fwrite(from, 1, bytes, writing->file) != bytes)
        writing->err = -(errno ? errno : EIO);
}

/* Adds whole words to the body. */
static void write_words(struct writing *writing, const void *words, size_t bytes)
{
    write_bytes(writing, words, bytes);
    writing->sum = checkpoint_file_sum(writing->sum, words, bytes);
    writing->bytes += bytes;
}

static void write_pages(struct writing *writing)
{
    struct image_pages *pages = &writing->pages;
    uint64_t page = 0;

    while (page < pages->count && !writing->err) {
        struct checkpoint_run run = { .first_page = page };

        while (run.page_count < RUN_PAGES_MAX && page < pages->count &&
               image_pages_are_used(pages, page)) {
            run.page_count++;
            page++;
        }
        if (run.page_count == 0) {
            page++;
            continue;
        }
        write_words(writing, &run, sizeof(run));
        write_words(writing, image_pages_page(pages, run.first_page),
            run.page_count * STUDY_IMAGE_PAGE_BYTES);
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The head is written again at the end, because it has the checksum. */
static void write_all(struct writing *writing, struct checkpoint_head *head,
    const struct checkpoint_pointers *pointers, const char *words)
{
    const struct checkpoint_regions *regions = &writing->regions;
    struct checkpoint_run end = { .first_page = (head->arena_bytes + head->heap_bytes) /
                                                STUDY_IMAGE_PAGE_BYTES };

    memcpy(head->magic, checkpoint_file_magic, sizeof(head->magic));
    head->format = CHECKPOINT_FILE_FORMAT;
    head->pointer_count = pointers->count;
    head->words_bytes = (strlen(words) + sizeof(uint64_t)) / sizeof(uint64_t) * sizeof(uint64_t);
    write_bytes(writing, head, sizeof(*head));
    for (size_t at = 0; at < head->words_bytes; at += sizeof(uint64_t)) {
        char word[sizeof(uint64_t)] = { 0 };

        memcpy(word, words + at, strnlen(words + at, sizeof(word)));
        write_words(writing, word, sizeof(word));
    }
    write_words(writing, regions, offsetof(struct checkpoint_regions, others));
    write_words(writing, regions->others, regions->count * sizeof(regions->others[0]));
    write_words(writing, pointers->all, pointers->count * sizeof(pointers->all[0]));
    write_pages(writing);
    write_words(writing, &end, sizeof(end));
    head->file_bytes = sizeof(*head) + writing->bytes;
    head->body_sum = writing->sum;
    head->head_sum = checkpoint_file_head_sum(head);
    if (!writing->err && fseeko(writing->file, 0, SEEK_SET) != 0)
        writing->err = -errno;
    write_bytes(writing, head, sizeof(*head));
}

/* Puts the data on the disk. Returns 0 or the first error of the file. */
static int close_file(struct writing *writing)
{
    int err = writing->err;

    if (!err && (fflush(writing->file) != 0 || fsync(fileno(writing->file)) != 0))
        err = -errno;
    if (fclose(writing->file) != 0 && !err)
        err = -errno;
    return err;
}

/* Makes the new name durable. A folder that cannot be opened or synced has no such need. */
static void sync_folder(const char *path)
{
    char *copy = strdup(path);
    char *slash = copy ? strrchr(copy, '/') : NULL;
    int folder;

    if (slash)
        slash[slash == copy] = '\0';
    folder = open(slash ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder);
        close(folder);
    }
    free(copy);
}

static int write_beside(const char *beside, struct checkpoint_head *head,
    const struct study_image *image, const struct checkpoint_pointers *pointers, const char *words)
{
    struct writing *writing = grow_take(1, sizeof(*writing));
    int err = checkpoint_regions_read(&writing->regions, image->at, study_image_bytes(image));

    if (!err) {
        writing->file = fopen(beside, "we");
        err = writing->file ? 0 : -errno;
    }
    if (!err) {
        image_pages_open(&writing->pages, image);
        write_all(writing, head, pointers, words);
        image_pages_close(&writing->pages);
        err = close_file(writing);
        if (err)
            unlink(beside);
    }
    free(writing);
    return err;
}

int checkpoint_file_write(const char *path, struct checkpoint_head *head,
    const struct study_image *image, const struct checkpoint_pointers *pointers, const char *words)
{
    char *beside;
    int err;

    if (asprintf(&beside, "%s.part", path) < 0)
        return -ENOMEM;
    head->image_at = (uint64_t)(uintptr_t)image->at;
    head->arena_bytes = image->arena_bytes;
    head->heap_bytes = image->heap_bytes;
    err = write_beside(beside, head, image, pointers, words);
    if (!err && rename(beside, path) != 0)
        err = -errno;
    if (!err)
        sync_folder(path);
    free(beside);
    return err;
}
