/* SPDX-License-Identifier: Apache-2.0 */
/* The state of links under faults: rates, ports that are up or down, notifications of NICs. */
#include <stdlib.h>

#include "lab/soft_state.h"
#include "pktio/pktio.h"

/* If lanes have the links, this list only serves the recording, so flips may be recorded late. */
#define RECORD_PS UINT64_C(1000000000)

static void discard_queue(struct soft *soft, const struct soft_wire *wire, enum loss_reason reason)
{
    struct switch_node *node = &soft->switches[wire->self.node];
    struct port_entry entry;

    while (switch_discard(node, wire->self.port, &entry)) {
        soft->lost[reason]++;
        soft_give(soft, entry.handle);
    }
}

/* Tells the device at the end of the cable that its link is down or up. */
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

/* A link is down in both directions. The port of the switch also stands for the port of a NIC. */
static void turn_link(struct soft *soft, struct soft_wire *wire, bool down)
{
    struct switch_node *node;

    if (wire->self.is_nic)
        return;
    node = &soft->switches[wire->self.node];
    if (down) {
        switch_port_down(node, wire->self.port);
        discard_queue(soft, wire, LOST_LINK_DOWN);
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
    kind.rate_bps = fault_link_rate_bps(&wire->fault, soft->holds, kind.rate_bps);
    if (kind.rate_bps == wire->rate_bps)
        return;
    wire->rate_bps = kind.rate_bps;
    wire->byte_time = byte_time_at(kind.rate_bps);
    if (!wire->self.is_nic)
        switch_set_rate(&soft->switches[wire->self.node], wire->self.port, kind.rate_bps);
}

/* ---- from the list of faults ----------------------------------------------------------------- */

static bool moves_switch(const struct soft *soft, const struct topology_element *element)
{
    return element->plane % soft->lane_count == soft->lane;
}

/* Discards all frames that wait in the switches. */
static void empty_switches(struct soft *soft, const struct soft_fault *fault)
{
    for (uint32_t i = 0; i < fault->what.where_count; i++) {
        uint32_t node = topology_switch_index(&soft->fabric.topology, &fault->where[i]);

        if (!moves_switch(soft, &fault->where[i]))
            continue;
        for (uint32_t port = 0; port < topology_port_count(&soft->fabric.topology, node); port++)
            discard_queue(soft, &soft->wires[soft->first_wire[node] + port], LOST_REBOOT);
    }
}

static void happen(struct soft *soft, const struct soft_fault_step *step)
{
    const struct soft_fault *fault = &soft->faults.list[step->index];

    soft_record_change(&soft->record, fault->id, &step->change);
    if (step->change.begins && fault_kind_is(fault->what.kind, FAULT_EMPTIES) && !soft->lanes)
        empty_switches(soft, fault);
    if (step->change.ends)
        soft_faults_remove(&soft->faults, step->index);
}

void soft_links_pass_time(struct soft *soft)
{
    struct soft_fault_step step;

    while (soft_faults_step(&soft->faults, soft->now_ps, &step))
        happen(soft, &step);
    soft->faults_change_ps = soft_faults_next_ps(&soft->faults);
    if (soft->lanes && soft->faults_change_ps < soft->now_ps + RECORD_PS)
        soft->faults_change_ps = soft->now_ps + RECORD_PS;
}

/* Makes room for the current impairments. If there is no memory, returns false, and no fault has an
 * effect on packets. */
static bool make_room(struct soft *soft)
{
    size_t count = 0;
    struct fault_hold *holds;

    for (uint32_t i = 0; i < soft->faults.count; i++)
        for (uint32_t k = 0; k < soft->faults.list[i].what.where_count; k++)
            count += fault_cover_slots(&soft->fabric.topology, &soft->faults.list[i].where[k]);
    if (count <= soft->hold_max)
        return true;
    holds = realloc(soft->holds, count * sizeof(*holds));
    if (!holds)
        return false;
    soft->holds = holds;
    soft->hold_max = count;
    return true;
}

struct impairment {
    struct soft *soft;
    const struct soft_fault *fault;
    uint32_t hold_count;
};

static void impair_wire(void *context, struct topology_end from)
{
    struct impairment *impairment = context;
    struct soft *soft = impairment->soft;
    struct soft_wire *wire = &soft->wires[soft_wire_of(soft, from)];

    if (!wire->link.has_cable || !soft_moves(soft, wire))
        return;
    fault_link_impair(&wire->fault, soft->holds, impairment->hold_count++, &impairment->fault->what,
        impairment->fault->id);
}

static void impair_wires(struct soft *soft)
{
    struct impairment impairment = { .soft = soft };

    for (uint32_t i = 0; i < soft->faults.count; i++) {
        struct fault view = soft_fault_view(&soft->faults.list[i]);

        impairment.fault = &soft->faults.list[i];
        if (impairment.fault->course.impairs)
            fault_cover(&soft->fabric.topology, &view, impair_wire, &impairment);
    }
}

static void settle_wire(struct soft *soft, struct soft_wire *wire)
{
    bool is_down = fault_link_is_down(&wire->fault);

    wire->asks_ev = fault_link_asks_ev(&wire->fault, soft->holds);
    set_rate(soft, wire);
    if (is_down && !wire->is_down)
        wire->cut_ps = soft->now_ps;
    if (is_down != wire->is_down)
        turn_link(soft, wire, is_down);
    wire->is_down = is_down;
}

void soft_links_update(struct soft *soft)
{
    soft_links_pass_time(soft);
    for (uint32_t i = 0; i < soft->wire_count; i++)
        if (soft_moves(soft, &soft->wires[i]))
            soft->wires[i].fault = (struct fault_link){ 0 };
    if (make_room(soft))
        impair_wires(soft);
    for (uint32_t i = 0; i < soft->wire_count; i++)
        if (soft->wires[i].link.has_cable && soft_moves(soft, &soft->wires[i]))
            settle_wire(soft, &soft->wires[i]);
}
