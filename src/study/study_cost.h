/* SPDX-License-Identifier: Apache-2.0 */
/* What the links of a fabric cost. */
#pragma once

#include <jansson.h>

#include "files/files.h"
#include "topology/topology.h"

/* Returns "least_usd" and "most_usd", and the same of each part, with its source. A switch costs in
 * proportion to the ports that are used. Hosts, NICs and cables are not included. */
json_t *study_cost(const struct topology *, const struct prices *);
