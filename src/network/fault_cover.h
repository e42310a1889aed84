/* SPDX-License-Identifier: Apache-2.0 */
/* Determines the link directions that a fault covers. A NIC or a plane covers all its links, a
 * group its members. A switch that is down, flaps, reboots or is slow covers all its links; a
 * switch that loses, corrupts or swallows packets covers those that leave it. `direction` restricts
 * both.
 *
 * The links of an element are numbered: slot 2 k is the upward direction of link k, slot 2 k + 1
 * the downward direction. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "network/fault.h"

uint32_t fault_cover_slots(const struct topology *, const struct topology_element *);
/* Returns the largest number of slots of any element of the kind. */
uint32_t fault_cover_slots_max(const struct topology *, enum topology_component);

/* Returns the port that sends into the direction of the slot. Returns false if the fault does not
 * cover this direction, or if there is no cable. */
bool fault_cover_at(const struct topology *, const struct fault *, const struct topology_element *,
    uint32_t slot, struct topology_end *);

/* Calls back for every link direction that the fault covers, with the port that sends into it. */
void fault_cover(const struct topology *, const struct fault *,
    void (*covered)(void *context, struct topology_end from), void *context);
