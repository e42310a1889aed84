/* SPDX-License-Identifier: Apache-2.0 */
/* Random fabrics with random faults: what is put together before solving, and what is bounded where
 * solving takes too long, must agree with the plain solution. */
#include "spec.h"

#include <math.h>
#include <stdbool.h>

#include "base/prng.h"
#include "capacity/capacity.h"
#include "capacity/capacity_bounds.h"

enum {
    DEMANDS_MAX = 24,
    FAULTS_MAX = 3,
    EVS_MAX = 64,
};

struct scene {
    struct plan fabric;
    struct fault faults[FAULTS_MAX];
    struct topology_element where[FAULTS_MAX];
    const struct fault *in_force[FAULTS_MAX];
    uint32_t fault_count;
    struct capacity_demand demands[DEMANDS_MAX];
    uint32_t demand_count;
    uint32_t evs[EVS_MAX];
    uint32_t ev_count;
};

static uint32_t between(struct prng *prng, uint32_t least, uint32_t most)
{
    return least + prng_below(prng, most - least + 1);
}

static void draw_fault(struct scene *scene, struct prng *prng)
{
    static const enum fault_kind kinds[] = { FAULT_DOWN, FAULT_BLACKHOLE, FAULT_SLOW, FAULT_LOSS };
    const struct topology_config *config = &scene->fabric.topology.config;
    uint32_t index = scene->fault_count++;
    struct topology_element *where = &scene->where[index];

    where->kind = prng_below(prng, 3) ? TOPOLOGY_UPLINK : TOPOLOGY_HOST_LINK;
    where->plane = prng_below(prng, config->plane_count);
    if (where->kind == TOPOLOGY_UPLINK) {
        where->t0 = prng_below(prng, config->t0_count);
        where->t1 = prng_below(prng, config->t1_count);
    } else {
        where->nic = prng_below(prng, scene->fabric.topology.nic_count);
    }
    scene->faults[index] = (struct fault){ .kind = kinds[prng_below(prng, 4)],
        .where = where,
        .where_count = 1,
        .rate_bps = UINT64_C(1000000000) * between(prng, 5, 80),
        .probability = prng_below(prng, 2) ? UINT32_MAX / 20 : UINT32_MAX / 500 };
    if (scene->faults[index].kind != FAULT_DOWN)
        scene->faults[index].direction = prng_below(prng, 3);
    scene->in_force[index] = &scene->faults[index];
}

static void draw_scene(struct scene *scene, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 0x6366);
    struct topology_problem problem;
    struct topology_config config;

    *scene = (struct scene){ 0 };
    topology_config_init(&config);
    config.plane_count = between(&prng, 1, 4);
    config.t0_count = between(&prng, 1, 4);
    config.t1_count = between(&prng, 1, 4);
    config.hosts_per_t0 = between(&prng, 2, 4);
    config.uplink.rate_bps = UINT64_C(50000000000) * between(&prng, 1, 4);
    EXPECT(plan_init(&scene->fabric, &config, NULL, &problem));
    for (uint32_t i = prng_below(&prng, FAULTS_MAX + 1); i > 0; i--)
        draw_fault(scene, &prng);
    scene->demand_count = between(&prng, 1, DEMANDS_MAX);
    for (uint32_t i = 0; i < scene->demand_count; i++) {
        uint32_t from = prng_below(&prng, scene->fabric.topology.nic_count);
        uint32_t ahead = between(&prng, 1, scene->fabric.topology.nic_count - 1);

        scene->demands[i] = (struct capacity_demand){ .from_nic = from,
            .to_nic = (from + ahead) % scene->fabric.topology.nic_count,
            .payload_share = 0.97 };
    }
    for (uint32_t plane = 0; plane < config.plane_count; plane++)
        for (uint32_t uplink = 0; uplink < config.t1_count; uplink++)
            scene->evs[scene->ev_count++] =
                plan_ev(&scene->fabric, (struct ev_path){ .plane = plane, .uplink = uplink });
}

static void build(const struct scene *scene, struct capacity_fabric *network)
{
    EXPECT_EQ(capacity_fabric_init(network, &scene->fabric, scene->in_force, scene->fault_count,
                  scene->demands, scene->demand_count),
        0);
}

static double least_bps(const struct capacity_rates *rates)
{
    double least = INFINITY;

    for (uint32_t i = 0; i < rates->flow_count; i++)
        if (rates->limit_count[i] > 0)
            least = fmin(least, rates->flow_bps[i]);
    return least;
}

/* A list of all EVs keeps every path by itself. */
PROPERTY("links that look alike may count as one: rates stay the same", 300)
{
    struct capacity_rates merged_rates;
    struct capacity_rates whole_rates;
    struct capacity_fabric merged;
    struct capacity_fabric whole;
    struct scene scene;

    draw_scene(&scene, seed);
    build(&scene, &merged);
    for (uint32_t i = 0; i < scene.demand_count; i++) {
        scene.demands[i].evs = scene.evs;
        scene.demands[i].ev_count = scene.ev_count;
    }
    build(&scene, &whole);
    EXPECT_EQ(capacity_solve(&merged.input, &merged_rates), 0);
    EXPECT_EQ(capacity_solve(&whole.input, &whole_rates), 0);
    EXPECT_LE(merged.input.path_count, whole.input.path_count);
    for (uint32_t i = 0; i < scene.demand_count; i++)
        EXPECT(fabs(merged_rates.flow_bps[i] - whole_rates.flow_bps[i]) < 1e6);
    capacity_rates_fini(&merged_rates);
    capacity_rates_fini(&whole_rates);
    capacity_fabric_fini(&merged);
    capacity_fabric_fini(&whole);
}

PROPERTY("the lowest rate lies between the bounds", 300)
{
    struct capacity_fabric network;
    struct capacity_rates bounds;
    struct capacity_rates exact;
    struct scene scene;

    draw_scene(&scene, seed);
    build(&scene, &network);
    EXPECT_EQ(capacity_solve(&network.input, &exact), 0);
    EXPECT_EQ(capacity_bounds_solve(&scene.fabric.topology, &network, &bounds), 0);
    EXPECT_EQ(bounds.method, CAPACITY_BOUNDS);
    if (isfinite(least_bps(&exact))) {
        EXPECT(least_bps(&exact) <= least_bps(&bounds) * (1 + 1e-6) + 1000);
        EXPECT(least_bps(&exact) >= least_bps(&bounds) * (1 - bounds.error) - 1e5);
    }
    for (uint32_t i = 0; i < scene.demand_count; i++)
        EXPECT_EQ(bounds.limit_count[i] > 0, exact.limit_count[i] > 0);
    capacity_rates_fini(&bounds);
    capacity_rates_fini(&exact);
    capacity_fabric_fini(&network);
}
