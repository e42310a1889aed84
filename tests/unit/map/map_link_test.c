/* SPDX-License-Identifier: Apache-2.0 */
/* The score of a link, and what it tells about direction and loss. */
#include "spec.h"

#include "map/map.h"

static void close_round(struct map_link *link, uint16_t lost)
{
    struct map_link_samples samples = { .bounce = MAP_FAR, .bounces = 10 };

    link->round_bounces_lost = lost;
    map_link_close_round(link, &samples, 7);
}

SPEC("the weights are those of 1 % against 0.01 % a link, rounded to the side of the link")
{
    EXPECT(map_link_gain(MAP_FAR) <= 3.2188758 * MAP_NAT);
    EXPECT(map_link_gain(MAP_FAR) >= 3.2188 * MAP_NAT);
    EXPECT(map_link_drain(MAP_FAR) >= 0.0096502 * MAP_NAT);
    EXPECT(map_link_drain(MAP_FAR) <= 0.00966 * MAP_NAT);
    EXPECT(map_link_gain(MAP_NEAR) <= 3.9120230 * MAP_NAT);
    EXPECT(map_link_gain(MAP_LOOP) <= 2.8134107 * MAP_NAT);
}

SPEC("a score never falls below 0, and at 0 all evidence is forgotten")
{
    struct map_link link = { 0 };

    close_round(&link, 1);
    EXPECT_GT(link.score, 3 * MAP_NAT);
    EXPECT_EQ(link.since, 7);
    for (int i = 0; i < 40; i++)
        close_round(&link, 0);
    EXPECT_EQ(link.score, 0);
    EXPECT_EQ(link.bounces, 0);
    EXPECT_EQ(link.bounces_lost, 0);
}

SPEC("a score is limited, so that a repaired link recovers within 6,000 bounces")
{
    struct map_link link = { 0 };
    uint32_t rounds = 0;

    for (int i = 0; i < 100; i++)
        close_round(&link, 10);
    EXPECT_EQ(link.score, MAP_SCORE_MAX);
    EXPECT(map_link_is_certain(&link, MAP_FAR));
    for (; link.score > MAP_SCORE_SUSPECT; rounds++)
        close_round(&link, 0);
    EXPECT_LE(rounds, 600);
}

SPEC("crossings alone make no link certain")
{
    struct map_link link = { .score = MAP_SCORE_MAX, .bounces = 100, .up_lost = 100 };

    EXPECT(!map_link_is_certain(&link, MAP_FAR));
    link.bounces_lost = 6;
    EXPECT(map_link_is_certain(&link, MAP_FAR));
}

SPEC("the direction is told when the odds are a thousand to one")
{
    EXPECT_EQ(map_link_direction(&(struct map_link){ .up_lost = 10 }), MAP_DIRECTION_UNKNOWN);
    EXPECT_EQ(map_link_direction(&(struct map_link){ .up_lost = 11 }), MAP_DIRECTION_UP);
    EXPECT_EQ(map_link_direction(&(struct map_link){ .down_lost = 16, .up_lost = 1 }),
        MAP_DIRECTION_DOWN);
    EXPECT_EQ(
        map_link_direction(&(struct map_link){ .down_lost = 4, .up_lost = 4 }), MAP_DIRECTION_BOTH);
}

SPEC("the loss is that of the direction, or the mean of both")
{
    struct map_link link = {
        .bounces = 1000, .bounces_lost = 20, .crossings = 2000, .up_lost = 40
    };

    EXPECT_EQ(map_link_loss_ppm(&link, MAP_DIRECTION_UP), 20000);
    link.down_lost = 20;
    EXPECT_EQ(map_link_loss_ppm(&link, MAP_DIRECTION_BOTH), 15000);
    EXPECT_EQ(map_link_loss_ppm(&link, MAP_DIRECTION_UNKNOWN), 20000);
}
