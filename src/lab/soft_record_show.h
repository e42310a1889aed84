/* SPDX-License-Identifier: Apache-2.0 */
/* The recording of a soft fabric as its control socket returns it. */
#pragma once

#include <jansson.h>

struct soft;

/* Returns faults and events, with times since the beginning of the recording, scaled to links at
 * full speed: times of a fabric that is N times slower are divided by N, and rates are multiplied
 * by N. */
json_t *soft_record_show(const struct soft *);
