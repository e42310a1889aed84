/* SPDX-License-Identifier: Apache-2.0 */
/* Forwarding at a switch (docs/fabric.md §4), all packets of a window at a time.
 *
 * Ports of a switch are independent, so only packets that leave by the same port need to be in
 * order. Packets are first distributed to ports; then each port processes its own. Its queue and
 * the list of what it sends stay in the nearest cache meanwhile. */
#include "sim/node_switch.h"

#include <string.h>

#include "sim/egress.h"
#include "sim/node_policy.h"
#include "sim/sort.h"
#include "sim/srv6.h"

enum {
    AHEAD = 16, /* addresses to fetch into the cache before their turn */
    PORTS_AHEAD = 2,
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

/* Writes the port of each packet into its entry, and counts packets by port. The last count is that
 * of lost packets. Not inlined, so that its loop has all registers. */
static __attribute__((noinline)) void route_all(struct shard *shard,
    const struct engine_switch *here, struct mailbox_entry *entries, uint32_t count,
    uint64_t open_ps, uint32_t *counts)
{
    struct ipv6_addr *outers = shard->packets.outer;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t packet = entries[i].packet.handle;
        uint32_t port;

        if (i + AHEAD < count)
            __builtin_prefetch(&outers[entries[i + AHEAD].packet.handle], 1);
        if (__builtin_expect(here->was_cut, false) && is_cut(shard, here, &entries[i], open_ps))
            port = here->port_count;
        else
            port = switch_table_quick_port(&here->table, &outers[packet]);
        if (__builtin_expect(port == SWITCH_TABLE_NO_PORT, false))
            port = route_slowly(shard, here, packet);
        counts[port]++;
        entries[i].key |= (uint64_t)port << EGRESS_SHIFT;
    }
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
    struct egress egress = egress_of(shard, port);
    uint64_t next_ps = port_next_ps(egress.port);

    for (uint32_t i = 0;; i++) {
        uint64_t now_ps = i < count ? open_ps + mailbox_offset_ps(&entries[i]) : end_ps - 1;
        struct port_outcome outcome;

        next_ps = egress_send(shard, &egress, next_ps, now_ps);
        if (i == count)
            return next_ps;
        outcome = port_admit(egress.port, &entries[i].packet, now_ps);
        if (__builtin_expect(outcome.verdict == PORT_DROPPED, false))
            egress_refuse(shard, entries[i].packet.handle, outcome.reason);
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
    struct mailbox_entry *dealt; /* by port */
    struct mailbox_entry *spare;
    const uint32_t *ends; /* where the packets of each port end */
    uint32_t start;       /* where those of the next port begin */
    uint64_t open_ps;
    uint64_t end_ps;
    uint64_t next_ps; /* when the first port continues */
};

/* Fetches the packet that leaves first of those that wait at a port. */
static inline void prefetch_head(const struct shard *shard, uint32_t port)
{
    __builtin_prefetch(&shard->slots.slots[shard->ports[port].queues[PORT_DATA].head], 1);
}

/* Runs the ports of one word of the bitmaps, from number `first` up to but not including `end`, of
 * which at least one has something to do. */
static void run_word(struct shard *shard, const struct engine_switch *here, struct crowd *crowd,
    uint32_t first, uint32_t end)
{
    uint64_t *waiting = &shard->waiting[here->first_word + first / 64];
    uint64_t *used = &shard->used[here->first_word + first / 64];

    for (uint32_t p = first; p < end; p++) {
        struct mailbox_entry *entries = &crowd->dealt[crowd->start];
        uint32_t count = crowd->ends[p] - crowd->start;
        uint64_t bit = UINT64_C(1) << p % 64;
        uint64_t port_ps;

        if (*waiting & bit << PORTS_AHEAD)
            prefetch_head(shard, here->first_port + p + PORTS_AHEAD);
        if (count == 0 && !(*waiting & bit))
            continue;
        *used |= bit;
        port_ps = run_port(shard, here->first_port + p, sort_entries(entries, count, crowd->spare),
            count, crowd->open_ps, crowd->end_ps);
        crowd->start += count;
        *waiting = port_ps == PORT_NEVER_PS ? *waiting & ~bit : *waiting | bit;
        crowd->next_ps = port_ps < crowd->next_ps ? port_ps : crowd->next_ps;
    }
}

void node_switch_run(struct shard *shard, uint32_t switch_index, struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps)
{
    const struct engine_switch *here = &shard->switches[switch_index];
    uint32_t ends[TOPOLOGY_RADIX_MAX + 1];
    struct crowd crowd = { .dealt = shard->spare,
        .spare = entries,
        .ends = ends,
        .open_ps = open_ps,
        .end_ps = end_ps,
        .next_ps = PORT_NEVER_PS };

    if (__builtin_expect(shard->policy != NULL, false)) {
        node_policy_run(shard, switch_index, entries, count, open_ps, end_ps);
        return;
    }
    memset(ends, 0, (here->port_count + 1) * sizeof(ends[0]));
    route_all(shard, here, entries, count, open_ps, ends);
    deal_out(entries, count, ends, here->port_count + 1, crowd.dealt);
    for (uint32_t first = 0; first < here->port_count; first += 64) {
        uint32_t end = here->port_count - first < 64 ? here->port_count : first + 64;

        if (ends[end - 1] != crowd.start || shard->waiting[here->first_word + first / 64])
            run_word(shard, here, &crowd, first, end);
    }
    if (crowd.next_ps != PORT_NEVER_PS)
        shard_wake(shard, shard->nic_count + switch_index, crowd.next_ps);
}

void node_switch_empty(struct shard *shard, uint32_t switch_index, uint64_t now_ps)
{
    const struct engine_switch *here = &shard->switches[switch_index];

    for (uint32_t port = 0; port < here->port_count; port++)
        egress_flush(shard, here->first_port + port, LOST_REBOOT, now_ps);
}
