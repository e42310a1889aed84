/* SPDX-License-Identifier: Apache-2.0 */
/* The link-layer headers that captures have before the IP header. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

bool link_layer_is_known(uint16_t link_type);

/* Skips the link-layer header. Returns true if an IP header is next. Otherwise writes the Ethernet
 * type, or 0 if there is none, to `ether_type`. */
bool link_layer_skip(uint16_t link_type, struct bytes_in *, uint16_t *ether_type);
