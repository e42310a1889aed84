/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts as text. */
#include "spec.h"

#include "map/map.h"

static struct plan plan;

static void expect_text(struct map_verdict verdict, const char *name, const char *text)
{
    char reason[TOPOLOGY_REASON_BYTES];
    char got[MAP_TEXT_BYTES];
    struct topology_problem problem;
    struct topology_config config;

    topology_config_init(&config);
    config.t0_count = 32;
    config.t1_count = 32;
    config.hosts_per_t0 = 35;
    EXPECT(plan_init(&plan, &config, NULL, &problem));
    EXPECT(topology_find(&plan.topology, name, &verdict.element, reason));
    topology_link_of(&plan.topology, &verdict.element, 0, &verdict.lower, &verdict.upper);
    map_text(&plan.topology, &verdict, "12:03:07", 256, got);
    EXPECT_STR_EQ(got, text);
}

SPEC("a link with a direction is written from its sending end, with its port")
{
    struct map_verdict verdict = { .direction = MAP_DIRECTION_UP, .loss_ppm = 21049, .evs_bad = 4 };

    expect_text(verdict, "p3.t0.17-t1.9",
        "plane 3, t0.17 port 44 -> t1.9, one direction, 2.1 % loss since 12:03:07, 4 of 256 EVs "
        "denied");
    verdict.direction = MAP_DIRECTION_DOWN;
    expect_text(verdict, "p3.t0.17-t1.9",
        "plane 3, t1.9 port 17 -> t0.17, one direction, 2.1 % loss since 12:03:07, 4 of 256 EVs "
        "denied");
}

SPEC("a link without a known direction says so")
{
    expect_text((struct map_verdict){ .loss_ppm = 1000000 }, "h36.p2",
        "plane 2, h36 port 2 - t0.1, direction not known, 100 % loss since 12:03:07");
}

SPEC("switches and NICs are written by name")
{
    expect_text((struct map_verdict){ .loss_ppm = 999999 }, "p1.t1.4",
        "plane 1, t1.4, 100 % loss since 12:03:07");
    expect_text((struct map_verdict){ .loss_ppm = 500 }, "h7", "h7, 0.1 % loss since 12:03:07");
}
