/* SPDX-License-Identifier: Apache-2.0 */
/* PETH, 16 bytes: Reliability Probe Request (docs/wire.md §10). */
#pragma once

#include "base/bytes.h"
#include "wire/packet.h"

#define PROBE_BYTES 16

void probe_parse(struct bytes_in *, struct packet *);
void probe_build(struct bytes_out *, const struct packet *);
