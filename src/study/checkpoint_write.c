/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a checkpoint. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <sys/types.h>
#include <unistd.h>

#include "study/checkpoint_file.h"

enum {
    RUN_PAGES_MAX = 256,
    KNOWN_PAGES = 4096,
};

#define PAGE_IS_PRESENT (UINT64_C(3) << 62) /* or swapped */

struct writing {
    FILE *file;
    int err; /* the first error, negative */
    uint64_t sum;
    uint64_t bytes;
    const uint8_t *at;           /* the image */
    uint64_t page_count;         /* that may be in use */
    int pagemap;                 /* -1: not available */
    uint64_t known[KNOWN_PAGES]; /* of /proc/self/pagemap, from first_known on */
    uint64_t first_known;
    uint64_t known_count;
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

/* ---- pages ----------------------------------------------------------------------------------- */

/* Returns false if the page was never touched; reading it would cost time and page tables. */
static bool is_touched(struct writing *writing, uint64_t page)
{
    ssize_t got;

    if (writing->pagemap < 0)
        return true;
    if (page - writing->first_known >= writing->known_count) {
        uint64_t address_page = (uint64_t)(uintptr_t)writing->at / STUDY_IMAGE_PAGE_BYTES + page;

        got = pread(writing->pagemap, writing->known, sizeof(writing->known),
            (off_t)(address_page * sizeof(uint64_t)));
        writing->first_known = page;
        writing->known_count = got > 0 ? (uint64_t)got / sizeof(uint64_t) : 0;
        if (writing->known_count == 0)
            return true;
    }
    return writing->known[page - writing->first_known] & PAGE_IS_PRESENT;
}

static bool is_kept(struct writing *writing, uint64_t page)
{
    static const uint8_t zeros[STUDY_IMAGE_PAGE_BYTES];

    return is_touched(writing, page) &&
           memcmp(writing->at + page * STUDY_IMAGE_PAGE_BYTES, zeros, sizeof(zeros)) != 0;
}

static void write_pages(struct writing *writing)
{
    struct checkpoint_run run = { 0 };

    for (uint64_t page = 0; page < writing->page_count && !writing->err;
         page = run.first_page + run.page_count) {
        run = (struct checkpoint_run){ .first_page = page };
        while (run.page_count < RUN_PAGES_MAX && page + run.page_count < writing->page_count &&
               is_kept(writing, page + run.page_count))
            run.page_count++;
        if (run.page_count == 0) {
            run.page_count = 1;
            continue;
        }
        write_words(writing, &run, sizeof(run));
        write_words(writing, writing->at + page * STUDY_IMAGE_PAGE_BYTES,
            run.page_count * STUDY_IMAGE_PAGE_BYTES);
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The head is written again at the end, because it has the checksum. */
static void write_all(struct writing *writing, struct checkpoint_head *head, const char *words,
    const struct checkpoint_regions *regions)
{
    struct checkpoint_run end = { .first_page = (head->arena_bytes + head->heap_bytes) /
                                                STUDY_IMAGE_PAGE_BYTES };

    memcpy(head->magic, checkpoint_file_magic, sizeof(head->magic));
    head->format = CHECKPOINT_FILE_FORMAT;
    head->words_bytes = (strlen(words) + sizeof(uint64_t)) / sizeof(uint64_t) * sizeof(uint64_t);
    write_bytes(writing, head, sizeof(*head));
    for (size_t at = 0; at < head->words_bytes; at += sizeof(uint64_t)) {
        char word[sizeof(uint64_t)] = { 0 };

        memcpy(word, words + at, strnlen(words + at, sizeof(word)));
        write_words(writing, word, sizeof(word));
    }
    write_words(writing, regions, offsetof(struct checkpoint_regions, others));
    write_words(writing, regions->others, regions->count * sizeof(regions->others[0]));
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
    const struct study_image *image, const char *words, const struct checkpoint_regions *regions)
{
    struct writing *writing = calloc(1, sizeof(*writing));
    int err = -ENOMEM;

    if (!writing)
        return err;
    writing->at = image->at;
    writing->page_count =
        (study_image_used_bytes(image) + STUDY_IMAGE_PAGE_BYTES - 1) / STUDY_IMAGE_PAGE_BYTES;
    writing->file = fopen(beside, "we");
    if (writing->file) {
        writing->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
        write_all(writing, head, words, regions);
        err = close_file(writing);
        if (writing->pagemap >= 0)
            close(writing->pagemap);
        if (err)
            unlink(beside);
    } else {
        err = -errno;
    }
    free(writing);
    return err;
}

int checkpoint_file_write(const char *path, struct checkpoint_head *head,
    const struct study_image *image, const char *words)
{
    uint64_t start = (uint64_t)(uintptr_t)image->at;
    struct checkpoint_regions regions;
    char *beside;
    int err = checkpoint_regions_read(
        &regions, (struct checkpoint_region){ start, start + study_image_bytes(image) });

    if (err)
        return err;
    if (asprintf(&beside, "%s.part", path) < 0)
        return -ENOMEM;
    head->image_at = start;
    head->arena_bytes = image->arena_bytes;
    head->heap_bytes = image->heap_bytes;
    err = write_beside(beside, head, image, words, &regions);
    if (!err && rename(beside, path) != 0)
        err = -errno;
    if (!err)
        sync_folder(path);
    free(beside);
    return err;
}
