/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates the buffers, and reads the frames in them. */
#include "lab/soft_frames.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

bool soft_frames_init(struct soft_frames *frames, uint32_t count)
{
    size_t size = (size_t)count * SOFT_FRAME_BYTES;

    *frames = (struct soft_frames){ .count = count };
    frames->bytes = mmap(
        NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (frames->bytes == MAP_FAILED)
        return false;
    frames->list = calloc(count, sizeof(*frames->list));
    frames->free = calloc(count, sizeof(*frames->free));
    if (!frames->list || !frames->free) {
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
    free(frames->list);
    free(frames->free);
}

void soft_frames_read(struct soft_frames *frames, uint32_t frame_index)
{
    struct soft_frame *frame = &frames->list[frame_index];
    struct switch_frame bytes;

    frame->reason = (uint16_t)switch_frame_open(
        &bytes, SWITCH_BARE_IP, soft_frames_bytes(frames, frame_index), frame->length);
    bytes.present = soft_frames_present(frames, frame_index);
    if (frame->reason == DROP_NONE)
        frame->entry = switch_frame_entry(&bytes, &format_default, frame_index);
}

void soft_frames_fill(
    struct soft_frames *frames, uint32_t frame_index, const uint8_t *bytes, uint32_t length)
{
    memcpy(soft_frames_bytes(frames, frame_index), bytes, length);
    frames->list[frame_index].length = (uint16_t)length;
    frames->list[frame_index].lender = SOFT_NO_LENDER;
    soft_frames_read(frames, frame_index);
}

void soft_frames_borrow(struct soft_frames *frames, uint32_t frame_index, uint32_t lender,
    const uint8_t *bytes, uint32_t length)
{
    memcpy(soft_frames_bytes(frames, frame_index), bytes, SOFT_OWN_BYTES);
    frames->list[frame_index].length = (uint16_t)length;
    frames->list[frame_index].lender = lender;
    frames->list[frame_index].rest = bytes + SOFT_OWN_BYTES;
    soft_frames_read(frames, frame_index);
}
