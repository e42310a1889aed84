/* SPDX-License-Identifier: Apache-2.0 */
/* The recording of a soft fabric, as its control socket hands it out. */
#pragma once

#include <jansson.h>

struct soft;

/* Faults and events, with times from the beginning of the recording, as they would be on links at
 * full speed: a fabric that is N times slower divides times and multiplies rates by N. With "clear"
 * in the request the recording begins anew. */
json_t *soft_record_show(struct soft *, const json_t *request);
