/* SPDX-License-Identifier: Apache-2.0 */
/* Any sequence of probes and answers leaves a way back. */
#include "paths.h"
#include "spec.h"

struct world {
    struct paths paths;
    struct path_reverse reverse;
    struct prng prng;
    uint32_t dead_planes; /* probes on these fail */
};

static void set_up(struct world *world, uint64_t seed)
{
    world->prng = prng_stream(seed, 0);
    paths_shape(
        &world->paths, 2 + prng_below(&world->prng, 7), 1 + prng_below(&world->prng, 16), 0);
    path_reverse_init(&world->reverse, &world->paths.profile);
    world->dead_planes = 0;
}

static uint32_t all_planes(const struct world *world)
{
    return (1u << world->paths.profile.plane_count) - 1;
}

static void probe_once(struct world *world)
{
    uint32_t ev_index =
        path_reverse_probe_target(&world->reverse, &world->paths.profile, ALL_PLANES, &world->prng);

    if (world->dead_planes >> world->paths.entries[ev_index].plane & 1)
        path_reverse_on_probe_failed(
            &world->reverse, &world->paths.profile, ev_index, 2, &world->prng);
    else
        path_reverse_on_probe_answered(&world->reverse, &world->paths.profile, ev_index);
}

static void expect_way_back(struct world *world)
{
    uint32_t plane_mask = 1 + prng_below(&world->prng, all_planes(world));
    uint32_t in_rotation = plane_mask & ~(uint32_t)world->reverse.out_mask;
    uint32_t plane = path_reverse_choose(&world->reverse, plane_mask, PATH_NONE);

    EXPECT((in_rotation ? in_rotation : plane_mask) >> plane & 1);
    for (uint32_t i = 0; i < world->paths.profile.plane_count; i++)
        EXPECT_EQ(world->paths.entries[path_reverse_ev(&world->reverse, i)].plane, i);
    EXPECT_NE(all_planes(world) & ~(uint32_t)world->reverse.out_mask, 0);
}

PROPERTY("every plane of the mask can be served, by one of its own EVs, whatever failed", 300)
{
    struct world world;

    set_up(&world, seed);
    for (uint32_t i = 0; i < 400; i++) {
        if (prng_below(&world.prng, 20) == 0)
            world.dead_planes = prng_below(&world.prng, all_planes(&world) + 1);
        probe_once(&world);
        expect_way_back(&world);
    }
}

PROPERTY("a failed plane leaves the control rotation and returns when it works again", 300)
{
    struct world world;
    uint32_t dead;

    set_up(&world, seed);
    dead = 1 + prng_below(&world.prng, all_planes(&world) - 1); /* at least one lives */
    world.dead_planes = dead;
    for (uint32_t i = 0; i < 1000; i++)
        probe_once(&world);
    EXPECT_EQ(world.reverse.out_mask, dead);
    world.dead_planes = 0;
    for (uint32_t i = 0; i < 1000; i++)
        probe_once(&world);
    EXPECT_EQ(world.reverse.out_mask, 0);
}

PROPERTY("planes in the rotation take equal shares of control packets", 100)
{
    struct world world;
    uint32_t count[PATH_PLANE_COUNT_MAX] = { 0 };
    uint32_t planes;

    set_up(&world, seed);
    planes = world.paths.profile.plane_count;
    for (uint32_t i = 0; i < 100 * planes; i++)
        count[path_reverse_choose(&world.reverse, ALL_PLANES, PATH_NONE)]++;
    for (uint32_t plane = 0; plane < planes; plane++)
        EXPECT_EQ(count[plane], 100);
}
