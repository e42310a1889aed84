/* SPDX-License-Identifier: Apache-2.0 */
/* AETH, 4 bytes: Transport ACK and NAK (docs/wire.md §6). */
#pragma once

#include "base/bytes.h"
#include "wire/drop.h"
#include "wire/packet.h"

enum drop_reason ack_parse(struct bytes_in *, struct packet *);
void ack_build(struct bytes_out *, const struct packet *);

static inline bool ack_is_nak(uint8_t syndrome)
{
    return (syndrome & 0xe0) == 0x60;
}
