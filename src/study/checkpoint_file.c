/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a checkpoint, and merges it with a fresh set-up of the same run. */
#include "study/checkpoint_file.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <sys/stat.h>

#define WORDS_BYTES_MAX (1 << 20)
#define LARGE_BYTES     ((size_t)2 << 20)

enum { PAGE_WORDS = STUDY_IMAGE_PAGE_BYTES / sizeof(uint64_t) };

const char checkpoint_file_magic[8] = "MRCCKPT\n";

/* ---- checksums ------------------------------------------------------------------------------- */

uint64_t checkpoint_file_sum(uint64_t sum, const void *words, size_t bytes)
{
    const uint8_t *at = words;

    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, at + i, sizeof(word));
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 32;
    }
    return sum;
}

uint64_t checkpoint_file_head_sum(const struct checkpoint_head *head)
{
    return checkpoint_file_sum(1, head, offsetof(struct checkpoint_head, head_sum));
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool refuse_file(char *reason, const char *what)
{
    snprintf(reason, CHECKPOINT_REASON_BYTES, "%s", what);
    return false;
}

/* Reads whole words, and adds them to the checksum. */
static bool read_words(struct checkpoint_file *file, void *words, size_t bytes)
{
    if (fread(words, 1, bytes, file->file) != bytes)
        return false;
    file->sum = checkpoint_file_sum(file->sum, words, bytes);
    return true;
}

static bool read_head(struct checkpoint_file *file, char *reason)
{
    struct checkpoint_head *head = &file->head;
    struct stat found;

    if (fread(head, sizeof(*head), 1, file->file) != 1 ||
        memcmp(head->magic, checkpoint_file_magic, sizeof(head->magic)) != 0)
        return refuse_file(reason, "is not a checkpoint of mrc sim");
    if (head->format != CHECKPOINT_FILE_FORMAT)
        return refuse_file(reason, "has another format; continue it with the mrc that wrote it");
    if (head->head_sum != checkpoint_file_head_sum(head) || head->words_bytes > WORDS_BYTES_MAX)
        return refuse_file(reason, "is damaged: its head does not match its checksum");
    if (fstat(fileno(file->file), &found) != 0 || (uint64_t)found.st_size != head->file_bytes)
        return refuse_file(
            reason, "is truncated, or has grown: its size is not the one in its head");
    return true;
}

static bool read_words_and_regions(struct checkpoint_file *file, char *reason)
{
    struct checkpoint_regions *regions = &file->regions;

    file->words = calloc(1, file->head.words_bytes + 1);
    if (!file->words)
        return refuse_file(reason, strerror(ENOMEM));
    if (!read_words(file, file->words, file->head.words_bytes) ||
        !read_words(file, regions, offsetof(struct checkpoint_regions, others)) ||
        regions->count > CHECKPOINT_REGIONS_MAX ||
        !read_words(file, regions->others, regions->count * sizeof(regions->others[0])))
        return refuse_file(reason, "is damaged: its list of memory regions cannot be read");
    return true;
}

static bool read_pointers(struct checkpoint_file *file, char *reason)
{
    struct checkpoint_pointers *pointers = &file->pointers;

    if (file->head.pointer_count > file->head.file_bytes / sizeof(pointers->all[0]))
        return refuse_file(reason, "is damaged: its list of pointers cannot be read");
    pointers->count = file->head.pointer_count;
    pointers->all = calloc(pointers->count + 1, sizeof(pointers->all[0]));
    if (!pointers->all)
        return refuse_file(reason, strerror(ENOMEM));
    if (!read_words(file, pointers->all, pointers->count * sizeof(pointers->all[0])))
        return refuse_file(reason, "is damaged: its list of pointers cannot be read");
    return true;
}

bool checkpoint_file_open(
    struct checkpoint_file *file, const char *path, char reason[static CHECKPOINT_REASON_BYTES])
{
    *file = (struct checkpoint_file){ .file = fopen(path, "r"), .path = path };
    if (!file->file)
        return refuse_file(reason, strerror(errno));
    if (read_head(file, reason) && read_words_and_regions(file, reason) &&
        read_pointers(file, reason))
        return true;
    checkpoint_file_close(file);
    return false;
}

void checkpoint_file_close(struct checkpoint_file *file)
{
    if (file->file)
        (void)fclose(file->file);
    free(file->words);
    checkpoint_pointers_fini(&file->pointers);
    file->file = NULL;
    file->words = NULL;
    file->pointers = (struct checkpoint_pointers){ 0 };
}

/* ---- restoring ------------------------------------------------------------------------------- */

struct restoring {
    struct checkpoint_file *file;
    struct checkpoint_regions now; /* of this process */
    struct checkpoint_found found;
    uint64_t next_pointer; /* in the list of the file */
    uint8_t *at;           /* the image */
    uint64_t page_count;
    bool has_lost_pointer; /* one has changed to what has no counterpart now */
};

/* Returns the value of a word that was an address after the set-up, or looked like one. Set-ups
 * differ only in pointers to the outside. */
static uint64_t merge_pointer(struct restoring *restoring, const struct checkpoint_pointer *pointer,
    uint64_t saved, uint64_t fresh)
{
    const struct checkpoint_regions *then = &restoring->file->regions;
    const struct checkpoint_region *program = &restoring->now.program;

    if (fresh == pointer->value || !checkpoint_regions_are_pointed_to(then, saved))
        return saved;
    restoring->found.kept++;
    if (saved == pointer->value)
        return fresh;
    if (checkpoint_region_has(&then->program, saved))
        return saved - then->program.start + program->start;
    restoring->has_lost_pointer = true;
    return saved;
}

/* Changes words that could be pointers, although the list does not have them. */
static void spoil_page(struct restoring *restoring, uint64_t *saved)
{
    for (size_t i = 0; i < PAGE_WORDS; i++)
        if (checkpoint_regions_are_pointed_to(&restoring->file->regions, saved[i])) {
            restoring->found.unexplained++;
            saved[i] = ~saved[i];
        }
}

static void merge_page(struct restoring *restoring, uint64_t page, uint64_t *saved)
{
    const struct checkpoint_pointers *pointers = &restoring->file->pointers;
    uint64_t *fresh = (uint64_t *)(restoring->at + page * STUDY_IMAGE_PAGE_BYTES);
    uint64_t merged[PAGE_WORDS];
    uint32_t places[PAGE_WORDS];
    uint32_t count = 0;

    for (; restoring->next_pointer < pointers->count; restoring->next_pointer++) {
        const struct checkpoint_pointer *pointer = &pointers->all[restoring->next_pointer];
        uint64_t place = pointer->word - page * PAGE_WORDS;

        if (pointer->word >= (page + 1) * PAGE_WORDS || count == PAGE_WORDS)
            break;
        if (place >= PAGE_WORDS) /* of an earlier page, which is zero now */
            continue;
        places[count] = (uint32_t)place;
        merged[count++] = merge_pointer(restoring, pointer, saved[place], fresh[place]);
        saved[place] = 0;
    }
    if (restoring->file->spoils_unexplained)
        spoil_page(restoring, saved);
    memcpy(fresh, saved, STUDY_IMAGE_PAGE_BYTES);
    for (uint32_t i = 0; i < count; i++)
        fresh[places[i]] = merged[i];
}

/* Zeroes pages, without touching those that are zero. */
static void clear_pages(struct restoring *restoring, uint64_t first, uint64_t end)
{
    static const uint8_t zeros[STUDY_IMAGE_PAGE_BYTES];
    size_t bytes = (end - first) * STUDY_IMAGE_PAGE_BYTES;
    uint8_t *at = restoring->at + first * STUDY_IMAGE_PAGE_BYTES;

    if (bytes >= LARGE_BYTES && madvise(at, bytes, MADV_DONTNEED) == 0)
        return;
    for (size_t i = 0; i < bytes; i += sizeof(zeros))
        if (memcmp(at + i, zeros, sizeof(zeros)) != 0)
            memset(at + i, 0, sizeof(zeros));
}

static bool restore_run(struct restoring *restoring, const struct checkpoint_run *run)
{
    uint64_t saved[PAGE_WORDS];

    for (uint64_t i = run->first_page; i < run->first_page + run->page_count; i++) {
        if (!read_words(restoring->file, saved, sizeof(saved)))
            return false;
        merge_page(restoring, i, saved);
    }
    return true;
}

static bool restore_pages(struct restoring *restoring)
{
    struct checkpoint_run run;
    uint64_t next = 0;

    for (;;) {
        if (!read_words(restoring->file, &run, sizeof(run)) || run.first_page < next ||
            run.first_page > restoring->page_count ||
            run.page_count > restoring->page_count - run.first_page)
            return false;
        clear_pages(restoring, next, run.first_page);
        if (run.page_count == 0)
            return run.first_page == restoring->page_count;
        if (!restore_run(restoring, &run))
            return false;
        next = run.first_page + run.page_count;
    }
}

static bool restore_image(struct restoring *restoring, char *reason)
{
    const struct checkpoint_file *file = restoring->file;

    if (!restore_pages(restoring) || file->sum != file->head.body_sum)
        return refuse_file(reason, "is damaged: its contents do not match their checksum");
    if (restoring->has_lost_pointer)
        return refuse_file(reason, "has pointers that cannot be restored; this is an error in mrc");
    return true;
}

bool checkpoint_file_restore(struct checkpoint_file *file, struct study_image *image,
    struct checkpoint_found *found, char reason[static CHECKPOINT_REASON_BYTES])
{
    size_t bytes = study_image_bytes(image);
    struct restoring *restoring = calloc(1, sizeof(*restoring));
    bool is_restored;
    int err;

    if (!restoring)
        return refuse_file(reason, strerror(ENOMEM));
    restoring->file = file;
    restoring->at = image->at;
    restoring->page_count = bytes / STUDY_IMAGE_PAGE_BYTES;
    err = checkpoint_regions_read(&restoring->now, image->at, bytes);
    is_restored = err ? refuse_file(reason, strerror(-err)) : restore_image(restoring, reason);
    *found = restoring->found;
    free(restoring);
    return is_restored;
}
