/* SPDX-License-Identifier: Apache-2.0 */
/* The EVs on which a responder sends its control packets, and the planes among which it alternates
 * (docs/protocol.md §17). */
#include <assert.h>

#include "base/bits.h"
#include "path/path.h"
#include "path/path_profile.h"

#define FAILED_EVS_MAX 3 /* largest count of two bits */

enum { TURN_PACKETS = 8 }; /* so that control packets seldom overtake each other */

/* Returns a random EV of the plane that is not denied, other than `other_than` if possible;
 * otherwise that or PATH_NONE. */
static uint32_t draw_ev(
    const struct path_profile *profile, uint32_t plane, uint32_t other_than, struct prng *prng)
{
    uint32_t first = path_profile_plane_first(profile, plane);
    uint32_t count = path_profile_plane_first(profile, plane + 1) - first;
    uint32_t start = count ? prng_below(prng, count) : 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = start + i < count ? start + i : start + i - count;

        if (!profile->entries[first + at].denied && first + at != other_than)
            return first + at;
    }
    return other_than;
}

/* Something on the plane has failed: the older EVs may be dead, too. */
static void forget_older(struct path_reverse *reverse, uint32_t plane)
{
    for (uint32_t i = 0; i < reverse->older_per_plane; i++)
        reverse->older[plane * reverse->older_per_plane + i] = reverse->planes[plane].ev_index;
}

static void set_ev(struct path_reverse *reverse, uint32_t plane, uint32_t ev_index)
{
    reverse->planes[plane].ev_index = ev_index & (PATH_EV_COUNT_MAX - 1);
    reverse->planes[plane].failures = 0;
    reverse->planes[plane].was_probed = 0;
}

void path_reverse_init(struct path_reverse *reverse, const struct path_profile *profile)
{
    uint32_t older = PATH_REVERSE_OLDER_MAX / profile->plane_count;

    *reverse = (struct path_reverse){
        .older_per_plane =
            (uint8_t)(older < PATH_REVERSE_PLANE_MAX ? older : PATH_REVERSE_PLANE_MAX),
    };
    for (uint32_t i = profile->entry_count; i-- > 0;) {
        uint32_t plane = profile->entries[i].plane;

        if (profile->entries[i].denied)
            continue;
        set_ev(reverse, plane, i);
        reverse->plane_mask |= (uint16_t)(1u << plane);
    }
}

void path_reverse_scatter(
    struct path_reverse *reverse, const struct path_profile *profile, struct prng *prng)
{
    if (profile->is_ordered || profile->is_weighted)
        return;
    for (uint32_t planes = reverse->plane_mask; planes; planes &= planes - 1)
        set_ev(
            reverse, bits_lowest(planes), draw_ev(profile, bits_lowest(planes), PATH_NONE, prng));
}

uint32_t path_reverse_choose(struct path_reverse *reverse, uint32_t plane_mask, uint32_t preferred)
{
    uint32_t planes = reverse->plane_mask & plane_mask;
    uint32_t in_rotation = planes & ~(uint32_t)reverse->out_mask;
    uint32_t later;
    uint32_t plane;

    if (in_rotation)
        planes = in_rotation;
    if (!planes)
        return PATH_NONE;
    if (preferred < PATH_PLANE_COUNT_MAX && planes >> preferred & 1)
        return preferred;
    later = planes & ~UINT32_C(0) << reverse->turn;
    plane = bits_lowest(later ? later : planes);
    reverse->turn = (uint8_t)(plane + 1);
    return plane;
}

uint32_t path_reverse_ev(const struct path_reverse *reverse, uint32_t plane)
{
    assert(plane < PATH_PLANE_COUNT_MAX);
    assert(reverse->plane_mask >> plane & 1);
    return reverse->planes[plane].ev_index;
}

