/* SPDX-License-Identifier: Apache-2.0 */
/* The EVs that a QP uses: over a graph, and where links are missing. */
#pragma once

#include <stdint.h>

#include "base/prng.h"
#include "path/path.h"

struct plan;

/* The values of the parameters ev_active, ev_backup and ev_min_active: EVs over all ports. */
struct plan_profile_size {
    uint32_t port_count;
    uint32_t active; /* 0: the maximum of a QP */
    uint32_t backup;
    uint32_t min_active;
};

/* Returns the largest number of EVs of one port in the profile. */
uint32_t plan_profile_per_port(const struct plan_profile_size *);

/* Removes EVs of a generated profile whose links are missing between the two NICs. A plane keeps at
 * least one EV, even if it does not work. */
void plan_profile_leave_out_missing(
    const struct plan *, uint32_t from, uint32_t to, struct path_profile *);

/* Orders the EVs of one port to a destination: shorter paths first, paths of one length in random
 * order. `switch_counts` has the length of each path, in ascending order. */
void plan_profile_port(const struct plan *, uint32_t port, const uint8_t *switch_counts,
    uint32_t path_count, struct path_entry *entries, struct prng *);

/* Makes a profile of the entries, which must have the order above. Returns false if there are
 * none. */
bool plan_profile_make(struct path_profile *, struct path_entry *entries, uint32_t entry_count,
    const struct plan_profile_size *);
