/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts of a map, as its controller stores them. */
#pragma once

#include "ctl/ctl_map.h"

/* Loads those that an earlier process left open. They stay so until the map confirms them, or has
 * not for as many periods as a fault of 1 % needs to be named. */
void ctl_map_verdict_load(struct ctl_map *);
/* After a round: opens, updates and ends verdicts in the store. */
void ctl_map_verdict_update(struct ctl_map *, const struct ctl_denylist *, uint64_t now_ms);
