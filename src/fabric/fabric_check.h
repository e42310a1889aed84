/* SPDX-License-Identifier: Apache-2.0 */
/* Which descriptions can be wired, and what is wrong with the others. */
#pragma once

#include "fabric/fabric.h"

/* A full packet: outer and inner IPv6 headers, UDP, BTH, METH, TSETH, RETH, payload, iCRC. */
#define FABRIC_PACKET_BYTES      (40 + 40 + 8 + 12 + 4 + 4 + 16 + 4096 + 4)
#define FABRIC_SACK_BYTES        (40 + 40 + 8 + 12 + 28 + 8 + 4)
#define FABRIC_TRIMMED_BYTES_MIN (40 + 40 + 8 + 12 + 4 + 4)

/* Everything but the exceptions. */
bool fabric_check(const struct fabric_config *, struct fabric_problem *);

/* Of a fabric whose counts are known. Returns them in `sorted`, in their order. */
bool fabric_check_exceptions(const struct fabric *, const struct fabric_config *,
    struct fabric_exception *sorted, struct fabric_problem *);
