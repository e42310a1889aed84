/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about faults. Requests that name unknown parts of the fabric are refused with a reason.
 *
 *     where      p0.t0.3-t1.2, h12.p3, p0.t1.2, p2 or h12, or several such names with commas
 *     what       the kind of these names: link, port, switch, plane or nic; optional
 *     ev         only packets of this path, p0/u3; without `where` in its whole plane
 *     kind       kind of fault in fault.def, with its parameters
 *     direction  direction in fault.def; optional
 *     at_ps      time after the beginning of the script, until which it is held; default: now
 *     for_ps     duration; default: until it is cleared
 *     check      only checks the fault */
#pragma once

#include <stdbool.h>

#include "control/control.h"
#include "lab/soft_fault.h"

struct soft;

#define SOFT_REASON_BYTES 256
#define SOFT_PLACE_BYTES  128

/* The arguments of a request for a fault; those of a place have the same names elsewhere. */
extern const struct request_argument soft_request_arguments[];

/* Reads only the place. */
bool soft_request_place(const struct soft *, const struct request *, struct soft_fault *,
    char reason[static SOFT_REASON_BYTES]);
/* Reads the complete fault. */
bool soft_request_fault(const struct soft *, const struct request *, struct soft_fault *,
    char reason[static SOFT_REASON_BYTES]);

/* Writes the path of a fault of one EV, as p0/u3. */
void soft_request_path(
    const struct soft *, const struct soft_fault *, char out[static SOFT_PLACE_BYTES]);

/* Writes the place as text for users. */
void soft_request_name(
    const struct soft *, const struct soft_fault *, char out[static SOFT_PLACE_BYTES]);
