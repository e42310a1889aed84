/* SPDX-License-Identifier: Apache-2.0 */
#include "spec.h"

#include "base/heap_sort.h"
#include "base/prng.h"

struct pair {
    uint32_t key;
    uint32_t twice; /* travels along */
};

static int by_key(const void *left, const void *right)
{
    uint32_t a = ((const struct pair *)left)->key;
    uint32_t b = ((const struct pair *)right)->key;

    return (a > b) - (a < b);
}

PROPERTY("sorted elements ascend and are unchanged", 200)
{
    struct prng prng = prng_stream(seed, 1);
    uint32_t count = prng_below(&prng, 60);
    struct pair pairs[64];
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        pairs[i].key = prng_below(&prng, 40);
        pairs[i].twice = 2 * pairs[i].key;
        sum += pairs[i].key;
    }
    heap_sort(pairs, count, sizeof(pairs[0]), by_key);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT(i == 0 || pairs[i - 1].key <= pairs[i].key);
        EXPECT_EQ(pairs[i].twice, 2 * pairs[i].key);
        sum -= pairs[i].key;
    }
    EXPECT_EQ(sum, 0);
}
