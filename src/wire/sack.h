/* SPDX-License-Identifier: Apache-2.0 */
/* SETH and CC_STATE, 28 + 8 bytes: Reliability SACK (docs/wire.md §8). */
#pragma once

#include "base/bytes.h"
#include "wire/packet.h"

#define SACK_BYTES 36 /* with CC_STATE */

void sack_parse(struct bytes_in *, struct packet *);
void sack_build(struct bytes_out *, const struct packet *);
