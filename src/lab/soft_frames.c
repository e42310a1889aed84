/* SPDX-License-Identifier: Apache-2.0 */
/* Setting up the buffers. */
#include "lab/soft_frames.h"

#include <stdlib.h>
#include <sys/mman.h>

bool soft_frames_init(struct soft_frames *frames, uint32_t count)
{
    size_t size = (size_t)count * SOFT_FRAME_BYTES;

    *frames = (struct soft_frames){ .count = count };
    frames->bytes = mmap(
        NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (frames->bytes == MAP_FAILED)
        return false;
    frames->lengths = calloc(count, sizeof(*frames->lengths));
    frames->free = calloc(count, sizeof(*frames->free));
    if (!frames->lengths || !frames->free) {
        soft_frames_fini(frames);
        return false;
    }
    while (frames->free_count < count) {
        frames->free[frames->free_count] = count - 1 - frames->free_count;
        frames->free_count++;
    }
    return true;
}

void soft_frames_fini(struct soft_frames *frames)
{
    munmap(frames->bytes, (size_t)frames->count * SOFT_FRAME_BYTES);
    free(frames->lengths);
    free(frames->free);
}
