/* SPDX-License-Identifier: Apache-2.0 */
/* Setting up a forwarding table. */
#include "switch/switch_table.h"

#include <assert.h>

static bool overlap(const struct switch_range *a, const struct switch_range *b)
{
    return a->first_usid <= b->last_usid && b->first_usid <= a->last_usid;
}

void switch_table_init(struct switch_table *table, uint32_t block, uint16_t own_usid,
    const struct switch_range *ranges, uint32_t range_count)
{
    assert(range_count <= SWITCH_RANGES_MAX);
    *table = (struct switch_table){ .range_count = 0 };
    bytes_put_be32(table->own, block);
    bytes_put_be16(table->own + 4, own_usid);
    for (uint32_t i = 0; i < range_count; i++) {
        assert(ranges[i].first_usid > 0); /* 0 ends the carrier */
        assert(ranges[i].first_usid <= ranges[i].last_usid);
        for (uint32_t other = 0; other < i; other++)
            assert(!overlap(&ranges[i], &ranges[other]));
        table->ranges[table->range_count++] = ranges[i];
    }
}
