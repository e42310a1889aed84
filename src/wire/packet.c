/* SPDX-License-Identifier: Apache-2.0 */
/* Names of NACK reasons. */
#include "wire/packet.h"

#include <stddef.h>

const char *packet_nack_reason_name(uint8_t reason)
{
    switch (reason) {
#define NACK_REASON(identifier, code, help)                                                        \
    case NACK_##identifier:                                                                        \
        return #identifier;
#include "wire/nack.def"
#undef NACK_REASON
    default:
        return NULL;
    }
}
