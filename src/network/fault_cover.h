/* SPDX-License-Identifier: Apache-2.0 */
/* Which link directions a fault covers. A NIC or a plane stands for all its links, a group for its
 * members.
 * So does a switch that is down, flaps, reboots or is slow; where a switch loses, corrupts or
 * swallows, what leaves it does. `direction` cuts down either.
 *
 * The links of an element are numbered; slot 2 k is the way up over link k, slot 2 k + 1 the way
 * down. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "network/fault.h"

uint32_t fault_cover_slots(const struct topology *, const struct topology_element *);
/* No element of the kind has more. */
uint32_t fault_cover_slots_max(const struct topology *, enum topology_component);

/* The port that sends into the slot's direction. False: the fault leaves this one alone, or it has
 * no cable. */
bool fault_cover_at(const struct topology *, const struct fault *, const struct topology_element *,
    uint32_t slot, struct topology_end *);

/* Tells every link direction that the fault covers, by the port that sends into it. */
void fault_cover(const struct topology *, const struct fault *,
    void (*covered)(void *context, struct topology_end from), void *context);
