/* SPDX-License-Identifier: Apache-2.0 */
/* Forwarding by uSIDs (docs/fabric.md §4): the first 48 bits of the outer destination name this
 * switch. The switch removes its own uSID and looks the next one up in a static table. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "wire/drop.h"
#include "wire/ip_address.h"
#include "wire/usid.h"

#define SWITCH_RANGES_MAX 6

/* uSIDs [first, last] leave by ports first_port, first_port + 1, ... */
struct switch_range {
    uint16_t first_usid;
    uint16_t last_usid;
    uint16_t first_port;
};

struct switch_table {
    uint64_t own; /* the block and the switch's own uSID, as in the first half of an address */
    uint16_t range_count;
    struct switch_range ranges[SWITCH_RANGES_MAX]; /* do not overlap */
    const struct switch_range *many;               /* used instead if there are more; ascending */
    uint32_t many_count;
    uint16_t own_step; /* further uSIDs of the switch: own + step, ... */
    uint16_t own_more; /* their number */
};

_Static_assert(sizeof(struct switch_table) <= 64, "one cache line: it is read for every packet");

/* More than SWITCH_RANGES_MAX ranges must ascend and must outlive the table. */
void switch_table_init(struct switch_table *, uint32_t block, uint16_t own_usid,
    const struct switch_range *ranges, uint32_t range_count);

/* The egress port of a packet, or the reason why it is dropped. */
struct switch_way {
    enum drop_reason reason; /* DROP_NONE: the packet leaves by `port` */
    uint32_t port;
};

/* Gives the switch `more` further uSIDs, each `step` above the previous one. They name the links
 * into it if several come from one neighbour. */
void switch_table_add_names(struct switch_table *, uint16_t step, uint32_t more);
/* Returns whether the address begins with one of them. */
bool switch_table_is_further(const struct switch_table *, const struct ipv6_addr *outer);

/* Searches many ranges. */
struct switch_way switch_table_search(
    const struct switch_table *, uint16_t usid, enum drop_reason otherwise);

static inline struct switch_way switch_table_look_up(
    const struct switch_table *table, uint16_t usid, enum drop_reason otherwise)
{
    const struct switch_range *range = table->ranges;

    for (uint32_t left = table->range_count; left > 0; left--, range++) {
        uint32_t index = (uint32_t)usid - range->first_usid;

        if (index <= (uint32_t)range->last_usid - range->first_usid)
            return (struct switch_way){ .port = range->first_port + index };
    }
    if (__builtin_expect(table->many_count > 0, false))
        return switch_table_search(table, usid, otherwise);
    return (struct switch_way){ .reason = otherwise };
}

/* The following functions run for every packet at every hop. */

static inline bool switch_table_is_own(
    const struct switch_table *table, const struct ipv6_addr *outer)
{
    if ((bytes_get_be64(outer->octets) ^ table->own) <= UINT16_MAX)
        return true;
    return table->own_more > 0 && switch_table_is_further(table, outer);
}

/* For a packet that names this switch. */
static inline struct switch_way switch_table_own_way(
    const struct switch_table *table, const struct ipv6_addr *outer)
{
    if (usid_is_last(outer))
        return (struct switch_way){ .reason = DROP_END_OF_CARRIER };
    return switch_table_look_up(table, usid_get(outer, 1), DROP_NO_ROUTE);
}

/* For any other packet: plain IPv6. */
static inline struct switch_way switch_table_plain_way(
    const struct switch_table *table, const struct ipv6_addr *outer)
{
    if (bytes_get_be32(outer->octets) != table->own >> 32)
        return (struct switch_way){ .reason = DROP_NOT_OURS };
    return switch_table_look_up(table, usid_get(outer, 0), DROP_NOT_OURS);
}

/* Looks up the address without changing it. */
static inline struct switch_way switch_table_way(
    const struct switch_table *table, const struct ipv6_addr *outer)
{
    return switch_table_is_own(table, outer) ? switch_table_own_way(table, outer)
                                             : switch_table_plain_way(table, outer);
}

#define SWITCH_TABLE_NO_PORT UINT32_MAX
/* Forwards a packet that names this switch and then a uSID of one of its few ranges, as nearly all
 * do. SWITCH_TABLE_NO_PORT: it does not, and is unchanged. One load tells the name and the next
 * uSID. */
static inline uint32_t switch_table_quick_port(
    const struct switch_table *table, struct ipv6_addr *outer)
{
    uint64_t next = bytes_get_be64(outer->octets) ^ table->own;
    const struct switch_range *range = table->ranges;

    if (__builtin_expect(next - 1 >= UINT16_MAX, false))
        return SWITCH_TABLE_NO_PORT;
    for (uint32_t left = table->range_count; left > 0; left--, range++) {
        uint32_t index = (uint32_t)next - range->first_usid;

        if (index <= (uint32_t)range->last_usid - range->first_usid) {
            usid_shift(outer->octets);
            return range->first_port + index;
        }
    }
    return SWITCH_TABLE_NO_PORT;
}

/* The first two ranges of a table, for a loop over many packets. */
struct switch_table_digest {
    uint64_t own;
    struct {
        uint64_t first_usid;
        uint64_t others; /* uSIDs of the range after the first */
        uint32_t first_port;
    } ranges[2];
};

/* The table must have a range of the few. A second one that it lacks is the first one again. */
static inline struct switch_table_digest switch_table_digest(const struct switch_table *table)
{
    const struct switch_range *first = &table->ranges[0];
    const struct switch_range *second = &table->ranges[table->range_count > 1 ? 1 : 0];

    return (struct switch_table_digest){ .own = table->own,
        .ranges = { { first->first_usid, (uint64_t)first->last_usid - first->first_usid,
                        first->first_port },
            { second->first_usid, (uint64_t)second->last_usid - second->first_usid,
                second->first_port } } };
}

/* As switch_table_quick_port(), but knows two ranges only, and returns false if neither has the
 * port. With 64 bits, one comparison tells that the packet names this switch and that the next uSID
 * is in the range. */
static inline bool switch_table_digest_port(
    const struct switch_table_digest *digest, struct ipv6_addr *outer, uint32_t *port)
{
    uint64_t next = bytes_get_be64(outer->octets) ^ digest->own;
    uint64_t index = next - digest->ranges[0].first_usid;
    uint32_t first_port = digest->ranges[0].first_port;

    if (index > digest->ranges[0].others) {
        index = next - digest->ranges[1].first_usid;
        first_port = digest->ranges[1].first_port;
        if (__builtin_expect(index > digest->ranges[1].others, false))
            return false;
    }
    usid_shift(outer->octets);
    *port = first_port + (uint32_t)index;
    return true;
}

/* Forwards any packet. */
struct switch_way switch_table_forward_any(const struct switch_table *, struct ipv6_addr *outer);

/* Looks up the address. If its first uSID is the switch's own and there is a route, removes it. */
static inline struct switch_way switch_table_forward(
    const struct switch_table *table, struct ipv6_addr *outer)
{
    uint32_t port = switch_table_quick_port(table, outer);

    return __builtin_expect(port != SWITCH_TABLE_NO_PORT, true)
               ? (struct switch_way){ .port = port }
               : switch_table_forward_any(table, outer);
}
