/* SPDX-License-Identifier: Apache-2.0 */
/* Flows that are apart: no two of them share a link of a NIC, as in permutations and rings.
 *
 * If links of NICs limit all of them, each flow has the full rate of its own link. When some of
 * them end, the others have less competition and cannot become faster, so their rates and limits
 * stay. A set that is part of such a set needs no solution of its own, unless a pair of a ring is
 * tied to a slower one (capacity_ring.h). */
#pragma once

#include "capacity/capacity_cache.h"

/* Finds out whether all pairs of the simulation are apart. Without memory, they count as if not. If
 * they are apart and there is no fault yet, solves the set of all pairs now: the solution takes
 * memory that packets need later. Returns 0, -ENOMEM or -EIO. */
int capacity_apart_init(struct capacity_track *);

/* Remembers the rates of the requested set, solved as `entry`, if they hold for its parts. */
void capacity_apart_note(
    struct capacity_cache *, const struct capacity_track *, const struct capacity_entry *);

/* Returns true if the requested set is part of the one that was remembered. */
bool capacity_apart_covers(const struct capacity_cache *, const struct capacity_track *);

/* Completes the entry of a set that is covered, which has the limits of its first flows. */
void capacity_apart_complete(const struct capacity_cache *, struct capacity_entry *);
