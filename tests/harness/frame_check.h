/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of every parsed frame, and how two frames differ. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/frame.h"

/* NULL, or the first thing that is wrong with a frame that parsed without a reason to drop it:
 * offsets outside the bytes, lengths that disagree, numbers wider than their fields. */
const char *frame_check_fault(const struct frame *, const uint8_t *bytes, size_t length);

/* NULL, or the name of the first field in which they differ. What an encapsulation or an opcode has
 * no use for is not looked at, nor is where the payload lies in memory. */
const char *frame_check_difference(const struct frame *, const struct frame *);

/* NULL, or the first field of the transport headers in which they differ. */
const char *frame_check_packets(const struct packet *, const struct packet *);

const char *frame_check_ip_headers(const struct ip_header *, const struct ip_header *);
