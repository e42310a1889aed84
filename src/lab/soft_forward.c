/* SPDX-License-Identifier: Apache-2.0 */
/* Switches: frames arrive, wait and leave. */
#include <assert.h>

#include "lab/soft_state.h"
#include "pktio/pktio.h"

/* Time after which a NIC without room is tried again; it doubles each time. Until then its frames
 * wait in the switch. */
#define HOLD_PS     UINT64_C(10000000)
#define HOLD_MAX_PS UINT64_C(4000000000)

static struct switch_frame bytes_of(const struct soft *soft, uint32_t frame)
{
    uint8_t *bytes = soft_frames_bytes(&soft->frames, frame);

    return (struct switch_frame){ .bytes = bytes,
        .length = soft->frames.list[frame].length,
        .present = soft_frames_present(&soft->frames, frame),
        .ip = bytes };
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Takes the place of one frame at the NIC, if there is one. */
static bool take_room(struct soft *soft, const struct soft_wire *wire)
{
    struct soft_end *end;

    if (wire->exit == SOFT_NO_END || soft->ends[wire->exit].port_count == 0)
        return true;
    end = &soft->ends[wire->exit];
    if (end->room == 0) {
        uint32_t room = soft_exchange_room(soft, end);

        end->room = room > end->under_way ? room - end->under_way : 0;
    }
    if (end->room == 0)
        return false;
    end->room--;
    end->hold_ps = 0;
    return true;
}

static void hold_port(struct soft *soft, const struct soft_wire *wire, struct port *port)
{
    struct soft_end *end = &soft->ends[wire->exit];

    end->hold_ps = end->hold_ps ? 2 * end->hold_ps : HOLD_PS;
    if (end->hold_ps > HOLD_MAX_PS)
        end->hold_ps = HOLD_MAX_PS;
    port_hold(port, soft->now_ps + end->hold_ps);
}

static void send_frame(
    struct soft *soft, uint32_t wire_number, const struct port_transmission *transmission)
{
    uint32_t number = transmission->entry.handle;
    struct soft_frame *frame = &soft->frames.list[number];

    if (transmission->entry.ecn != frame->entry.ecn) {
        struct switch_frame bytes = bytes_of(soft, number);

        switch_frame_mark(&bytes);
        frame->entry.ecn = transmission->entry.ecn;
    }
    soft_wire_launch(soft, wire_number, number, transmission->end_ps);
}

void soft_work_off(struct soft *soft, uint32_t wire_number)
{
    struct soft_wire *wire = &soft->wires[wire_number];
    struct switch_node *node = &soft->switches[wire->self.node];
    struct port *port = &node->ports[wire->self.port];
    struct port_transmission transmission;
    uint64_t next_ps;

    while (port_next_ps(port) <= soft->now_ps) {
        if (!take_room(soft, wire)) {
            hold_port(soft, wire, port);
            break;
        }
        if (!switch_transmit(node, wire->self.port, soft->now_ps, &transmission))
            break;
        send_frame(soft, wire_number, &transmission);
    }
    next_ps = port_next_ps(port);
    if (next_ps == PORT_NEVER_PS || wire->is_scheduled)
        return;
    wire->is_scheduled = true;
    soft_queue_push(&soft->queues[wire->part], next_ps, wire_number, SOFT_FREE);
}

/* ---- input ----------------------------------------------------------------------------------- */

static void trim_frame(struct soft *soft, struct port_entry entry)
{
    struct switch_frame bytes = bytes_of(soft, entry.handle);

    if (!switch_frame_trim(&bytes, &format_default, entry))
        return;
    soft->frames.list[entry.handle].length = (uint16_t)bytes.length;
    soft_loan_copy(soft, entry.handle);
    soft_frames_read(&soft->frames, entry.handle);
}

static void refuse_frame(struct soft *soft, const struct link *link, struct switch_node *node,
    uint32_t frame, enum drop_reason reason)
{
    switch_refuse(node, link->peer_port, reason);
    soft_give(soft, frame);
}

/* A port may hold as many waiting frames as there are free buffers. If n ports are blocked, each
 * holds one part in n + 1, and one part is left for all others. */
static bool is_within_quota(const struct soft *soft, const struct port *port)
{
    uint32_t waiting = port->queues[PORT_DATA].count + port->queues[PORT_CONTROL].count;

    return waiting <= soft->frames.free_count;
}

/* Sends a frame that finds its port idle, which is the usual case, without queueing it. Returns
 * false if it must wait. */
static bool pass_frame(
    struct soft *soft, struct switch_node *node, uint32_t wire_number, uint32_t frame)
{
    const struct soft_wire *wire = &soft->wires[wire_number];
    const struct port_entry *entry = &soft->frames.list[frame].entry;

    if (!switch_pass_is_open(node, wire->self.port, entry, soft->now_ps) || !take_room(soft, wire))
        return false;
    soft_wire_launch(
        soft, wire_number, frame, switch_pass(node, wire->self.port, entry, soft->now_ps));
    return true;
}

static void enqueue_frame(struct soft *soft, uint32_t node_index, uint32_t port, uint32_t frame)
{
    struct switch_node *node = &soft->switches[node_index];
    uint32_t wire_number = soft->first_wire[node_index] + port;
    struct switch_outcome outcome;

    if (port_next_ps(&node->ports[port]) <= soft->now_ps)
        soft_work_off(soft, wire_number);
    if (pass_frame(soft, node, wire_number, frame))
        return;
    if (!is_within_quota(soft, &node->ports[port])) {
        switch_drop(node, port, DROP_BUFFER_FULL);
        soft_give(soft, frame);
        return;
    }
    outcome = switch_queue(node, port, soft->frames.list[frame].entry, soft->now_ps);
    if (outcome.at_port.verdict == PORT_DROPPED) {
        soft_give(soft, frame);
        return;
    }
    if (outcome.at_port.verdict != PORT_QUEUED)
        trim_frame(soft, outcome.at_port.cut);
    soft_work_off(soft, wire_number);
}

void soft_forward(struct soft *soft, const struct link *link, uint32_t frame)
{
    uint32_t node_index = link->peer_node - soft->fabric.topology.nic_count;
    struct switch_node *node = &soft->switches[node_index];
    enum drop_reason reason = (enum drop_reason)soft->frames.list[frame].reason;
    struct switch_frame bytes = bytes_of(soft, frame);
    struct switch_way way;

    if (reason == DROP_NONE)
        reason = switch_check_source(node, link->peer_port, &bytes);
    if (reason != DROP_NONE) {
        refuse_frame(soft, link, node, frame, reason);
        return;
    }
    way = switch_frame_forward(&bytes, &node->table);
    if (way.reason != DROP_NONE) {
        refuse_frame(soft, link, node, frame, way.reason);
        return;
    }
    enqueue_frame(soft, node_index, way.port, frame);
}
