/* SPDX-License-Identifier: Apache-2.0 */
/* EV profiles: drawn at random, or listed by a controller. plan/ makes those of a fabric. */
#include "path/path_profile.h"

#include <assert.h>

#define AUTO_EV_COUNT (UINT32_C(1) << 16) /* number of UDP source ports */

void path_entries_shuffle(struct path_entry *entries, uint32_t count, struct prng *prng)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t other = i + prng_below(prng, count - i);
        struct path_entry swapped = entries[i];

        entries[i] = entries[other];
        entries[other] = swapped;
    }
}

void path_profile_auto(struct path_profile *profile, uint32_t plane_count, uint32_t per_plane_count,
    struct path_entry *entries, struct prng *prng)
{
    assert(plane_count >= 1 && plane_count <= PATH_PLANE_COUNT_MAX);
    assert(per_plane_count >= 1 && per_plane_count <= PATH_EV_COUNT_MAX / plane_count);
    *profile = (struct path_profile){
        .entries = entries,
        .plane_count = plane_count,
        .active_per_plane = per_plane_count,
    };
    while (profile->entry_count < plane_count * per_plane_count) {
        uint32_t ev = prng_below(prng, AUTO_EV_COUNT);

        if (path_profile_find(profile, ev) == PATH_NONE) {
            uint32_t plane = profile->entry_count / per_plane_count;

            entries[profile->entry_count++] =
                (struct path_entry){ .ev = ev, .plane = (uint8_t)plane };
        }
    }
}

/* Insertion sort, because it is stable: the order of the controller decides which EVs start
 * active. */
static void sort_by_plane(struct path_entry *entries, uint32_t entry_count)
{
    for (uint32_t i = 1; i < entry_count; i++) {
        struct path_entry entry = entries[i];
        uint32_t at = i;

        for (; at > 0 && entries[at - 1].plane > entry.plane; at--)
            entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

static uint32_t largest_plane(const struct path_profile *profile)
{
    uint32_t largest = 0;

    for (uint32_t plane = 0; plane < profile->plane_count; plane++) {
        uint32_t count =
            path_profile_plane_first(profile, plane + 1) - path_profile_plane_first(profile, plane);

        largest = count > largest ? count : largest;
    }
    return largest;
}

bool path_profile_explicit(struct path_profile *profile, struct path_entry *entries,
    uint32_t entry_count, uint32_t plane_count)
{
    if (entry_count == 0 || entry_count > PATH_EV_COUNT_MAX || plane_count > PATH_PLANE_COUNT_MAX)
        return false;
    for (uint32_t i = 0; i < entry_count; i++)
        if (entries[i].plane >= plane_count)
            return false;
    sort_by_plane(entries, entry_count);
    *profile = (struct path_profile){
        .entries = entries,
        .entry_count = entry_count,
        .plane_count = plane_count,
    };
    profile->active_per_plane = largest_plane(profile);
    return true;
}

/* ---- weights ----------------------------------------------------------------------------------*/

static uint32_t weight_of(const struct path_entry *entry)
{
    return entry->weight ? entry->weight : PATH_WEIGHT_USUAL;
}

/* Sets the turns of the EVs [first, end) of a plane. Returns their sum. */
static uint32_t weigh_plane(struct path_profile *profile, uint32_t first, uint32_t end)
{
    enum { TURNS_LEAST = 2, TURNS_ALL = 240 };
    uint32_t most = 1;
    uint32_t sum = 0;

    for (uint32_t i = first; i < end; i++) {
        sum += weight_of(&profile->entries[i]);
        most = weight_of(&profile->entries[i]) > most ? weight_of(&profile->entries[i]) : most;
    }
    for (uint32_t i = first; i < end; i++) {
        uint32_t turns = (weight_of(&profile->entries[i]) * 256 + most / 2) / most;

        turns = turns > TURNS_LEAST ? turns : TURNS_LEAST;
        profile->entries[i].turns = turns < TURNS_ALL ? (uint8_t)turns : 0;
        profile->is_weighted |= turns < TURNS_ALL;
    }
    profile->is_rough |= end - first > 1 && 3 * most > 2 * sum;
    return sum;
}

static int16_t mean_extra(const struct path_profile *profile, uint32_t plane, uint32_t weights)
{
    uint32_t end = path_profile_plane_first(profile, plane + 1);
    int64_t sum = 0;

    for (uint32_t i = path_profile_plane_first(profile, plane); i < end; i++)
        sum += (int64_t)weight_of(&profile->entries[i]) * profile->entries[i].extra;
    return (int16_t)(weights > 0 ? sum / weights : 0);
}

/* True if the share of a plane is not that of an equal one, within a 16th as for the turns of EVs:
 * a slow link of another leaf changes it by less, and measured delays are the better guide then. */
static bool is_uneven(uint32_t sum, uint32_t equal)
{
    uint32_t apart = sum > equal ? sum - equal : equal - sum;

    return UINT64_C(16) * apart > equal;
}

void path_profile_weigh(struct path_profile *profile)
{
    uint32_t sums[PATH_PLANE_COUNT_MAX];
    uint32_t used_count = 0;
    uint32_t all = 0;

    profile->is_weighted = false;
    profile->is_rough = false;
    for (uint32_t plane = 0; plane < profile->plane_count; plane++) {
        sums[plane] = weigh_plane(profile, path_profile_plane_first(profile, plane),
            path_profile_plane_first(profile, plane + 1));
        profile->plane_extras[plane] = mean_extra(profile, plane, sums[plane]);
        used_count += sums[plane] > 0;
        all += sums[plane];
    }
    assert(all > 0); /* no weight is 0, and a profile has entries */
    for (uint32_t plane = 0; plane < profile->plane_count; plane++) {
        uint64_t weight = (uint64_t)sums[plane] * used_count * PLANES_EQUAL / all;

        profile->plane_weights[plane] = (uint16_t)(weight > PLANES_LEAST ? weight : PLANES_LEAST);
        profile->is_weighted |= sums[plane] > 0 && is_uneven(sums[plane] * used_count, all);
    }
}

uint32_t path_profile_usable_count(const struct path_profile *profile)
{
    uint32_t usable_count = 0;
    uint32_t of_plane = 0;

    for (uint32_t i = 0; i < profile->entry_count; i++) {
        if (i > 0 && profile->entries[i].plane != profile->entries[i - 1].plane)
            of_plane = 0;
        of_plane += !profile->entries[i].denied;
        if (!profile->entries[i].denied && of_plane <= profile->active_per_plane)
            usable_count++;
    }
    return usable_count;
}

uint32_t path_profile_find(const struct path_profile *profile, uint32_t ev)
{
    for (uint32_t i = 0; i < profile->entry_count; i++)
        if (profile->entries[i].ev == ev)
            return i;
    return PATH_NONE;
}

uint32_t path_profile_plane_first(const struct path_profile *profile, uint32_t plane)
{
    uint32_t low = 0;
    uint32_t high = profile->entry_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (profile->entries[middle].plane < plane)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
