/* SPDX-License-Identifier: Apache-2.0 */
/* Random times at which the components of a kind fail. */
#pragma once

#include <stdint.h>

#include "base/prng.h"
#include "network/fault.h"

/* Random faults: every component of a kind fails independently, at exponential intervals. */
struct fault_generator {
    struct fault fault; /* without `where` and times */
    enum topology_component component;
    uint64_t mean_between_ps; /* per component */
    uint64_t duration_ps;
};

/* Returns whether the generator is possible on this fabric. If not, `problem` has the member and
 * the reason. */
bool fault_generator_check(const struct plan *, const struct fault_generator *, struct problem *);

/* Returns an independent stream for each component of each generator. */
struct prng fault_generator_stream(uint64_t seed, uint32_t generator, uint32_t component);

/* Returns the time to the next fault: exponential, at most FAULT_NEVER_PS. */
uint64_t fault_generator_interval_ps(struct prng *, uint64_t mean_ps);
