/* SPDX-License-Identifier: Apache-2.0 */
/* The frames inside a soft fabric: numbered buffers of one size, and the state of each frame. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "switch/switch.h"

#define SOFT_FRAME_BYTES 4608 /* 4096 bytes of payload, all headers, and a margin */
#define SOFT_NO_FRAME    UINT32_MAX
#define SOFT_OWN_BYTES   256 /* all headers: always copied, even if the rest is lent */
#define SOFT_NO_LENDER   UINT32_MAX

struct soft_frame {
    uint64_t due_ps; /* arrival at the far end of its wire */
    uint32_t next;   /* the next frame on that wire; SOFT_NO_FRAME if none */
    uint16_t length; /* from the first IP header on */
    uint16_t reason; /* enum drop_reason: DROP_NONE, or the reason why every switch refuses it */
    struct port_entry entry; /* as queued by switches */
    const uint8_t *rest;     /* the bytes after SOFT_OWN_BYTES, if a NIC lends them */
    uint32_t lender;         /* the end of that NIC; SOFT_NO_LENDER: all bytes are here */
    uint32_t slot;           /* slot of the lender's ring */
};

_Static_assert(sizeof(struct soft_frame) == 40, "there is one per buffer: keep it small");

struct soft_frames {
    uint8_t *bytes; /* count * SOFT_FRAME_BYTES, touched when first used */
    struct soft_frame *list;
    uint32_t *free; /* stack: the last buffer released is the next one taken */
    uint32_t free_count;
    uint32_t count;
};

bool soft_frames_init(struct soft_frames *, uint32_t count);
void soft_frames_fini(struct soft_frames *);
/* Copies a frame that fits. */
void soft_frames_fill(
    struct soft_frames *, uint32_t frame_index, const uint8_t *bytes, uint32_t length);
/* Copies the first SOFT_OWN_BYTES of a longer frame. The end `lender` lends the rest. */
void soft_frames_borrow(struct soft_frames *, uint32_t frame_index, uint32_t lender,
    const uint8_t *bytes, uint32_t length);
/* Updates what switches know of the frame, after its bytes have changed. */
void soft_frames_read(struct soft_frames *, uint32_t frame_index);

static inline uint8_t *soft_frames_bytes(const struct soft_frames *frames, uint32_t frame)
{
    return frames->bytes + (uint64_t)frame * SOFT_FRAME_BYTES;
}

/* Returns the number of bytes in the buffer. Bytes that a NIC lends may change at any time, so no
 * decision depends on them. */
static inline uint32_t soft_frames_present(const struct soft_frames *frames, uint32_t frame)
{
    return frames->list[frame].lender == SOFT_NO_LENDER ? frames->list[frame].length
                                                        : SOFT_OWN_BYTES;
}

/* There must be a free buffer. */
static inline uint32_t soft_frames_take(struct soft_frames *frames)
{
    return frames->free[--frames->free_count];
}

static inline void soft_frames_give(struct soft_frames *frames, uint32_t frame)
{
    frames->free[frames->free_count++] = frame;
}
