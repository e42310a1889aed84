/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sort.h"

#include "base/prng.h"
#include "spec.h"

enum { ENTRIES_MAX = 5000 };

static struct mailbox_entry entries[ENTRIES_MAX];
static struct mailbox_entry spare[ENTRIES_MAX];

static void expect_sorted(uint32_t count, uint64_t sum)
{
    const struct mailbox_entry *sorted = sort_entries(entries, count, spare);

    for (uint32_t i = 0; i < count; i++) {
        EXPECT(i == 0 || sorted[i - 1].key <= sorted[i].key);
        EXPECT_EQ((uint32_t)(sorted[i].key * 31), sorted[i].packet.handle);
        sum -= sorted[i].key;
    }
    EXPECT_EQ(sum, 0);
}

static uint64_t fill(uint32_t i, uint64_t key)
{
    entries[i] = (struct mailbox_entry){ .key = key, .packet.handle = (uint32_t)(key * 31) };
    return key;
}

PROPERTY("entries are sorted by their keys, each with its packet", 300)
{
    struct prng prng = prng_stream(seed, 0);
    uint32_t count = prng_below(&prng, seed % 3 == 0 ? ENTRIES_MAX : 100);
    uint32_t time_bits = 1 + prng_below(&prng, 31);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += fill(i, prng_next(&prng) >> (64 - time_bits) << 32 | prng_below(&prng, 128));
    expect_sorted(count, sum);
}

SPEC("many entries at one time are ordered by port")
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < 1000; i++)
        sum += fill(i, UINT64_C(77) << 32 | (i * 7919) % 1000);
    expect_sorted(1000, sum);
}

SPEC("no entry and one entry are sorted")
{
    expect_sorted(0, 0);
    expect_sorted(1, fill(0, 5));
}
