/* SPDX-License-Identifier: Apache-2.0 */
/* Names of what packets say. */
#include "wire/packet.h"

#include <stddef.h>

const char *packet_nack_reason_name(uint8_t reason)
{
    switch (reason) {
    case NACK_TRIMMED:
        return "TRIMMED";
    case NACK_TRIMMED_LASTHOP:
        return "TRIMMED_LASTHOP";
    case NACK_NO_BITMAP:
        return "NO_BITMAP";
    case NACK_NO_PKT_BUFFER:
        return "NO_PKT_BUFFER";
    case NACK_NO_RESOURCE:
        return "NO_RESOURCE";
    case NACK_PSN_OOR_WINDOW:
        return "PSN_OOR_WINDOW";
    case NACK_UNEXP_EVENT:
        return "UNEXP_EVENT";
    default:
        return NULL;
    }
}
