/* SPDX-License-Identifier: Apache-2.0 */
/* Which link directions an element stands for, by arithmetic. Its links are numbered; slot 2 k is
 * the way up over link k, slot 2 k + 1 the way down. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/sim.h"

uint32_t fault_cover_slots(const struct topology *, const struct topology_element *);

/* The port that sends into the slot's direction. False: the fault leaves this one alone, or it has
 * no cable. */
bool fault_cover_at(const struct topology *, const struct sim_fault *,
    const struct topology_element *, uint32_t slot, struct topology_end *);

/* A link that the fabric lacks. */
bool fault_cover_is_missing(const struct topology *, const struct topology_element *);

/* Its links only go down and up: nothing has to be asked about each packet. */
static inline bool fault_cover_is_down(enum sim_fault_kind kind)
{
    return kind == SIM_FAULT_DOWN || kind == SIM_FAULT_FLAP || kind == SIM_FAULT_REBOOT;
}
