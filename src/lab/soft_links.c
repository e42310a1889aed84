/* SPDX-License-Identifier: Apache-2.0 */
/* Links as the faults have them: rates, ports that are up or down, what NICs are told. */
#include "lab/soft_state.h"
#include "pktio/pktio.h"

static void discard_queue(struct soft *soft, struct soft_wire *wire)
{
    struct switch_node *node = &soft->switches[wire->self.node];
    struct port_entry entry;

    while (switch_discard(node, wire->self.port, &entry))
        soft_give(soft, entry.handle);
}

/* What is at the end of the cable learns that it is dead, or alive again. */
static void tell_end(struct soft *soft, uint32_t number, bool up)
{
    for (; number < soft->end_count; number += soft->cable_count) {
        const struct soft_end *end = &soft->ends[number];

        if (end->port && end->kind == SOFT_END_SHM)
            shm_port_set_link(end->port, up);
        if (end->port && end->kind == SOFT_END_INTERFACE)
            soft_interfaces_turn(soft, number, up);
    }
}

/* Faults have no direction: the port of the T0 speaks for a NIC's. */
static void turn(struct soft *soft, struct soft_wire *wire, bool down)
{
    struct switch_node *node;

    if (wire->self.is_nic)
        return;
    node = &soft->switches[wire->self.node];
    if (down) {
        switch_port_down(node, wire->self.port);
        discard_queue(soft, wire);
    } else {
        switch_port_up(node, wire->self.port);
    }
    if (wire->exit != SOFT_NO_END)
        tell_end(soft, wire->exit, !down);
}

static void set_rate(struct soft *soft, struct soft_wire *wire)
{
    struct topology_link_kind kind = { 0 };
    struct topology_element link;

    if (!topology_link_at(&soft->fabric.topology, wire->self, &link, &kind))
        return;
    if (wire->condition.rate_bps != 0 && wire->condition.rate_bps < kind.rate_bps)
        kind.rate_bps = wire->condition.rate_bps;
    if (kind.rate_bps == wire->rate_bps)
        return;
    wire->rate_bps = kind.rate_bps;
    if (!wire->self.is_nic)
        switch_set_rate(&soft->switches[wire->self.node], wire->self.port, kind.rate_bps);
}

void soft_links_update(struct soft *soft)
{
    soft_faults_prune(&soft->faults, soft->now_ps);
    for (uint32_t i = 0; i < soft->wire_count; i++) {
        struct soft_wire *wire = &soft->wires[i];
        bool was_down = wire->condition.is_down;

        if (!wire->has_cable || !soft_moves(soft, wire))
            continue;
        wire->condition =
            soft_faults_condition(&soft->faults, &soft->fabric.topology, &wire->link, soft->now_ps);
        set_rate(soft, wire);
        if (wire->condition.is_down != was_down)
            turn(soft, wire, wire->condition.is_down);
    }
    soft->faults_change_ps = soft_faults_next_ps(&soft->faults, soft->now_ps);
}
