/* SPDX-License-Identifier: Apache-2.0 */
/* --measure: simulates the failures of a fabric on a small one. */
#pragma once

#include "cmd/plan/plan_request.h"

/* Makes the runs. Returns NULL after an error message, with *status; the caller releases the result
 * with plan_measuring_end(). */
struct size_measure *plan_measuring(const char *command, const struct plan_options *,
    const struct size_fabric *, const struct job *, enum cmd_status *status);
void plan_measuring_end(struct size_measure *);

/* Prints measured beside calculated shares. */
void plan_measuring_print(
    const struct size_measure *, const struct size_fabric *, const struct size_failures *);
/* Prints what the columns are. */
void plan_measuring_explain(void);
