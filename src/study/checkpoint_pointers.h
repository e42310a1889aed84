/* SPDX-License-Identifier: Apache-2.0 */
/* The words of an image that are addresses outside of it, right after the set-up of a run. The same
 * set-up in another process differs from this one only in pointers to the outside, and all of them
 * are in this list; a number that happens to look like an address is in it, too, and does not
 * differ. */
#pragma once

#include <stdint.h>

#include "study/checkpoint_regions.h"
#include "study/study_image.h"

struct checkpoint_pointer {
    uint64_t word; /* number of the word in the image */
    uint64_t value;
};

struct checkpoint_pointers {
    struct checkpoint_pointer *all; /* by word */
    uint64_t count;
};

/* Returns 0 or a negative errno. */
int checkpoint_pointers_find(struct checkpoint_pointers *, const struct study_image *);
void checkpoint_pointers_fini(struct checkpoint_pointers *);
