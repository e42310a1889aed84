/* SPDX-License-Identifier: Apache-2.0 */
/* Trimming a frame in place, as a switch does (docs/wire.md §14). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/format.h"

/* Returns the number of bytes of the frame that must survive, from its first IP header through a
 * TSETH. 0 if the frame is not an IP packet. */
size_t trim_bytes_min(const uint8_t *bytes, size_t length);

/* Trims the frame to `keep_bytes` (at least trim_bytes_min()), sets the outermost DSCP and corrects
 * the outermost IP length and checksum. Inner and UDP lengths are unchanged, so that the receiver
 * knows what was lost. Returns the new length; a frame that is short enough keeps its length.
 * Returns 0 and changes nothing if the frame is not an IP packet that MRC could have sent. */
size_t trim_frame(uint8_t *bytes, size_t length, size_t keep_bytes, uint8_t dscp);
