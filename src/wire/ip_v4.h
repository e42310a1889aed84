/* SPDX-License-Identifier: Apache-2.0 */
/* The IPv4 part of wire/ip.h. */
#pragma once

#include <stdint.h>

#include "base/bytes.h"
#include "wire/drop.h"
#include "wire/ip.h"

enum drop_reason ip_v4_parse(struct bytes_in *, struct ip_header *);
void ip_v4_build(struct bytes_out *, const struct ip_header *);

/* Writes the correct checksum of a header of 20 bytes. */
void ip_v4_seal(uint8_t *header);
