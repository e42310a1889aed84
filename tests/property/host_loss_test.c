/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever the cable does to frames, all bytes are placed, exactly once, where they belong. */
#include "endpoint.h"

enum { MEMORY = 1 << 20, GUARD = 64 };

static uint32_t chance(struct prng *prng, uint32_t per_thousand)
{
    return prng_below(prng, per_thousand * 4294967u);
}

/* A write that was placed twice would not show in memory: so the counters are looked at. */
PROPERTY("over lossy, repeating, damaging ports all bytes are placed exactly once", 12)
{
    struct prng prng = { .state = seed };
    struct pair_port_config cable = { .loss = chance(&prng, 30),
        .duplicate = chance(&prng, 30),
        .damage = chance(&prng, 30),
        .seed = seed };
    struct endpoint_pair pair;
    struct host_completion completion;
    struct host_counters counters;
    uint64_t offset = GUARD;
    uint32_t count = 0;

    endpoint_pair_open(&pair, 1 + prng_below(&prng, 4), &cable, MEMORY);
    endpoint_pair_connect(&pair, 256u << prng_below(&prng, 5));
    endpoint_fill(pair.ends[0].memory + GUARD, MEMORY - 2 * GUARD, seed);
    while (offset < MEMORY - GUARD) {
        uint32_t length = 1 + prng_below(&prng, 60000);

        if (length > MEMORY - GUARD - offset)
            length = (uint32_t)(MEMORY - GUARD - offset);
        EXPECT_EQ(
            endpoint_write(&pair.ends[0], pair.qps[0], &pair.addresses[1], offset, length), 0);
        offset += length;
        count++;
    }
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQ(endpoint_wait(&pair.ends[0], 1, &completion), 1);
        EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
    }
    EXPECT_MEM_EQ(endpoint_received(&pair.ends[1]), pair.ends[0].memory, MEMORY);
    EXPECT_EQ(host_counters(pair.ends[1].nic, &counters), 0);
    EXPECT_EQ(counters.transport[COUNTER_BYTES_PLACED], MEMORY - 2 * GUARD);
    if (cable.damage > 4294967u)
        EXPECT_GT(counters.drops[DROP_ICRC] + counters.drops[DROP_DUPLICATE], 0);
    endpoint_pair_close(&pair);
}
