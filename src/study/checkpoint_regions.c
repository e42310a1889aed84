/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/self/maps. */
#include "study/checkpoint_regions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <link.h>

/* Programs, heaps, libraries and stacks are above; the shadow memory of AddressSanitizer, which
 * nothing in an image points to, and values that numbers often have are below. */
#define LEAST_ADDRESS (UINT64_C(1) << 45)
#define MOST_ADDRESS  (UINT64_C(1) << 48)
#define MOST_BYTES    (UINT64_C(1) << 40) /* more: reserved by a sanitizer */

/* The first object is the program. */
static int find_program(struct dl_phdr_info *info, size_t bytes, void *context)
{
    struct checkpoint_region *program = context;

    (void)bytes;
    *program = (struct checkpoint_region){ .start = UINT64_MAX };
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + segment->p_vaddr;

        if (segment->p_type != PT_LOAD)
            continue;
        if (start < program->start)
            program->start = start;
        if (start + segment->p_memsz > program->end)
            program->end = start + segment->p_memsz;
    }
    return 1;
}

static bool overlaps(const struct checkpoint_region *a, const struct checkpoint_region *b)
{
    return a->start < b->end && b->start < a->end;
}

static bool is_wanted(const struct checkpoint_regions *regions,
    const struct checkpoint_region *image, const struct checkpoint_region *found)
{
    return found->start >= LEAST_ADDRESS && found->end <= MOST_ADDRESS &&
           found->end - found->start < MOST_BYTES && !overlaps(found, image) &&
           !overlaps(found, &regions->program);
}

/* Adjacent regions become one. */
static int add_region(struct checkpoint_regions *regions, const struct checkpoint_region *found)
{
    struct checkpoint_region *last = regions->count ? &regions->others[regions->count - 1] : NULL;

    if (found->start < regions->all.start)
        regions->all.start = found->start;
    if (found->end > regions->all.end)
        regions->all.end = found->end;
    if (last && last->end == found->start) {
        last->end = found->end;
        return 0;
    }
    if (regions->count == CHECKPOINT_REGIONS_MAX)
        return -E2BIG;
    regions->others[regions->count++] = *found;
    return 0;
}

/* A line begins with "START-END r", in hexadecimal, unless the region is only reserved. */
static bool read_region(const char *line, struct checkpoint_region *found)
{
    char *end;

    found->start = strtoull(line, &end, 16);
    if (*end != '-')
        return false;
    found->end = strtoull(end + 1, &end, 16);
    return end[0] == ' ' && end[1] == 'r';
}

static int add_regions(
    struct checkpoint_regions *regions, const struct checkpoint_region *image, FILE *maps)
{
    struct checkpoint_region found;
    char *line = NULL;
    size_t room = 0;
    int err = 0;

    while (!err && getline(&line, &room, maps) > 0)
        if (read_region(line, &found) && is_wanted(regions, image, &found))
            err = add_region(regions, &found);
    free(line);
    return err;
}

int checkpoint_regions_read(
    struct checkpoint_regions *regions, const void *image, size_t image_bytes)
{
    struct checkpoint_region own = { (uint64_t)(uintptr_t)image,
        (uint64_t)(uintptr_t)image + image_bytes };
    FILE *maps = fopen("/proc/self/maps", "r");
    int err = -ENOTSUP;

    if (!maps)
        return -errno;
    dl_iterate_phdr(find_program, &regions->program);
    regions->all = regions->program;
    regions->count = 0;
    regions->reserved = 0;
    if (regions->program.start >= LEAST_ADDRESS)
        err = add_regions(regions, &own, maps);
    (void)fclose(maps);
    return err;
}

static bool are_others(const struct checkpoint_regions *regions, uint64_t address)
{
    uint32_t first = 0;
    uint32_t end = regions->count;

    while (first < end) {
        uint32_t middle = first + (end - first) / 2;

        if (regions->others[middle].end <= address)
            first = middle + 1;
        else
            end = middle;
    }
    return first < regions->count && checkpoint_region_has(&regions->others[first], address);
}

bool checkpoint_regions_are_pointed_to(const struct checkpoint_regions *regions, uint64_t word)
{
    return checkpoint_region_has(&regions->all, word) &&
           (checkpoint_region_has(&regions->program, word) || are_others(regions, word));
}
