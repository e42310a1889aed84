/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles that an agent makes on a device for programs that name them: an EV profile with the EVs
 * of the fabric, its format, and a congestion control profile. Orders are JSON:
 *
 *     { "ev_profile": 1, "evs": [[0, 0], [257, 1], ...], "cc_profile": 1, "deny": [[257, 1], ...] }
 */
#pragma once

#include <jansson.h>

#include "control/control.h"

#define CTL_PROFILE_EVS_MAX 1024

/* Makes the profiles that the orders name, or changes them; those that are not named stay. EVs that
 * the orders deny are denied in the profile, too. Returns 0 or a negative errno: -EBUSY if QPs use
 * a profile with other EVs. */
int ctl_profile_load(const struct port_admin *, const json_t *orders);
