/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about faults: what they name exists, or they are refused with a reason.
 *
 *     "where"      p0.t0.3-t1.2, h12.p3, p0.t1.2, p2 or h12, or a list of such names
 *     "what"       that these are: link, port, switch, plane or nic; need not be said
 *     "ev"         packets of this path alone, p0/u3; without "where" in all of its plane
 *     "kind"       of fault.def, with the parameters that it needs or may have
 *     "direction"  of fault.def; need not be said
 *     "at_ps"      when, after the beginning of a script, until which it is held; if not given, now
 *     "for_ps"     how long; if not given, until it is cleared */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "lab/soft_fault.h"

struct soft;

#define SOFT_REASON_BYTES 256
#define SOFT_PLACE_BYTES  128

/* The place alone. */
bool soft_request_place(const struct soft *, const json_t *request, struct soft_fault *,
    char reason[static SOFT_REASON_BYTES]);
/* All of it. */
bool soft_request_fault(const struct soft *, const json_t *request, struct soft_fault *,
    char reason[static SOFT_REASON_BYTES]);

/* Its path, p0/u3; it is of an EV. */
void soft_request_path(
    const struct soft *, const struct soft_fault *, char out[static SOFT_PLACE_BYTES]);

/* The place, for people. */
void soft_request_name(
    const struct soft *, const struct soft_fault *, char out[static SOFT_PLACE_BYTES]);
