/* SPDX-License-Identifier: Apache-2.0 */
/* What a controller knows of the links of a fabric that does not run on its machine, as a sample of
 * mrc-dashboard(5). The numbers of links are those of fabric_layout(). */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "plan/plan.h"

/* `ports_down`: a mask for each NIC. The sample has no load. */
json_t *ctl_sample(const struct topology *, const uint32_t *ports_down, int64_t time_ms);
