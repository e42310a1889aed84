/* SPDX-License-Identifier: Apache-2.0 */
/* The denylist of a device: the EVs that its own profile does not use, changed through mrc_ctl.h,
 * whether or not a process has the device open. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "control/port_admin.h"

#define EV_ADMIN_MAX 1024

/* An EV as packets carry it, and its plane. */
struct ev_admin_ev {
    uint32_t ev;
    uint32_t plane;
};

/* Reads the denylist. Returns the number of EVs, or a negative errno. */
int ev_admin_list(const struct port_admin *, struct ev_admin_ev out[static EV_ADMIN_MAX]);

/* Denies or allows EVs, all of them or none. Returns 0 or a negative errno: -EINVAL if the device
 * has no such plane, -E2BIG if too many EVs would be denied. */
int ev_admin_set(
    const struct port_admin *, const struct ev_admin_ev *, uint32_t count, bool denied);

/* Makes the denylist exactly this one, in one change. */
int ev_admin_replace(const struct port_admin *, const struct ev_admin_ev *, uint32_t count);
