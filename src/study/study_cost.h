/* SPDX-License-Identifier: Apache-2.0 */
/* What the links of a fabric cost. */
#pragma once

#include <jansson.h>

#include "files/files.h"
#include "topology/topology.h"

/* Sums of the rates of links. */
struct study_cost_links {
    double host_gbps;   /* to NICs */
    double switch_gbps; /* between switches */
};
struct study_cost_links study_cost_links_of(const struct topology *);
/* Returns the mean of the least and the most that they cost. */
double study_cost_mean_usd(const struct study_cost_links *, const struct prices *);

/* Returns "least_usd" and "most_usd", and the same of each part, with its source. A switch costs in
 * proportion to the ports that are used. Hosts, NICs and cables are not included. */
json_t *study_cost(const struct topology *, const struct prices *);
