/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about faults: what they name exists, or they are refused with a reason.
 *
 *     "where"  p0.t0.3-t1.2, h12.p3, p0.t1.2, p2 or h12
 *     "what"   that this is: link, port, switch, plane or nic; need not be said
 *     "ev"     packets of this path alone, p0/u3; without "where" in all of its plane
 *     "kind"   down, flap, blackhole, loss, corrupt or slow, with
 *     "probability", "rate_bps", "period_ns", "duty_permille", as the kind needs them
 *     "for_ns" how long; if not given, until it is cleared */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "lab/soft_fault.h"

struct soft;

#define SOFT_REASON_BYTES 256
#define SOFT_PLACE_BYTES  64

/* The place alone. */
bool soft_request_place(const struct soft *, const json_t *request, struct soft_fault *,
    char reason[static SOFT_REASON_BYTES]);
/* All of it, from now on. */
bool soft_request_fault(const struct soft *, const json_t *request, struct soft_fault *,
    char reason[static SOFT_REASON_BYTES]);

/* The place, for people. */
void soft_request_name(
    const struct soft *, const struct soft_fault *, char out[static SOFT_PLACE_BYTES]);
