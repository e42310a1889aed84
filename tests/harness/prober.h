/* SPDX-License-Identifier: Apache-2.0 */
/* A map whose agents a test plays: it decides which links lose probes. */
#pragma once

#include "spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "map/map.h"

enum {
    PROBER_ROUND = 4, /* periods */
    PROBER_LOSSES_MAX = PROBER_ROUND * MAP_SLOTS_MAX,
};

struct prober {
    struct plan plan;
    struct map map;
    void *memory;
    uint32_t *up_loss_permille; /* by link */
    uint32_t *down_loss_permille;
    struct prng prng;
    uint32_t absent_from; /* NICs from here on have no agent */
};

static inline void prober_open_plan(struct prober *prober)
{
    struct map_config config = {
        .fabric = &prober->plan, .round_periods = PROBER_ROUND, .verdict_max = 16, .lost_max = 4096
    };
    size_t links = topology_link_count(&prober->plan.topology);
    struct arena arena;
    size_t bytes;

    arena_init(&arena, NULL, 0);
    map_init(&prober->map, &arena, &config);
    bytes = arena.used_bytes;
    prober->memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    arena_init(&arena, prober->memory, bytes);
    map_init(&prober->map, &arena, &config);
    EXPECT_EQ(arena.used_bytes, bytes);
    prober->up_loss_permille = calloc(links, sizeof(uint32_t));
    prober->down_loss_permille = calloc(links, sizeof(uint32_t));
    prober->prng = (struct prng){ .state = 1 };
    prober->absent_from = UINT32_MAX;
}

/* Two planes. */
static inline void prober_open(
    struct prober *prober, uint32_t t0_count, uint32_t t1_count, uint32_t hosts_per_t0)
{
    struct topology_problem problem;
    struct topology_config config;

    topology_config_init(&config);
    config.plane_count = 2;
    config.t0_count = t0_count;
    config.t1_count = t1_count;
    config.hosts_per_t0 = hosts_per_t0;
    EXPECT(plan_init(&prober->plan, &config, NULL, &problem));
    prober_open_plan(prober);
}

static inline void prober_close(struct prober *prober)
{
    free(prober->memory);
    free(prober->up_loss_permille);
    free(prober->down_loss_permille);
}

/* Every link of the element loses this share of the packets. */
static inline void prober_break(
    struct prober *prober, const char *name, uint32_t up_permille, uint32_t down_permille)
{
    const struct topology *topology = &prober->plan.topology;
    char reason[TOPOLOGY_REASON_BYTES];
    struct topology_element element;

    EXPECT(topology_find(topology, name, &element, reason));
    for (uint32_t i = 0; i < topology_links_of(topology, &element); i++) {
        struct topology_end lower;
        struct topology_end upper;

        if (topology_link_of(topology, &element, i, &lower, &upper)) {
            size_t link = topology_link_number(topology, lower);

            prober->up_loss_permille[link] = up_permille;
            prober->down_loss_permille[link] = down_permille;
        }
    }
}

static inline bool prober_arrives(struct prober *prober, const struct map_slot *slot)
{
    struct map_probe probe;
    struct map_steps steps;

    if (!map_schedule_at(&prober->map.schedule, slot, &probe))
        return true;
    steps = map_schedule_steps(&prober->map.schedule, slot, &probe);
    for (uint32_t i = 0; i < steps.count; i++) {
        uint32_t permille = steps.at[i].goes_up ? prober->up_loss_permille[steps.at[i].link]
                                                : prober->down_loss_permille[steps.at[i].link];

        if (prng_below(&prober->prng, 1000) < permille)
            return false;
    }
    return true;
}

/* The last slot is that of the one-way probe, which the port reports of its neighbour. */
static inline bool prober_misses(struct prober *prober, const struct map_slot *own)
{
    struct map_slot incoming;
    struct map_probe probe;

    if (!map_schedule_at(&prober->map.schedule, own, &probe) || probe.kind != MAP_ONE_WAY)
        return !prober_arrives(prober, own);
    return map_schedule_incoming(
               &prober->map.schedule, own->nic, own->port, own->period, &incoming) &&
           !prober_arrives(prober, &incoming);
}

static inline void prober_report(struct prober *prober, uint32_t nic, uint32_t port)
{
    struct map_loss lost[PROBER_LOSSES_MAX];
    struct map_report report = { .nic = nic, .port = port, .periods = PROBER_ROUND, .lost = lost };
    uint32_t count = map_schedule_count(&prober->map.schedule, nic, port);

    for (uint16_t period = 0; period < PROBER_ROUND; period++)
        for (uint8_t number = 0; number < count; number++) {
            struct map_slot slot = { nic, port, map_period(&prober->map) + period, number };

            if (prober_misses(prober, &slot))
                lost[report.lost_count++] = (struct map_loss){ period, number };
        }
    EXPECT(map_report(&prober->map, &report));
}

static inline void prober_run(struct prober *prober, uint32_t rounds)
{
    const struct topology *topology = &prober->plan.topology;

    for (; rounds > 0; rounds--) {
        for (uint32_t nic = 0; nic < topology->nic_count && nic < prober->absent_from; nic++)
            for (uint32_t port = 0; port < topology->config.plane_count; port++)
                prober_report(prober, nic, port);
        map_close_round(&prober->map);
    }
}

/* Expects this verdict and no other. */
static inline void prober_expect(const struct prober *prober, const char *name)
{
    char got[TOPOLOGY_NAME_BYTES] = "";

    EXPECT_EQ(map_verdict_count(&prober->map), 1);
    if (map_verdict_count(&prober->map) > 0)
        topology_name(&map_verdict_at(&prober->map, 0)->element, got);
    EXPECT_STR_EQ(got, name);
}

static inline enum map_direction prober_direction(const struct prober *prober)
{
    return map_verdict_at(&prober->map, 0)->direction;
}
