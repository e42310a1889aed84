/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that only grows, as of now. */
#pragma once

#include "measure/measure.h"

/* Without EVs, which take longer to count. */
struct measure_moment measure_moment_of(const struct measure_record *);
void measure_moment_evs(const struct measure_record *, struct measure_moment *);
void measure_moment_fini(const struct measure_record *, struct measure_moment *);
