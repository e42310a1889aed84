/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up a forwarding table. */
#include "switch/switch_table.h"

#include <assert.h>

static bool overlap(const struct switch_range *a, const struct switch_range *b)
{
    return a->first_usid <= b->last_usid && b->first_usid <= a->last_usid;
}

void switch_table_init(struct switch_table *table, uint32_t block, uint16_t own_usid,
    const struct switch_range *ranges, uint32_t range_count)
{
    *table = (struct switch_table){ .range_count = 0 };
    table->own = (uint64_t)block << 32 | (uint64_t)own_usid << 16;
    if (range_count > SWITCH_RANGES_MAX) {
        table->many = ranges;
        table->many_count = range_count;
        return;
    }
    for (uint32_t i = 0; i < range_count; i++) {
        assert(ranges[i].first_usid > 0); /* 0 ends the carrier */
        assert(ranges[i].first_usid <= ranges[i].last_usid);
        for (uint32_t other = 0; other < i; other++)
            assert(!overlap(&ranges[i], &ranges[other]));
        table->ranges[table->range_count++] = ranges[i];
    }
}

struct switch_way switch_table_search(
    const struct switch_table *table, uint16_t usid, enum drop_reason otherwise)
{
    uint32_t low = 0;
    uint32_t high = table->many_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct switch_range *range = &table->many[middle];

        if (usid > range->last_usid)
            low = middle + 1;
        else if (usid < range->first_usid)
            high = middle;
        else
            return (struct switch_way){ .port = range->first_port + (uint32_t)usid -
                                                range->first_usid };
    }
    return (struct switch_way){ .reason = otherwise };
}

void switch_table_add_names(struct switch_table *table, uint16_t step, uint32_t more)
{
    table->own_step = step;
    table->own_more = (uint16_t)more;
}

bool switch_table_is_further(const struct switch_table *table, const struct ipv6_addr *outer)
{
    uint32_t own = (uint16_t)(table->own >> 16);
    uint32_t usid = bytes_get_be16(outer->octets + 4);

    return bytes_get_be32(outer->octets) == table->own >> 32 && usid > own &&
           (usid - own) % table->own_step == 0 && (usid - own) / table->own_step <= table->own_more;
}

struct switch_way switch_table_forward_any(
    const struct switch_table *table, struct ipv6_addr *outer)
{
    struct switch_way way;

    if (!switch_table_is_own(table, outer))
        return switch_table_plain_way(table, outer);
    way = switch_table_own_way(table, outer);
    if (way.reason == DROP_NONE)
        usid_shift(outer->octets);
    return way;
}
