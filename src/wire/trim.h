/* SPDX-License-Identifier: Apache-2.0 */
/* Trimming a frame in place, as a switch does (docs/wire.md §14). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/format.h"

/* What must survive of the frame at `bytes`, counted from its first IP header: everything through a
 * TSETH. 0 when the frame is not an IP packet. */
size_t trim_bytes_min(const uint8_t *bytes, size_t length);

/* Cuts the frame to `keep_bytes` (at least trim_bytes_min()), sets the outermost DSCP and repairs
 * the outermost IP length and checksum. Inner and UDP lengths stay, so that the receiver learns
 * what was lost. Returns the new length; a frame that is short enough already keeps its own. 0, and
 * nothing done, when it is not an IP packet that MRC could have sent. */
size_t trim_frame(uint8_t *bytes, size_t length, size_t keep_bytes, uint8_t dscp);
