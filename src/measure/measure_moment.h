/* SPDX-License-Identifier: Apache-2.0 */
/* The current values of everything that only grows. */
#pragma once

#include "measure/measure.h"

/* Does not count EVs, which takes longer. */
struct measure_moment measure_moment_of(const struct measure_record *);
void measure_moment_evs(const struct measure_record *, struct measure_moment *);
void measure_moment_fini(const struct measure_record *, struct measure_moment *);
