/* SPDX-License-Identifier: Apache-2.0 */
/* A fabric that the controller knows by its plan, as documents of mrc-dashboard(5). The numbers of
 * links are those of a soft fabric. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "plan/plan.h"

json_t *ctl_layout(const struct topology *);

/* Returns a sample in which the ports of NICs that are down are known, and no load.
 * `ports_down`: a mask for each NIC. */
json_t *ctl_layout_sample(const struct topology *, const uint32_t *ports_down, int64_t time_ms);
