/* SPDX-License-Identifier: Apache-2.0 */
/* Which descriptions can be wired, and what is wrong with the others. */
#pragma once

#include "topology/topology.h"

/* Everything but the exceptions. */
bool topology_check(const struct topology_config *, struct topology_problem *);

/* The same of a graph: what does not depend on its shape. */
bool topology_check_common(const struct topology_config *, struct topology_problem *);

/* Of a fabric whose counts are known. Returns them in `sorted`, in their order. */
bool topology_check_exceptions(const struct topology *, const struct topology_config *,
    struct topology_exception *sorted, struct topology_problem *);
