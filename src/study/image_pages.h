/* SPDX-License-Identifier: Apache-2.0 */
/* Which pages of an image are in use. Pages that were never touched are not read, which would cost
 * time and page tables. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "study/study_image.h"

struct image_pages {
    const uint8_t *at;
    uint64_t count; /* behind these all is zero */
    int pagemap;    /* -1: not available */
    uint64_t first_known;
    uint64_t known_count;
    uint64_t known[512]; /* of /proc/self/pagemap, from first_known on */
};

void image_pages_open(struct image_pages *, const struct study_image *);
void image_pages_close(struct image_pages *);

/* Returns true if the page is not zero. */
bool image_pages_are_used(struct image_pages *, uint64_t page);

static inline const void *image_pages_page(const struct image_pages *pages, uint64_t page)
{
    return pages->at + page * STUDY_IMAGE_PAGE_BYTES;
}
