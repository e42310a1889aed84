/* SPDX-License-Identifier: Apache-2.0 */
/* Forwarding at a switch (docs/fabric.md §4), all packets of a window at a time.
 *
 * Ports of a switch are independent, so only packets that leave by the same port need to be in
 * order. Packets are first distributed to ports; then each port processes its own. Its queue and
 * the list of what it sends stay in the nearest cache meanwhile. */
#include "sim/node_switch.h"

#include <string.h>

#include "base/bits.h"
#include "sim/egress.h"
#include "sim/node_policy.h"
#include "sim/sort.h"
#include "sim/srv6.h"

enum {
    AHEAD = 16, /* addresses to fetch into the cache before their turn */
    PORTS_AHEAD = 2,
    FEW = 8, /* packets at a switch in a window */
    EGRESS_SHIFT = 16,
};

static uint32_t port_of(const struct mailbox_entry *entry)
{
    return (uint16_t)(entry->key >> EGRESS_SHIFT);
}

/* Returns the port of a packet; the number of ports if it is lost. Not inlined: it is rarely
 * needed. */
static __attribute__((noinline)) uint32_t route_slowly(
    struct shard *shard, const struct engine_switch *here, uint32_t packet)
{
    struct ipv6_addr *outer = &shard->packets.outer[packet];
    struct switch_way way = switch_table_forward_any(&here->table, outer);

    if (way.reason == DROP_END_OF_CARRIER)
        way = srv6_take_segment(shard, &here->table, &shard->packets.all[packet], outer);
    if (way.reason == DROP_NONE)
        return way.port;
    shard_lose(shard, packet, LOST_NO_ROUTE);
    return here->port_count;
}

/* A packet that was in flight when its link went down is lost. */
static bool is_cut(struct shard *shard, const struct engine_switch *here,
    const struct mailbox_entry *entry, uint64_t open_ps)
{
    if (!egress_was_cut(shard, here->first_port + mailbox_port(entry), entry->packet,
            open_ps + mailbox_offset_ps(entry)))
        return false;
    shard_lose(shard, entry->packet.handle, LOST_LINK_DOWN);
    return true;
}

/* Writes the port of a packet into its entry, and returns it; the number of ports if the packet is
 * lost. */
static inline uint32_t route_packet(struct shard *shard, const struct engine_switch *here,
    struct ipv6_addr *outers, struct mailbox_entry *entry, uint64_t open_ps)
{
    uint32_t packet = entry->packet.handle;
    uint32_t port;

    if (__builtin_expect(here->was_cut, false) && is_cut(shard, here, entry, open_ps))
        port = here->port_count;
    else
        port = switch_table_quick_port(&here->table, &outers[packet]);
    if (__builtin_expect(port == SWITCH_TABLE_NO_PORT, false))
        port = route_slowly(shard, here, packet);
    entry->key |= (uint64_t)port << EGRESS_SHIFT;
    return port;
}

/* Routes packets at a switch with none of the rare cases, which are left to route_packet(). */
static inline __attribute__((always_inline)) void route_quickly(struct shard *shard,
    const struct engine_switch *here, const struct switch_table_digest *digest,
    struct ipv6_addr *outers, struct mailbox_entry *entry, uint32_t *counts)
{
    uint32_t port;

    if (__builtin_expect(
            switch_table_digest_port(digest, &outers[entry->packet.handle], &port), true))
        entry->key |= (uint64_t)port << EGRESS_SHIFT;
    else
        port = route_packet(shard, here, outers, entry, 0);
    counts[port]++;
}

/* Counts packets by port. The last count is that of lost packets. Not inlined, so that its loops
 * have all registers. */
