/* SPDX-License-Identifier: Apache-2.0 */
/* An observer of a simulation that remembers all reports in their order. */
#pragma once

#include <stdint.h>

#include "sim/sim.h"

struct seen {
    uint64_t hash; /* of all reports, in their order */
    uint64_t count;
};

struct sim_observer seen_observer(struct seen *);
