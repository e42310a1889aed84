/* SPDX-License-Identifier: Apache-2.0 */
/* The IPv4 part of wire/ip.h. */
#pragma once

#include <stdint.h>

#include "base/bytes.h"
#include "wire/drop.h"
#include "wire/ip.h"

enum drop_reason ip_v4_parse(struct bytes_in *, struct ip_header *);
void ip_v4_build(struct bytes_out *, const struct ip_header *);

/* Returns the one's complement sum of an IPv4 header of 20 bytes, including the checksum field: 0
 * if it is correct. */
uint16_t ip_v4_checksum(const uint8_t *header);

/* Writes the correct checksum. */
void ip_v4_seal(uint8_t *header);