uint32_t path_reverse_next_ev(struct path_reverse *reverse, uint32_t plane)
{
    uint32_t turn = reverse->ev_turn / TURN_PACKETS;

    assert(plane < PATH_PLANE_COUNT_MAX);
    assert(reverse->plane_mask >> plane & 1);
    if (!reverse->planes[plane].was_probed)
        return reverse->planes[plane].ev_index;
    reverse->ev_turn++;
    if (reverse->ev_turn == (reverse->older_per_plane + 1u) * TURN_PACKETS)
        reverse->ev_turn = 0;
    return turn == 0 ? reverse->planes[plane].ev_index
                     : reverse->older[plane * reverse->older_per_plane + turn - 1];
}

static uint32_t count_ev(const uint16_t *evs, uint32_t count, uint32_t ev_index)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++)
        found += evs[i] == ev_index;
    return found;
}

/* Returns the place of the EV that is there most often. If each is there once, returns that of
 * `successor`, and otherwise the next in turn. */
static uint32_t place_to_reuse(
    struct path_reverse *reverse, const uint16_t *older, uint32_t successor)
{
    uint32_t count = reverse->older_per_plane;
    uint32_t most = 1;
    uint32_t place = count;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t times = count_ev(older, count, older[i]);

        if (times > most || (most == 1 && older[i] == successor)) {
            most = times;
            place = i;
        }
    }
    if (place < count)
        return place;
    place = reverse->older_turn;
    reverse->older_turn = (uint8_t)(place + 1 < count ? place + 1 : 0);
    return place;
}

/* The newest EV becomes one of the older ones. Where paths are fewer than places, each path then
 * has about as many places: the links of one path may have no capacity to spare for all answers. */
static void keep_older(struct path_reverse *reverse, uint32_t plane, uint32_t successor)
{
    uint16_t *older = &reverse->older[(size_t)plane * reverse->older_per_plane];

    older[place_to_reuse(reverse, older, successor)] = reverse->planes[plane].ev_index;
}

static void take_ev(struct path_reverse *reverse, uint32_t plane, struct path_reverse_plane newest)
{
    reverse->planes[plane] = newest;
    reverse->plane_mask |= (uint16_t)(1u << plane);
    reverse->out_mask &= (uint16_t) ~(1u << plane);
}

void path_reverse_on_probe_answered(
    struct path_reverse *reverse, const struct path_profile *profile, uint32_t ev_index)
{
    uint32_t plane = profile->entries[ev_index].plane;
    bool was_probed = reverse->planes[plane].was_probed;

    if (was_probed && reverse->planes[plane].ev_index != ev_index)
        keep_older(reverse, plane, ev_index);
    take_ev(reverse, plane,
        (struct path_reverse_plane){
            .ev_index = ev_index & (PATH_EV_COUNT_MAX - 1), .was_probed = 1 });
    if (!was_probed) /* the EV of the start is one that many NICs have */
        forget_older(reverse, plane);
}

void path_reverse_on_unmarked(
    struct path_reverse *reverse, const struct path_profile *profile, uint32_t ev_index)
{
    take_ev(reverse, profile->entries[ev_index].plane,
        (struct path_reverse_plane){ .ev_index = ev_index & (PATH_EV_COUNT_MAX - 1) });
}

void path_reverse_avoid(struct path_reverse *reverse, const struct path_profile *profile,
    uint32_t ev_index, struct prng *prng)
{
    uint32_t plane = profile->entries[ev_index].plane;
    uint32_t other;

    forget_older(reverse, plane);
    if (!(reverse->plane_mask >> plane & 1) || reverse->planes[plane].ev_index != ev_index)
        return;
    other = draw_ev(profile, plane, ev_index, prng);
    set_ev(reverse, plane, other);
    if (profile->entries[other].denied)
        reverse->plane_mask &= (uint16_t) ~(1u << plane);
}