static __attribute__((noinline)) void route_all(struct shard *shard,
    const struct engine_switch *here, struct mailbox_entry *entries, uint32_t count,
    uint64_t open_ps, uint32_t *counts)
{
    struct ipv6_addr *outers = shard->packets.outer;
    const struct mailbox_entry *end = entries + count;
    const struct mailbox_entry *last_fetched = count > AHEAD ? end - AHEAD : entries;
    struct switch_table_digest digest;

    if (here->was_cut || here->table.range_count == 0) {
        for (uint32_t i = 0; i < count; i++) {
            if (i + AHEAD < count)
                __builtin_prefetch(&outers[entries[i + AHEAD].packet.handle], 1);
            counts[route_packet(shard, here, outers, &entries[i], open_ps)]++;
        }
        return;
    }
    digest = switch_table_digest(&here->table);
    for (; entries != last_fetched; entries++) {
        __builtin_prefetch(&outers[entries[AHEAD].packet.handle], 1);
        route_quickly(shard, here, &digest, outers, entries, counts);
    }
    for (; entries != end; entries++)
        route_quickly(shard, here, &digest, outers, entries, counts);
}

/* Groups packets by port. Afterwards positions[port] is the end of its packets. */
static void deal_out(const struct mailbox_entry *entries, uint32_t count, uint32_t *positions,
    uint32_t port_count, struct mailbox_entry *out)
{
    uint32_t sum = 0;

    for (uint32_t port = 0; port < port_count; port++) {
        uint32_t here = positions[port];

        positions[port] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; i++)
        out[positions[port_of(&entries[i])]++] = entries[i];
}

/* Like run_port(). Not inlined, so that its loop has all registers. */
static __attribute__((noinline)) uint64_t run_plain_port(struct shard *shard, uint32_t port,
    const struct mailbox_entry *entries, uint32_t count, uint64_t open_ps, uint64_t end_ps)
{
    const struct mailbox_entry *end = entries + count;
    struct egress egress = egress_of(shard, port);
    uint64_t next_ps = port_next_ps(egress.port);

    for (const struct mailbox_entry *entry = entries;; entry++) {
        uint64_t now_ps = entry != end ? open_ps + mailbox_offset_ps(entry) : end_ps - 1;
        struct port_outcome outcome;

        next_ps = egress_send(shard, &egress, next_ps, now_ps);
        if (entry == end)
            return next_ps;
        outcome = port_admit_before(egress.port, &entry->packet, next_ps, now_ps);
        if (__builtin_expect(outcome.verdict == PORT_DROPPED, false))
            egress_refuse(shard, entry->packet.handle, outcome.reason);
        else
            next_ps = egress.port->free_ps;
    }
}

/* Returns when the port continues after the end; PORT_NEVER_PS: its queues are empty. */
static uint64_t run_port(struct shard *shard, uint32_t port, const struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps)
{
    if (egress_is_plain(shard, port))
        return run_plain_port(shard, port, entries, count, open_ps, end_ps);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t now_ps = open_ps + mailbox_offset_ps(&entries[i]);

        egress_advance(shard, port, now_ps);
        egress_enter(shard, port, &entries[i].packet, now_ps);
    }
    egress_advance(shard, port, end_ps - 1);
    return port_next_ps(&shard->ports[port]);
}

/* The packets of a window at a switch. */
struct crowd {
    struct mailbox_entry *entries;
    uint32_t count;
    uint64_t open_ps;
    uint64_t end_ps;
    uint64_t next_ps; /* when the first port continues */
};

/* Fetches the packet that leaves first of those that wait at a port. */
static inline void prefetch_head(const struct shard *shard, uint32_t port)
{
    __builtin_prefetch(&shard->slots.slots[shard->ports[port].queues[PORT_DATA].head], 1);
}

/* Runs port `p` with the packets that leave by it. */
static inline void run_numbered(struct shard *shard, const struct engine_switch *here,
    struct crowd *crowd, uint32_t p, const struct mailbox_entry *sorted, uint32_t count)
{
    uint64_t *waiting = &shard->waiting[here->first_word + p / 64];
    uint64_t bit = UINT64_C(1) << p % 64;
    uint64_t port_ps =
        run_port(shard, here->first_port + p, sorted, count, crowd->open_ps, crowd->end_ps);

    shard->used[here->first_word + p / 64] |= bit;
    *waiting = port_ps == PORT_NEVER_PS ? *waiting & ~bit : *waiting | bit;
    crowd->next_ps = port_ps < crowd->next_ps ? port_ps : crowd->next_ps;
}

