/* SPDX-License-Identifier: Apache-2.0 */
/* Base transport header, 12 bytes (docs/wire.md §4). */
#pragma once

#include "base/bytes.h"
#include "wire/drop.h"
#include "wire/format.h"
#include "wire/packet.h"

#define BTH_BYTES        12
#define BTH_ENDPOINT_QPN UINT32_C(2) /* the QP number of Endpoint operations */

/* Fills in opcode, flags, dest_qpn and psn. `pad_bytes`: set to the pad count. */
enum drop_reason bth_parse(
    const struct wire_format *, struct bytes_in *, struct packet *, uint8_t *pad_bytes);
void bth_build(const struct wire_format *, struct bytes_out *, const struct packet *);
