/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts as text for users. */
#pragma once

#include <stddef.h>

#include "map/map_verdict.h"

#define MAP_TEXT_BYTES 240

/* Writes e.g. "plane 3, t0.17 port 44 -> t1.9, one direction, 2.1 % loss since 12:03:07, 4 of 256
 * EVs denied". `since`: the time as the user reads it. `ev_count`: EVs that senders may use; 0: not
 * known. */
void map_text(const struct topology *, const struct map_verdict *, const char *since,
    uint32_t ev_count, char out[static MAP_TEXT_BYTES]);