static void run_many(struct shard *shard, const struct engine_switch *here, struct crowd *crowd)
{
    struct mailbox_entry *dealt = shard->spare;
    uint32_t ends[TOPOLOGY_RADIX_MAX + 1];
    uint32_t start = 0;

    memset(ends, 0, (here->port_count + 1) * sizeof(ends[0]));
    route_all(shard, here, crowd->entries, crowd->count, crowd->open_ps, ends);
    deal_out(crowd->entries, crowd->count, ends, here->port_count + 1, dealt);
    for (uint32_t p = 0; p < here->port_count; p++) {
        uint64_t waiting = shard->waiting[here->first_word + p / 64] >> p % 64;
        uint32_t count = ends[p] - start;

        if (waiting >> PORTS_AHEAD & 1)
            prefetch_head(shard, here->first_port + p + PORTS_AHEAD);
        if (count == 0 && !(waiting & 1))
            continue;
        run_numbered(
            shard, here, crowd, p, sort_entries(&dealt[start], count, crowd->entries), count);
        start = ends[p];
    }
}

/* Returns the number of packets that leave by port `p`, which it copies. */
static uint32_t pick_out(const struct crowd *crowd, uint32_t p, struct mailbox_entry *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < crowd->count; i++)
        if (port_of(&crowd->entries[i]) == p)
            out[count++] = crowd->entries[i];
    return count;
}

/* Like run_many(), without looking at each port. */
static void run_few(struct shard *shard, const struct engine_switch *here, struct crowd *crowd)
{
    uint64_t *waiting = &shard->waiting[here->first_word];
    uint64_t to_run[BITS_WORDS(TOPOLOGY_RADIX_MAX + 1)];
    uint32_t port_count = here->port_count;
    struct mailbox_entry picked[FEW];
    struct mailbox_entry spare[FEW];

    to_run[BITS_WORDS(port_count + 1) - 1] = 0;
    memcpy(to_run, waiting, BITS_WORDS(port_count) * sizeof(to_run[0]));
    for (uint32_t i = 0; i < crowd->count; i++)
        bits_set(to_run,
            route_packet(shard, here, shard->packets.outer, &crowd->entries[i], crowd->open_ps));
    for (uint32_t p = bits_next_set(to_run, port_count, 0); p < port_count;
         p = bits_next_set(to_run, port_count, p + 1)) {
        uint32_t count = pick_out(crowd, p, picked);

        run_numbered(shard, here, crowd, p, sort_entries(picked, count, spare), count);
    }
}

void node_switch_run(struct shard *shard, uint32_t switch_index, struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps)
{
    const struct engine_switch *here = &shard->switches[switch_index];
    struct crowd crowd = { .entries = entries,
        .count = count,
        .open_ps = open_ps,
        .end_ps = end_ps,
        .next_ps = PORT_NEVER_PS };

    if (__builtin_expect(shard->policy != NULL, false)) {
        node_policy_run(shard, switch_index, entries, count, open_ps, end_ps);
        return;
    }
    if (count <= FEW)
        run_few(shard, here, &crowd);
    else
        run_many(shard, here, &crowd);
    if (crowd.next_ps != PORT_NEVER_PS)
        shard_wake(shard, shard->nic_count + switch_index, crowd.next_ps);
}

void node_switch_prefetch(const struct shard *shard, uint32_t switch_index,
    const union mailbox_unit *arrivals, uint32_t count)
{
    const struct engine_switch *here = &shard->switches[switch_index];

    for (uint32_t i = 0; i < count; i++) {
        const struct ipv6_addr *outer = &shard->packets.outer[arrivals[i].entry.packet.handle];
        struct switch_way way = switch_table_way(&here->table, outer);
        uint32_t port = here->first_port + way.port;

        if (way.reason != DROP_NONE)
            continue;
        __builtin_prefetch(&shard->ports[port], 1);
        __builtin_prefetch(&shard->links[port]);
        __builtin_prefetch(&shard->sim->port_counters[port], 1);
    }
}

void node_switch_empty(struct shard *shard, uint32_t switch_index, uint64_t now_ps)
{
    const struct engine_switch *here = &shard->switches[switch_index];

    for (uint32_t port = 0; port < here->port_count; port++)
        egress_flush(shard, here->first_port + port, LOST_REBOOT, now_ps);
}
