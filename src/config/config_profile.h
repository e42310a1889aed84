/* SPDX-License-Identifier: Apache-2.0 */
/* The EV profile of a NIC as C. */
#pragma once

#include <stdio.h>

#include "plan/plan.h"

/* Writes the EVs of the NIC, those that the plan denies because links are missing, and functions
 * that load them. A fabric has them if it has several leaves and the plane is part of uSIDs;
 * otherwise only a comment is written. Not for graphs. */
void config_profile_write(const struct plan *, uint32_t nic, FILE *);
