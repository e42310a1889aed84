/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of this process outside an image: the program, and everything else that is mapped. A
 * word of the image that is an address in there is a pointer to code, to the inputs of the run or
 * to its listeners, and has another value in another process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHECKPOINT_REGIONS_MAX 1024

struct checkpoint_region {
    uint64_t start;
    uint64_t end;
};

struct checkpoint_regions {
    struct checkpoint_region program; /* code and data of the executable */
    struct checkpoint_region all;     /* from the first to the last, with the program */
    uint32_t count;
    uint32_t reserved;
    struct checkpoint_region others[CHECKPOINT_REGIONS_MAX]; /* sorted */
};

/* Returns 0 or a negative errno: -ENOTSUP if addresses of the program are so low that numbers
 * could be mistaken for them, -E2BIG if there are too many regions. */
int checkpoint_regions_read(struct checkpoint_regions *, const void *image, size_t image_bytes);

static inline bool checkpoint_region_has(const struct checkpoint_region *region, uint64_t address)
{
    return address - region->start < region->end - region->start;
}

/* Returns true if the word is an address in the program or in one of the others. */
bool checkpoint_regions_are_pointed_to(const struct checkpoint_regions *, uint64_t word);
