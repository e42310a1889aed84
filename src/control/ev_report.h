/* SPDX-License-Identifier: Apache-2.0 */
/* Events of running NICs as evidence for a map. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "map/map.h"

/* Takes an event of the NIC `from`: an EV that turns bad or ceases to be, or a QP that fails or is
 * reset. Events without a peer in this fabric, and all others, are ignored. An EV that is denied is
 * not bad: a controller denies it. */
void ev_report_take(
    struct map_evs *, struct map *, const json_t *event, uint32_t from, uint64_t now_ms);
