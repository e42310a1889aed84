/* SPDX-License-Identifier: Apache-2.0 */
/* Which EVs a QP uses over a graph. */
#pragma once

#include <stdint.h>

#include "base/prng.h"
#include "path/path.h"

struct plan;

/* The EVs of one port towards a destination, whose paths pass so many switches: the shorter ones
 * first, those of one length in random order. */
void plan_profile_port(const struct plan *, uint32_t port, const uint8_t *switch_counts,
    uint32_t path_count, struct path_entry *entries, struct prng *);
