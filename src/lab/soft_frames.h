/* SPDX-License-Identifier: Apache-2.0 */
/* The frames inside a soft fabric: buffers of one size, named by number. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SOFT_FRAME_BYTES 4608 /* 4096 bytes of payload, all headers, and some room */

struct soft_frames {
    uint8_t *bytes;    /* count * SOFT_FRAME_BYTES, touched when first used */
    uint16_t *lengths; /* from the first IP header on */
    uint32_t *free;    /* stack: the last one given back is the next one taken */
    uint32_t free_count;
    uint32_t count;
};

bool soft_frames_init(struct soft_frames *, uint32_t count);
void soft_frames_fini(struct soft_frames *);

static inline uint8_t *soft_frames_bytes(const struct soft_frames *frames, uint32_t frame)
{
    return frames->bytes + (uint64_t)frame * SOFT_FRAME_BYTES;
}

/* There is one. */
static inline uint32_t soft_frames_take(struct soft_frames *frames)
{
    return frames->free[--frames->free_count];
}

static inline void soft_frames_give(struct soft_frames *frames, uint32_t frame)
{
    frames->free[frames->free_count++] = frame;
}