/* Returns a random EV of the plane with the full planned share; otherwise PATH_NONE. */
static uint32_t draw_full(
    const struct path_profile *profile, uint32_t plane, uint32_t other_than, struct prng *prng)
{
    uint32_t first = path_profile_plane_first(profile, plane);
    uint32_t end = path_profile_plane_first(profile, plane + 1);
    uint32_t found = PATH_NONE;
    uint32_t count = 0;

    for (uint32_t i = first; i < end; i++)
        if (profile->entries[i].turns == 0 && !profile->entries[i].denied && i != other_than &&
            prng_below(prng, ++count) == 0)
            found = i;
    return found;
}

uint32_t path_reverse_other(const struct path_reverse *reverse, const struct path_profile *profile,
    uint32_t plane, struct prng *prng)
{
    uint32_t way_back = reverse->planes[plane].ev_index;
    uint32_t full = prng_next(prng) >> 63 ? draw_full(profile, plane, way_back, prng) : PATH_NONE;

    return full == PATH_NONE ? draw_ev(profile, plane, way_back, prng) : full;
}

/* Returns the planes in the rotation on which a probe has failed since the last answer. */
static uint32_t planes_in_doubt(const struct path_reverse *reverse, uint32_t planes)
{
    uint32_t in_doubt = 0;

    planes &= reverse->plane_mask & ~(uint32_t)reverse->out_mask;
    for (; planes; planes &= planes - 1) {
        uint32_t plane = bits_lowest(planes);
        const struct path_reverse_plane *state = &reverse->planes[plane];

        if (state->failures || state->failed_evs || state->is_suspect)
            in_doubt |= UINT32_C(1) << plane;
    }
    return in_doubt;
}

bool path_reverse_is_in_doubt(const struct path_reverse *reverse)
{
    uint32_t unknown = reverse->plane_mask;

    for (uint32_t planes = reverse->plane_mask; planes; planes &= planes - 1)
        if (reverse->planes[bits_lowest(planes)].was_probed)
            unknown &= ~(UINT32_C(1) << bits_lowest(planes));
    return unknown != 0 || reverse->out_mask != 0 ||
           planes_in_doubt(reverse, reverse->plane_mask) != 0;
}

static uint32_t draw_plane(uint32_t planes, struct prng *prng)
{
    for (uint32_t skip = prng_below(prng, bits_count(planes)); skip > 0; skip--)
        planes &= planes - 1;
    return bits_lowest(planes);
}

uint32_t path_reverse_probe_target(const struct path_reverse *reverse,
    const struct path_profile *profile, uint32_t plane_mask, struct prng *prng)
{
    uint32_t planes = plane_mask & ((UINT32_C(1) << profile->plane_count) - 1);
    uint32_t in_doubt = planes_in_doubt(reverse, planes);

    if (!planes)
        return PATH_NONE;
    /* Only half of the time: otherwise planes outside the rotation would never be tried again. */
    if (in_doubt && prng_next(prng) >> 63)
        return reverse->planes[draw_plane(in_doubt, prng)].ev_index;
    return draw_ev(profile, draw_plane(planes, prng), PATH_NONE, prng);
}

static void leave_rotation(struct path_reverse *reverse, uint32_t plane)
{
    uint16_t out_mask = (uint16_t)(reverse->out_mask | 1u << plane);

    if (reverse->plane_mask & ~out_mask)
        reverse->out_mask = out_mask;
}

void path_reverse_on_probe_failed(struct path_reverse *reverse, const struct path_profile *profile,
    uint32_t ev_index, uint32_t failed_evs_out, struct prng *prng)
{
    uint32_t plane = profile->entries[ev_index].plane;
    struct path_reverse_plane *state = &reverse->planes[plane];

    assert(failed_evs_out >= 1 && failed_evs_out <= FAILED_EVS_MAX);
    forget_older(reverse, plane);
    if (state->ev_index != ev_index) {
        state->is_suspect = 1;
        return;
    }
    if (!state->failures) {
        state->failures = 1;
        return;
    }
    if (state->failed_evs < FAILED_EVS_MAX)
        state->failed_evs++;
    set_ev(reverse, plane, draw_ev(profile, plane, ev_index, prng));
    if (state->failed_evs >= failed_evs_out)
        leave_rotation(reverse, plane);
}
