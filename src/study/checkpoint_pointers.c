/* SPDX-License-Identifier: Apache-2.0 */
/* Compares all words of an image with the regions of the process. */
#include "study/checkpoint_pointers.h"

#include <stdlib.h>

#include "result/result.h"
#include "study/image_pages.h"

enum { PAGE_WORDS = STUDY_IMAGE_PAGE_BYTES / sizeof(uint64_t) };

struct finding {
    struct checkpoint_pointers *pointers;
    struct checkpoint_regions regions;
    struct image_pages pages;
    size_t room;
};

static void look_at_page(struct finding *finding, uint64_t page)
{
    const uint64_t *words = image_pages_page(&finding->pages, page);
    struct checkpoint_pointers *pointers = finding->pointers;

    for (uint64_t i = 0; i < PAGE_WORDS; i++) {
        if (!checkpoint_regions_are_pointed_to(&finding->regions, words[i]))
            continue;
        pointers->all =
            grow_list(pointers->all, pointers->count, &finding->room, sizeof(*pointers->all));
        pointers->all[pointers->count++] =
            (struct checkpoint_pointer){ .word = page * PAGE_WORDS + i, .value = words[i] };
    }
}

int checkpoint_pointers_find(struct checkpoint_pointers *pointers, const struct study_image *image)
{
    struct finding *finding = grow_take(1, sizeof(*finding));
    int err = checkpoint_regions_read(&finding->regions, image->at, study_image_bytes(image));

    *pointers = (struct checkpoint_pointers){ 0 };
    finding->pointers = pointers;
    image_pages_open(&finding->pages, image);
    for (uint64_t page = 0; page < finding->pages.count && !err; page++)
        if (image_pages_are_used(&finding->pages, page))
            look_at_page(finding, page);
    image_pages_close(&finding->pages);
    free(finding);
    return err;
}

void checkpoint_pointers_fini(struct checkpoint_pointers *pointers)
{
    free(pointers->all);
}
