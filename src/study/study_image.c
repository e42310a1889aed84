/* SPDX-License-Identifier: Apache-2.0 */
/* Maps memory at an address that does not depend on how the system places programs. */
#include "study/study_image.h"

#include <errno.h>

#include <sys/mman.h>

#include "study/image_heap.h"

#define ALIGNMENT_BYTES ((size_t)2 << 20) /* a large page */
#define HEAP_BYTES_MOST ((size_t)64 << 30)
#define HEAP_BYTES_MIN  ((size_t)64 << 20)

/* Below programs and libraries, where systems map nothing. */
static const uintptr_t places[] = { UINT64_C(0x200000000000), UINT64_C(0x280000000000) };

static int map_at(struct study_image *image, uintptr_t place)
{
    size_t bytes = study_image_bytes(image);
    void *mapped = mmap((void *)place, bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (mapped == MAP_FAILED)
        return -errno;
    if ((uintptr_t)mapped != place) { /* old systems do not know the flag */
        munmap(mapped, bytes);
        return -EEXIST;
    }
    image->at = mapped;
    return 0;
}

static int map_somewhere(struct study_image *image)
{
    int err = -ENOMEM;

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        err = map_at(image, places[i]);
        if (err == 0)
            break;
    }
    return err;
}

/* Untouched pages cost nothing, but a system may limit what is mapped. */
static int map_image(struct study_image *image, void *at, size_t heap_bytes)
{
    int err;

    image->heap_bytes = heap_bytes ? heap_bytes : HEAP_BYTES_MOST;
    for (;;) {
        err = at ? map_at(image, (uintptr_t)at) : map_somewhere(image);
        if (err != -ENOMEM || heap_bytes || image->heap_bytes <= HEAP_BYTES_MIN)
            return err;
        image->heap_bytes /= 2;
    }
}

int study_image_open(struct study_image *image, void *at, size_t arena_bytes, size_t heap_bytes)
{
    int err;

    *image = (struct study_image){ .arena_bytes = (arena_bytes + ALIGNMENT_BYTES - 1) &
                                                  ~(ALIGNMENT_BYTES - 1) };
    err = map_image(image, at, heap_bytes);
    if (err)
        return err;
    madvise(image->at, image->arena_bytes, MADV_HUGEPAGE); /* may be refused */
    arena_init_zero(&image->arena, image->at, image->arena_bytes);
    image->allocator =
        image_heap_allocator(image_heap_init(image->at + image->arena_bytes, image->heap_bytes));
    return 0;
}

void study_image_close(struct study_image *image)
{
    munmap(image->at, study_image_bytes(image));
}

size_t study_image_used_bytes(const struct study_image *image)
{
    return image->arena_bytes + image_heap_used_bytes(image->allocator.context);
}
