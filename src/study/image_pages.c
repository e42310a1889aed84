/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/self/pagemap, and compares pages with zeros. */
#include "study/image_pages.h"

#include <fcntl.h>
#include <string.h>

#include <sys/types.h>
#include <unistd.h>

#define PAGE_IS_PRESENT (UINT64_C(3) << 62) /* or swapped */

void image_pages_open(struct image_pages *pages, const struct study_image *image)
{
    *pages = (struct image_pages){ .at = image->at,
        .count =
            (study_image_used_bytes(image) + STUDY_IMAGE_PAGE_BYTES - 1) / STUDY_IMAGE_PAGE_BYTES,
        .pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) };
}

void image_pages_close(struct image_pages *pages)
{
    if (pages->pagemap >= 0)
        close(pages->pagemap);
}

/* Returns false if the page was never touched. */
static bool is_touched(struct image_pages *pages, uint64_t page)
{
    uint64_t address_page = (uint64_t)(uintptr_t)pages->at / STUDY_IMAGE_PAGE_BYTES + page;
    ssize_t got;

    if (pages->pagemap < 0)
        return true;
    if (page - pages->first_known >= pages->known_count) {
        got = pread(pages->pagemap, pages->known, sizeof(pages->known),
            (off_t)(address_page * sizeof(uint64_t)));
        pages->first_known = page;
        pages->known_count = got > 0 ? (uint64_t)got / sizeof(uint64_t) : 0;
        if (pages->known_count == 0)
            return true;
    }
    return pages->known[page - pages->first_known] & PAGE_IS_PRESENT;
}

bool image_pages_are_used(struct image_pages *pages, uint64_t page)
{
    static const uint8_t zeros[STUDY_IMAGE_PAGE_BYTES];

    return is_touched(pages, page) &&
           memcmp(image_pages_page(pages, page), zeros, sizeof(zeros)) != 0;
}
