/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a checkpoint: a head, what the caller needs to read the inputs again, the memory
 * outside of the image, the pointers to it, and those pages of the image that are not zero. The
 * file is complete or absent: it is written beside its place, flushed to the disk and renamed.
 *
 * A file is a copy of memory. Two checksums find damage, but nothing protects against a file that
 * was made to deceive. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "study/checkpoint_pointers.h"
#include "study/checkpoint_regions.h"
#include "study/study_image.h"

#define CHECKPOINT_HASH_BYTES   24
#define CHECKPOINT_REASON_BYTES 256

/* What a run depends on. A checkpoint continues only the same. */
struct checkpoint_identity {
    char version[CHECKPOINT_HASH_BYTES];
    uint64_t program; /* hash of the executable */
    char experiment[CHECKPOINT_HASH_BYTES];
    char fabric[CHECKPOINT_HASH_BYTES];
    uint64_t seed;
    uint64_t traffic; /* hash of what was read from files of workloads */
    uint8_t uses_heap;
    uint8_t wire;
    uint8_t checks;
    uint8_t reserved[5];
};

struct checkpoint_head {
    char magic[8];
    uint64_t format;
    struct checkpoint_identity identity;
    uint64_t now_ps;
    uint64_t sim_hash;
    uint64_t image_at;
    uint64_t arena_bytes;
    uint64_t heap_bytes;
    uint64_t shard_count;
    uint64_t words_bytes;
    uint64_t pointer_count;
    uint64_t file_bytes;
    uint64_t body_sum; /* of everything behind the head */
    uint64_t head_sum; /* of everything before */
};

/* ---- writing --------------------------------------------------------------------------------- */

/* The caller fills in what describes the run. `words` is text for the reader. Returns 0 or a
 * negative errno; in that case an earlier file stays as it was. */
int checkpoint_file_write(const char *path, struct checkpoint_head *, const struct study_image *,
    const struct checkpoint_pointers *, const char *words);

/* ---- reading --------------------------------------------------------------------------------- */

struct checkpoint_file {
    FILE *file;
    const char *path;
    struct checkpoint_head head;
    char *words;
    struct checkpoint_regions regions;   /* of the process that wrote it */
    struct checkpoint_pointers pointers; /* after its set-up */
    uint64_t sum;                        /* of the body, as far as it was read */
    bool spoils_unexplained; /* restores such words wrongly: a test that nothing uses them */
};

/* Reads everything before the pages. Returns false with the reason if this is not a complete
 * checkpoint of this format. */
bool checkpoint_file_open(
    struct checkpoint_file *, const char *path, char reason[static CHECKPOINT_REASON_BYTES]);
void checkpoint_file_close(struct checkpoint_file *);

/* What was found in the image. */
struct checkpoint_found {
    uint64_t kept;        /* pointers to the outside, which keep the value of the new process */
    uint64_t unexplained; /* counted only if they are spoiled: other words that could be pointers to
                             the outside of the old process. Most are left in fields that are not in
                             use. */
};

/* Restores the image, in which the same run has just been set up at the same address with the same
 * sizes. Returns false with the reason; the image is then unusable. */
bool checkpoint_file_restore(struct checkpoint_file *, struct study_image *,
    struct checkpoint_found *, char reason[static CHECKPOINT_REASON_BYTES]);

/* ---- both ------------------------------------------------------------------------------------ */

extern const char checkpoint_file_magic[8];
#define CHECKPOINT_FILE_FORMAT 1

/* Consecutive pages of the image, followed by their contents. The last one has no pages. */
struct checkpoint_run {
    uint64_t first_page;
    uint64_t page_count;
};

/* Continues the hash of a sequence of words. */
uint64_t checkpoint_file_sum(uint64_t sum, const void *words, size_t bytes);
uint64_t checkpoint_file_head_sum(const struct checkpoint_head *);
