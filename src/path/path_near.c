/* SPDX-License-Identifier: Apache-2.0 */
/* The planes from which the shortest paths lead. */
#include <limits.h>

#include "path/ev_table.h"

/* A path of the full planned share that is in use. Weighted EVs begin in SKIP. */
static bool is_full(const struct path_set *set, uint32_t ev_index, uint32_t planes)
{
    const struct path_entry *entry = &set->profile->entries[ev_index];

    return entry->turns == 0 && (planes >> entry->plane & 1) && path_is_active(set, ev_index) &&
           path_state_of(set, ev_index) <= EV_SKIP;
}

uint32_t path_near_planes(const struct path_set *set, uint32_t plane_mask, uint32_t tolerance_ns)
{
    const struct path_entry *entries = set->profile->entries;
    uint32_t planes = path_usable_planes(set, plane_mask);
    int32_t most = INT32_MAX;
    uint32_t near = 0;

    for (uint32_t i = 0; i < set->ev_count; i++)
        if (entries[i].extra < most && is_full(set, i, planes))
            most = entries[i].extra;
    if (most < INT32_MAX)
        most += (int32_t)(tolerance_ns / PATH_EXTRA_NS);
    for (uint32_t i = 0; i < set->ev_count; i++)
        if (entries[i].extra <= most && is_full(set, i, planes))
            near |= UINT32_C(1) << entries[i].plane;
    return near;
}
