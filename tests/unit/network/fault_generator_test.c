/* SPDX-License-Identifier: Apache-2.0 */
/* Faults at random: how often, how long, and each component by itself. */
#include "spec.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "network/network.h"

#define US(count) ((count)*UINT64_C(1000000))
#define MS(count) ((count)*UINT64_C(1000000000))

enum {
    DRAWS = 100000,
};

static struct plan fabric;

static void wire_up(void)
{
    struct topology_problem problem;
    struct topology_config config;

    topology_config_init(&config);
    EXPECT(plan_init(&fabric, &config, NULL, &problem));
}

SPEC("intervals are exponential: mean, share beyond the mean, share beyond thrice the mean")
{
    const uint64_t mean_ps = 1000000;
    struct prng prng = prng_stream(3, 3);
    uint64_t sum_ps = 0;
    uint32_t beyond = 0;
    uint32_t far_beyond = 0;

    for (uint32_t i = 0; i < DRAWS; i++) {
        uint64_t interval_ps = fault_generator_interval_ps(&prng, mean_ps);

        sum_ps += interval_ps;
        beyond += interval_ps > mean_ps;
        far_beyond += interval_ps > 3 * mean_ps;
    }
    EXPECT(sum_ps / DRAWS > 990000 && sum_ps / DRAWS < 1010000);
    EXPECT(beyond > 36300 && beyond < 37300);       /* 1 / e: 36,788 */
    EXPECT(far_beyond > 4770 && far_beyond < 5190); /* e^-3: 4,979 */
}

SPEC("intervals as long as the largest time do not overflow")
{
    struct prng prng = prng_stream(3, 4);

    for (uint32_t i = 0; i < 1000; i++)
        EXPECT_GT(fault_generator_interval_ps(&prng, FAULT_NEVER_PS / 2), FAULT_NEVER_PS >> 20);
}

static void *plan_of(struct fault_plan *plan, const struct fault_plan_config *config)
{
    struct arena arena;
    void *memory;

    arena_init(&arena, NULL, 0);
    fault_plan_init(plan, &arena, config);
    memory = aligned_alloc(64, (arena.used_bytes + 64) / 64 * 64);
    EXPECT(memory != NULL);
    arena_init(&arena, memory, arena.used_bytes);
    fault_plan_init(plan, &arena, config);
    return memory;
}

static const struct fault_generator links_flap_away = { .fault = { .kind = FAULT_DOWN },
    .component = TOPOLOGY_UPLINK,
    .mean_between_ps = MS(10),
    .duration_ps = US(100) };

/* 256 uplinks for 100 ms, each every 10.1 ms: about 2,535 times. */
SPEC("every component fails as often and for as long as its generator says")
{
    struct fault_plan_config config = { .fabric = &fabric,
        .seed = 5,
        .generators = &links_flap_away,
        .generator_count = 1,
        .until_ps = MS(100) };
    static uint64_t began_ps[300];
    struct fault_action action;
    struct fault_plan plan;
    uint32_t began = 0;
    void *memory;

    wire_up();
    memory = plan_of(&plan, &config);
    EXPECT_LE(fault_count(&plan), 256);
    while (fault_pop(&plan, FAULT_NEVER_PS, &action)) {
        if (action.kind == FAULT_BEGAN) {
            EXPECT_EQ(fault_at(&plan, action.fault)->from_ps, action.time_ps);
            began_ps[action.fault] = action.time_ps;
            began++;
        } else if (action.kind == FAULT_ENDED) {
            EXPECT_EQ(action.time_ps - began_ps[action.fault], US(100));
        }
    }
    EXPECT(began > 2535 - 200 && began < 2535 + 200);
    free(memory);
}

SPEC("only components that fail before the end of the run take memory")
{
    struct fault_generator seldom = links_flap_away;
    struct fault_plan_config config = {
        .fabric = &fabric, .generators = &seldom, .generator_count = 1, .until_ps = MS(100)
    };
    struct fault_plan plan;
    void *memory;

    wire_up();
    seldom.mean_between_ps = MS(10000);
    memory = plan_of(&plan, &config);
    EXPECT_LT(fault_count(&plan), 20);
    free(memory);
}

/* When the faults of one element begin, one after the other. */
static uint32_t beginnings(const struct fault_plan_config *config,
    const struct topology_element *element, uint64_t *out, uint32_t out_max)
{
    struct fault_action action;
    struct fault_plan plan;
    void *memory = plan_of(&plan, config);
    uint32_t count = 0;

    while (fault_pop(&plan, FAULT_NEVER_PS, &action)) {
        const struct fault *fault = fault_at(&plan, action.fault);

        if (action.kind == FAULT_BEGAN && count < out_max &&
            memcmp(fault->where, element, sizeof(*element)) == 0)
            out[count++] = action.time_ps;
    }
    free(memory);
    return count;
}

SPEC("the faults of a component do not depend on the other components")
{
    const struct topology_element link = { .kind = TOPOLOGY_UPLINK, .plane = 2, .t0 = 3, .t1 = 4 };
    const struct topology_element other = { .kind = TOPOLOGY_T1, .plane = 1, .t1 = 1 };
    const struct fault down = {
        .kind = FAULT_DOWN, .where = &other, .where_count = 1, .until_ps = FAULT_NEVER_PS
    };
    const struct fault_generator both[2] = { links_flap_away, { .fault = { .kind = FAULT_REBOOT },
                                                                  .component = TOPOLOGY_T0,
                                                                  .mean_between_ps = MS(1),
                                                                  .duration_ps = US(10) } };
    struct fault_plan_config config = {
        .fabric = &fabric, .seed = 9, .generators = both, .generator_count = 1, .until_ps = MS(100)
    };
    uint64_t alone[64];
    uint64_t among[64];
    uint32_t count;

    wire_up();
    count = beginnings(&config, &link, alone, 64);
    EXPECT_GT(count, 3);
    config.generator_count = 2;
    config.faults = &down;
    config.fault_count = 1;
    EXPECT_EQ(beginnings(&config, &link, among, 64), count);
    EXPECT_MEM_EQ(alone, among, count * sizeof(alone[0]));
    config.seed = 10;
    beginnings(&config, &link, among, 64);
    EXPECT_NE(alone[0], among[0]);
}
