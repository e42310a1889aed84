/* SPDX-License-Identifier: Apache-2.0 */
/* When the components of a kind break by themselves. */
#pragma once

#include <stdint.h>

#include "base/prng.h"
#include "network/fault.h"

/* Faults at random: every component of a kind breaks by itself, at exponential intervals. */
struct fault_generator {
    struct fault fault; /* without `where` and times */
    enum topology_component component;
    uint64_t mean_between_ps; /* of one component */
    uint64_t duration_ps;
};

/* It makes sense on this fabric; false: `problem` has the member at fault, and why. */
bool fault_generator_check(const struct plan *, const struct fault_generator *, struct problem *);

/* A stream of its own for each component of each generator, whatever else breaks. */
struct prng fault_generator_stream(uint64_t seed, uint32_t generator, uint32_t component);

/* The time to the next fault: exponential, at most FAULT_NEVER_PS. */
uint64_t fault_generator_interval_ps(struct prng *, uint64_t mean_ps);
