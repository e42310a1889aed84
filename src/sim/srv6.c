/* SPDX-License-Identifier: Apache-2.0 */
/* SRHs of simulated packets. */
#include "sim/srv6.h"

#include "sim/policy_buffer.h"
#include "wire/srh.h"

bool srv6_is_used(const struct sim *sim)
{
    return sim->lists.segments && (!sim->policy || sim->policy == &policy_buffer);
}

const struct ipv6_addr *srv6_segment(const struct shard *shard, const struct packets_record *record)
{
    size_t path;

    if (!srv6_is_used(shard->sim))
        return NULL;
    path = lists_path(&shard->sim->lists, record->from, record->to, record->ev);
    if (path == LISTS_NO_PATH || ip_address_is_zero(&shard->sim->lists.segments[path]))
        return NULL;
    return &shard->sim->lists.segments[path];
}

void srv6_enter(struct shard *shard, struct port_entry *entry)
{
    struct packets_record *record = &shard->packets.all[entry->handle];

    if (!srv6_segment(shard, record))
        return;
    record->segments_left = 1;
    entry->length_bytes = (uint16_t)(entry->length_bytes + SRH_BYTES);
}

struct switch_way srv6_take_segment(const struct shard *shard, const struct switch_table *table,
    struct packets_record *record, struct ipv6_addr *outer)
{
    struct switch_way way = { .reason = DROP_END_OF_CARRIER };
    const struct ipv6_addr *segment = srv6_segment(shard, record);
    struct ipv6_addr next;

    if (!segment || record->segments_left == 0)
        return way;
    next = *segment;
    way = switch_table_forward(table, &next);
    if (way.reason != DROP_NONE)
        return way;
    record->segments_left = 0;
    *outer = next;
    return way;
}
