/* SPDX-License-Identifier: Apache-2.0 */
/* The iCRC of frames that parse: it agrees with the bit-serial reference, and sealing makes it
 * right. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "icrc_reference.h"
#include "must.h"
#include "wire/frame.h"
#include "wire/icrc.h"

static bool reference_ok(const struct frame *frame, const uint8_t *bytes)
{
    size_t covered = frame->length - FRAME_ICRC_BYTES - frame->inner_offset;
    uint32_t icrc = icrc_reference(bytes + frame->inner_offset, covered);
    const uint8_t *stored = bytes + frame->length - FRAME_ICRC_BYTES;

    MUST(icrc_compute(bytes + frame->inner_offset, covered) == icrc);
    for (uint32_t i = 0; i < FRAME_ICRC_BYTES; i++)
        if (stored[i] != (uint8_t)(icrc >> 8 * i))
            return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    static uint8_t sealed[1 << 17];
    struct frame frame;

    if (length_bytes > sizeof(sealed) ||
        frame_parse(&format_default, data, length_bytes, &frame) != DROP_NONE)
        return 0;
    MUST(frame_icrc_ok(&frame, data) == (frame_is_trimmed(&frame) || reference_ok(&frame, data)));
    memcpy(sealed, data, length_bytes);
    frame_seal(&frame, sealed);
    MUST(frame_icrc_ok(&frame, sealed));
    return 0;
}
