/* SPDX-License-Identifier: Apache-2.0 */
/* Forwarding at a switch (docs/fabric.md §4), a batch of packets at a time. */
#include "sim/node_switch.h"

#include "sim/egress.h"

enum {
    PACKET_AHEAD = 16, /* packets to fetch into the cache before their turn */
};

static void arrive(
    struct sim *sim, struct engine_switch *here, const struct mailbox_entry *entry, uint64_t now_ps)
{
    struct switch_way way;
    uint32_t port;

    if (here->was_cut &&
        egress_was_cut(sim, here->first_port + mailbox_port(entry), entry->packet, now_ps)) {
        engine_lose(sim, entry->packet.handle, SIM_LOST_LINK_DOWN);
        return;
    }
    way = switch_table_forward(&here->table, &sim->packets.outer[entry->packet.handle]);
    if (way.reason != DROP_NONE) {
        engine_lose(sim, entry->packet.handle, SIM_LOST_NO_ROUTE);
        return;
    }
    port = here->first_port + way.port;
    egress_advance(sim, port, now_ps);
    if (egress_enter(sim, port, entry->packet, now_ps))
        sim->waiting[here->first_word + way.port / 64] |= UINT64_C(1) << way.port % 64;
}

/* Works all ports off before `end_ps`; yields when the first that still has packets goes on. */
static uint64_t drain(struct sim *sim, const struct engine_switch *here, uint64_t end_ps)
{
    uint64_t next_ps = PORT_NEVER_PS;

    for (uint32_t i = 0; i < (here->port_count + 63) / 64; i++) {
        uint64_t *word = &sim->waiting[here->first_word + i];

        for (uint64_t left = *word; left; left &= left - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(left);
            uint32_t port = here->first_port + 64 * i + bit;
            uint64_t port_ps;

            egress_advance(sim, port, end_ps - 1);
            port_ps = port_next_ps(&sim->ports[port]);
            if (port_ps == PORT_NEVER_PS)
                *word &= ~(UINT64_C(1) << bit);
            if (port_ps < next_ps)
                next_ps = port_ps;
        }
    }
    return next_ps;
}

void node_switch_run(struct sim *sim, uint32_t switch_index, const struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps)
{
    struct engine_switch *here = &sim->switches[switch_index];
    uint64_t next_ps;

    for (uint32_t i = 0; i < count; i++) {
        if (i + PACKET_AHEAD < count)
            __builtin_prefetch(&sim->packets.outer[entries[i + PACKET_AHEAD].packet.handle], 1);
        arrive(sim, here, &entries[i], open_ps + mailbox_offset_ps(&entries[i]));
    }
    next_ps = drain(sim, here, end_ps);
    if (next_ps != PORT_NEVER_PS)
        engine_wake(sim, sim->nic_count + switch_index, next_ps);
}

void node_switch_empty(struct sim *sim, uint32_t switch_index, uint64_t now_ps)
{
    const struct engine_switch *here = &sim->switches[switch_index];

    for (uint32_t port = 0; port < here->port_count; port++)
        egress_flush(sim, here->first_port + port, SIM_LOST_REBOOT, now_ps);
}
