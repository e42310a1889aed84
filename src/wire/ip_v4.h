/* SPDX-License-Identifier: Apache-2.0 */
/* The IPv4 half of wire/ip.h. */
#pragma once

#include <stdint.h>

#include "base/bytes.h"
#include "wire/drop.h"
#include "wire/ip.h"

enum drop_reason ip_v4_parse(struct bytes_in *, struct ip_header *);
void ip_v4_build(struct bytes_out *, const struct ip_header *);

/* The one's complement sum of an IPv4 header of 20 bytes, checksum field included: 0 when it is
 * right. */
uint16_t ip_v4_checksum(const uint8_t *header);

/* Makes the checksum right. */
void ip_v4_seal(uint8_t *header);
