/* SPDX-License-Identifier: Apache-2.0 */
/* What captures put in front of the IP header. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

bool link_layer_is_known(uint16_t link_type);

/* Reads over the link layer header. True: an IP header is next. False: the frame is something else;
 * its Ethernet type goes to `ether_type`, 0 when it has none. */
bool link_layer_skip(uint16_t link_type, struct bytes_in *, uint16_t *ether_type);
