/* SPDX-License-Identifier: Apache-2.0 */
/* Links that differ from the usual links of their kind, sorted by link. */
#pragma once

#include "topology/topology.h"

/* Returns a number for each link: host links by NIC and plane, then uplinks by plane, T0 and T1. */
uint64_t topology_exception_key(const struct topology_element *link);

void topology_exception_sort(struct topology_exception *, uint32_t count);

/* Returns the rate and delay of a link, including exceptions. False: the link is missing. */
bool topology_exception_kind(const struct topology_config *, const struct topology_element *link,
    struct topology_link_kind *kind);

/* Returns NULL if the link is not exceptional. */
const struct topology_exception *topology_exception_of(
    const struct topology_config *, const struct topology_element *link);
