/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of descriptions, with a reason for each refusal. */
#pragma once

#include "topology/topology.h"

/* Checks everything but the exceptions. */
bool topology_check(const struct topology_config *, struct topology_problem *);

/* Checks what does not depend on the shape, also for graphs. */
bool topology_check_common(const struct topology_config *, struct topology_problem *);

/* Checks the exceptions of a fabric whose counts are valid. Writes them to `sorted` in order of
 * links. */
bool topology_check_exceptions(const struct topology *, const struct topology_config *,
    struct topology_exception *sorted, struct topology_problem *);
