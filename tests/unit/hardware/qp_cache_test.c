/* SPDX-License-Identifier: Apache-2.0 */
/* The QPs whose state is on the chip. */
#include "spec.h"

#include "base/prng.h"
#include "hardware/hardware.h"

enum { QPS = 8, ROOM = 3 };

/* The list of QPs on the chip is complete and has `room` members. */
static void expect_sound(const struct qp_cache *cache, uint32_t room)
{
    uint32_t count = 0;

    for (uint32_t qp = cache->newest; qp != UINT32_MAX; qp = cache->links[qp].older) {
        EXPECT_LT(qp, cache->qp_count);
        EXPECT(cache->links[qp].is_on_chip);
        EXPECT(cache->links[qp].older != UINT32_MAX || qp == cache->oldest);
        count++;
    }
    EXPECT_EQ(count, room);
}

SPEC("QPs that all fit never miss")
{
    struct qp_cache cache;

    qp_cache_init(&cache, NULL, QPS, QPS);
    for (uint32_t i = 0; i < 3 * QPS; i++)
        EXPECT(qp_cache_use(&cache, i % QPS));
    EXPECT_EQ(cache.misses, 0);
}

SPEC("the QP that was used longest ago makes room")
{
    struct qp_cache_link links[QPS];
    struct qp_cache cache;

    qp_cache_init(&cache, links, QPS, ROOM);
    expect_sound(&cache, ROOM);
    EXPECT(qp_cache_use(&cache, 2)); /* 0, 1 and 2 are there at first */
    EXPECT(qp_cache_use(&cache, 1));
    EXPECT(qp_cache_use(&cache, 0));
    EXPECT(!qp_cache_use(&cache, 5)); /* instead of 2 */
    EXPECT(qp_cache_use(&cache, 0));
    EXPECT(!qp_cache_use(&cache, 2)); /* instead of 1 */
    EXPECT(qp_cache_use(&cache, 5));
    EXPECT(!qp_cache_use(&cache, 1));
    EXPECT_EQ(cache.misses, 3);
    expect_sound(&cache, ROOM);
}

SPEC("one QP more than fit, used in turn, always misses")
{
    struct qp_cache_link links[ROOM + 1];
    struct qp_cache cache;

    qp_cache_init(&cache, links, ROOM + 1, ROOM);
    for (uint32_t i = 0; i < 10 * (ROOM + 1); i++)
        qp_cache_use(&cache, i % (ROOM + 1));
    EXPECT_EQ(cache.misses, 10 * (ROOM + 1) - ROOM);
}

PROPERTY("a QP hits if fewer than the room others were used since", 100)
{
    struct prng prng = prng_stream(seed, 0);
    struct qp_cache_link links[QPS];
    uint32_t used_at[QPS] = { 0 };
    struct qp_cache cache;

    qp_cache_init(&cache, links, QPS, ROOM);
    for (uint32_t now = 1; now <= 200; now++) {
        uint32_t qp = prng_below(&prng, QPS);
        uint32_t others = 0;
        bool is_hit = qp_cache_use(&cache, qp);

        for (uint32_t i = 0; i < QPS; i++)
            others += used_at[i] > used_at[qp];
        if (used_at[qp] > 0)
            EXPECT_EQ(is_hit, others < ROOM);
        used_at[qp] = now;
        expect_sound(&cache, ROOM);
    }
}
