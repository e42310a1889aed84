/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the EVs of a QP in a fabric with planes and uplinks. */
#include "plan/plan_generate.h"

#include <assert.h>

#include "plan/plan_ev.h"

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t per_plane(uint32_t total, uint32_t plane_count)
{
    return (total + plane_count / 2) / plane_count;
}

/* The numbers of EVs of one plane. */
struct share {
    uint32_t active;
    uint32_t backup;
};

static struct share generated_share(const struct plan_generate *generate)
{
    assert(generate->plane_count >= 1 && generate->plane_count <= PATH_PLANE_COUNT_MAX);
    assert(generate->uplink_count >= 1);

    uint32_t limit = smaller(generate->uplink_count, PATH_EV_COUNT_MAX / generate->plane_count);
    uint32_t active =
        generate->active_count ? per_plane(generate->active_count, generate->plane_count) : limit;
    uint32_t backup = per_plane(generate->backup_count, generate->plane_count);

    active = smaller(active ? active : 1, limit);
    return (struct share){ .active = active, .backup = smaller(backup, limit - active) };
}

struct plan_generate plan_generate_all(
    const struct wire_format *format, uint32_t plane_count, uint32_t uplink_count)
{
    return (struct plan_generate){
        .plane_count = plane_count, .uplink_count = uplink_count, .uplink_bits = format->uplink_bits
    };
}

uint32_t plan_generate_count(const struct plan_generate *generate)
{
    struct share share = generated_share(generate);

    return (share.active + share.backup) * generate->plane_count;
}

static uint32_t greatest_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

uint32_t plan_generate_slices(const struct plan_generate *generate)
{
    uint32_t each = plan_generate_count(generate) / generate->plane_count;

    return generate->uplink_count / greatest_divisor(generate->uplink_count, each);
}

static struct path_entry entry_of(
    const struct plan_generate *generate, uint32_t plane, uint32_t uplink)
{
    return (struct path_entry){
        .ev = plan_ev_join(generate->uplink_bits, (struct ev_path){ plane, uplink }),
        .plane = (uint8_t)plane,
    };
}

/* Selection sampling: takes each uplink with the probability that makes `count` in total. */
static void draw_uplinks(struct path_entry *entries, uint32_t count, uint32_t plane,
    const struct plan_generate *generate, struct prng *prng)
{
    uint32_t taken = 0;

    for (uint32_t uplink = 0; taken < count; uplink++)
        if (prng_below(prng, generate->uplink_count - uplink) < count - taken)
            entries[taken++] = entry_of(generate, plane, uplink);
}

/* Uplinks form blocks of as many as there are slices. In each block, in an order of its own, every
 * slice takes the places after those of the slice before. */
static void take_slice(struct path_entry *entries, uint32_t count, uint32_t plane,
    const struct plan_generate *generate, struct prng *prng)
{
    uint32_t block = plan_generate_slices(generate);
    uint32_t each = count * block / generate->uplink_count;
    uint32_t first = (uint32_t)((uint64_t)(generate->slice % block) * each % block);
    uint32_t step = 1;
    uint32_t start = 0;
    uint32_t taken = 0;

    for (uint32_t uplink = 0; uplink < generate->uplink_count; uplink++) {
        uint32_t place;

        if (uplink % block == 0) {
            start = prng_below(prng, block);
            do
                step = 1 + prng_below(prng, block);
            while (greatest_divisor(step, block) != 1);
        }
        place = (uint32_t)(((uint64_t)step * (uplink % block) + start) % block);
        if ((place + block - first) % block < each)
            entries[taken++] = entry_of(generate, plane, uplink);
    }
    assert(taken == count);
}

void plan_generate(struct path_profile *profile, const struct plan_generate *generate,
    struct path_entry *entries, struct prng *prng)
{
    struct share share = generated_share(generate);
    uint32_t each = share.active + share.backup;

    assert((uint64_t)(generate->uplink_count - 1) >> generate->uplink_bits == 0);
    for (uint32_t plane = 0; plane < generate->plane_count; plane++) {
        struct path_entry *of_plane = entries + (size_t)plane * each;

        if (generate->is_divided)
            take_slice(of_plane, each, plane, generate, prng);
        else
            draw_uplinks(of_plane, each, plane, generate, prng);
        path_entries_shuffle(of_plane, each, prng); /* the first EVs start active */
    }
    *profile = (struct path_profile){
        .entries = entries,
        .entry_count = each * generate->plane_count,
        .plane_count = generate->plane_count,
        .active_per_plane = share.active,
    };
}
