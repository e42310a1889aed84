/* SPDX-License-Identifier: Apache-2.0 */
/* A packet as a capture holds it. */
#pragma once

#include "decode/decode_packet.h"
#include "pktio/pktio.h"

/* Parses a packet that was just read from the capture. Hex lines must be MRC. `scratch`:
 * DECODE_PACKET_BYTES_MAX bytes, used as long as the packet. The iCRC is not checked. */
void decode_captured(struct decode_packet *, const struct wire_format *, const struct capture *,
    const struct capture_packet *, uint8_t *scratch);
