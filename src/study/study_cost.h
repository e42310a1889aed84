/* SPDX-License-Identifier: Apache-2.0 */
/* What a fabric costs: prices.def. */
#pragma once

#include <jansson.h>

#include "topology/topology.h"

/* Returns "least_usd" and "most_usd", and the same of each part, with its source. Hosts and NICs
 * are not included. */
json_t *study_cost(const struct topology *);
