/* SPDX-License-Identifier: Apache-2.0 */
/* Trimming anything, sound or not: nothing is written beyond the outermost IP header, and a WRITE
 * stays recognisable. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "must.h"
#include "wire/frame.h"
#include "wire/trim.h"

static uint8_t *copy_of(const uint8_t *data, size_t length)
{
    uint8_t *copy = malloc(length ? length : 1);

    if (!copy)
        abort();
    memcpy(copy, data, length);
    return copy;
}

/* What was lost is known from what stayed. */
static void expect_recognised(const struct frame *whole, const uint8_t *bytes, size_t length)
{
    struct frame trimmed;

    MUST(frame_parse(&format_default, bytes, length, &trimmed) == DROP_NONE);
    MUST(trimmed.packet.class == DSCP_TRIMMED);
    MUST(trimmed.packet.ecn == whole->packet.ecn);
    MUST(trimmed.packet.psn.value == whole->packet.psn.value);
    MUST(trimmed.packet.write.msn == whole->packet.write.msn);
    MUST(trimmed.packet.write.payload.length == whole->packet.write.payload.length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    uint8_t *copy = copy_of(data, length_bytes);
    size_t bytes_min = trim_bytes_min(data, length_bytes);
    size_t keep_bytes = bytes_min + (length_bytes ? data[length_bytes - 1] : 0u);
    size_t ip_bytes = length_bytes && data[0] >> 4 == 4 ? IP_V4_BYTES : IP_V6_BYTES;
    size_t length = trim_frame(copy, length_bytes, keep_bytes, format_default.dscp[DSCP_TRIMMED]);
    struct frame whole;

    MUST(length <= length_bytes);
    MUST(length == 0 || length == length_bytes || length == keep_bytes);
    if (length == 0)
        MUST(memcmp(copy, data, length_bytes) == 0);
    else
        MUST(memcmp(copy + ip_bytes, data + ip_bytes, length_bytes - ip_bytes) == 0);
    if (frame_parse(&format_default, data, length_bytes, &whole) == DROP_NONE &&
        opcode_is_write(whole.packet.opcode) && !frame_is_trimmed(&whole))
        expect_recognised(&whole, copy, length);
    free(copy);
    return 0;
}
