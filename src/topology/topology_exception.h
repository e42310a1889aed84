/* SPDX-License-Identifier: Apache-2.0 */
/* Links that differ from their kind, kept in the order of links. */
#pragma once

#include "topology/topology.h"

/* A number for each link: host links by NIC and plane, then uplinks by plane, T0 and T1. */
uint64_t topology_exception_key(const struct topology_element *link);

void topology_exception_sort(struct topology_exception *, uint32_t count);

/* The kind of a link, exceptions included; false: it is missing. */
bool topology_exception_kind(const struct topology_config *, const struct topology_element *link,
    struct topology_link_kind *kind);

/* NULL: the link is as its kind. */
const struct topology_exception *topology_exception_of(
    const struct topology_config *, const struct topology_element *link);
