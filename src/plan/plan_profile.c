/* SPDX-License-Identifier: Apache-2.0 */
/* The EV profile of a pair: the shortest paths of each port, in random order among equal
 * lengths. */
#include "plan/plan_profile.h"

#include "plan/plan.h"

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t share_of_port(const struct plan_profile_size *size, uint32_t total)
{
    return smaller((total + size->port_count / 2) / size->port_count, PLAN_PORT_PATHS);
}

static uint32_t active_per_port(const struct plan_profile_size *size)
{
    uint32_t most = smaller(PATH_EV_COUNT_MAX / size->port_count, PLAN_PORT_PATHS);
    uint32_t active = share_of_port(size, size->active);

    if (size->active == 0)
        return most;
    return smaller(active > 0 ? active : 1, most);
}

uint32_t plan_profile_per_port(const struct plan_profile_size *size)
{
    return smaller(active_per_port(size) + share_of_port(size, size->backup),
        PATH_EV_COUNT_MAX / size->port_count);
}

void plan_profile_leave_out_missing(
    const struct plan *plan, uint32_t from, uint32_t to, struct path_profile *profile)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < profile->entry_count; i++) {
        struct path_entry entry = profile->entries[i];
        bool is_last =
            i + 1 == profile->entry_count || profile->entries[i + 1].plane != entry.plane;
        bool has_none = kept == 0 || profile->entries[kept - 1].plane != entry.plane;

        if (plan_crosses(plan, from, to, entry.ev) || (is_last && has_none))
            profile->entries[kept++] = entry;
    }
    profile->entry_count = kept;
}

void plan_profile_port(const struct plan *plan, uint32_t port, const uint8_t *switch_counts,
    uint32_t path_count, struct path_entry *entries, struct prng *prng)
{
    uint32_t start = 0;

    for (uint32_t i = 0; i < path_count; i++) {
        entries[i] = (struct path_entry){ .ev = plan_ev(plan, (struct ev_path){ port, i }),
            .plane = (uint8_t)port };
        if (i + 1 == path_count || switch_counts[i + 1] != switch_counts[i]) {
            path_entries_shuffle(&entries[start], i + 1 - start, prng);
            start = i + 1;
        }
    }
}

bool plan_profile_make(struct path_profile *profile, struct path_entry *entries,
    uint32_t entry_count, const struct plan_profile_size *size)
{
    if (!path_profile_explicit(profile, entries, entry_count, size->port_count))
        return false;
    path_profile_weigh(profile);
    profile->is_ordered = true;
    profile->active_per_plane = smaller(profile->active_per_plane, active_per_port(size));
    profile->min_active = size->min_active;
    return true;
}
