/* SPDX-License-Identifier: Apache-2.0 */
/* NETH, 20 bytes: Reliability NACK (docs/wire.md §9). */
#pragma once

#include "base/bytes.h"
#include "wire/packet.h"

#define NACK_BYTES 20

void nack_parse(struct bytes_in *, struct packet *);
void nack_build(struct bytes_out *, const struct packet *);
