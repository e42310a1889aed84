/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a frame through a soft fabric: end, switch, wire, switch, ..., end. */
#include <assert.h>
#include <string.h>

#include "lab/soft_state.h"
#include "pktio/pktio.h"
#include "wire/frame.h"

static void lose(struct soft *soft, struct soft_wire *wire, uint32_t frame)
{
    wire->lost++;
    soft_frames_give(&soft->frames, frame);
}

static uint32_t ev_of(const struct soft *soft, uint32_t frame)
{
    struct frame parsed;

    frame_parse(&format_default, soft_frames_bytes(&soft->frames, frame),
        soft->frames.lengths[frame], &parsed);
    return parsed.packet.ev;
}

/* False: the wire swallowed it. */
static bool survives(struct soft *soft, struct soft_wire *wire, uint32_t frame)
{
    struct soft_condition condition = wire->condition;

    if (condition.is_picky)
        condition = soft_faults_condition_of_ev(
            &soft->faults, &soft->fabric, &wire->link, ev_of(soft, frame), soft->now_ps);
    if (condition.is_down || condition.is_blackhole || prng_chance(&soft->prng, condition.loss))
        return false;
    if (prng_chance(&soft->prng, condition.corrupt))
        soft_frames_bytes(&soft->frames, frame)[soft->frames.lengths[frame] - 1] ^= 1;
    return true;
}

static bool is_impaired(const struct soft_condition *condition)
{
    return condition->is_down || condition->is_blackhole || condition->is_picky ||
           condition->loss != 0 || condition->corrupt != 0;
}

/* Its last bit leaves at `end_ps`. */
static void launch(struct soft *soft, uint32_t wire_number, uint32_t frame, uint64_t end_ps)
{
    struct soft_wire *wire = &soft->wires[wire_number];

    wire->frames++;
    if (is_impaired(&wire->condition) && !survives(soft, wire, frame)) {
        lose(soft, wire, frame);
        return;
    }
    if (wire->exit != SOFT_NO_END)
        soft->ends[wire->exit].under_way++;
    soft_queue_push(&soft->queue, end_ps + wire->delay_ps, wire_number, frame);
}

/* ---- switches --------------------------------------------------------------------------------
 */

static struct switch_node *node_of(struct soft *soft, const struct soft_wire *wire)
{
    return &soft->switches[wire->self.node];
}

/* A NIC that takes no more at the moment is asked again after this; until then its frames wait in
 * the switch. */
#define HOLD_PS UINT64_C(10000000)

static bool has_room(struct soft *soft, const struct soft_wire *wire)
{
    const struct soft_end *end;

    if (wire->exit == SOFT_NO_END)
        return true;
    end = &soft->ends[wire->exit];
    return !end->port || end->under_way < pktio_port_room(end->port);
}

static void send_frame(
    struct soft *soft, uint32_t wire_number, const struct port_transmission *transmission)
{
    uint32_t frame = transmission->entry.handle;
    struct switch_frame bytes;

    if (transmission->entry.ecn == ECN_CE) {
        switch_frame_open(&bytes, SWITCH_BARE_IP, soft_frames_bytes(&soft->frames, frame),
            soft->frames.lengths[frame]);
        switch_frame_mark(&bytes);
    }
    launch(soft, wire_number, frame, transmission->end_ps);
}

void soft_kick(struct soft *soft, uint32_t wire_number)
{
    struct soft_wire *wire = &soft->wires[wire_number];
    struct switch_node *node = node_of(soft, wire);
    struct port *port = &node->ports[wire->self.port];
    struct port_transmission transmission;
    uint64_t next_ps;

    while (port_next_ps(port) <= soft->now_ps) {
        if (!has_room(soft, wire)) {
            port_hold(port, soft->now_ps + HOLD_PS);
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
    soft_queue_push(&soft->queue, next_ps, wire_number, SOFT_NO_FRAME);
}

static void cut(struct soft *soft, struct port_entry entry)
{
    struct switch_frame frame;

    switch_frame_open(&frame, SWITCH_BARE_IP, soft_frames_bytes(&soft->frames, entry.handle),
        soft->frames.lengths[entry.handle]);
    switch_frame_trim(&frame, &format_default, entry);
    soft->frames.lengths[entry.handle] = (uint16_t)frame.length;
}

static void refuse(struct soft *soft, struct fabric_end at, uint32_t frame, enum drop_reason reason)
{
    switch_refuse(&soft->switches[at.node], at.port, reason);
    soft_frames_give(&soft->frames, frame);
}

static void enter_switch(struct soft *soft, struct fabric_end at, uint32_t number)
{
    struct switch_node *node = &soft->switches[at.node];
    struct switch_frame frame;
    struct switch_way way;
    struct switch_outcome outcome;
    enum drop_reason reason = switch_frame_open(&frame, SWITCH_BARE_IP,
        soft_frames_bytes(&soft->frames, number), soft->frames.lengths[number]);

    if (reason != DROP_NONE) {
        refuse(soft, at, number, reason);
        return;
    }
    way = switch_frame_forward(&frame, &node->table);
    if (way.reason != DROP_NONE) {
        refuse(soft, at, number, way.reason);
        return;
    }
    soft_kick(soft, soft->first_wire[at.node] + way.port);
    outcome = switch_queue(
        node, way.port, switch_frame_entry(&frame, &format_default, number), soft->now_ps);
    if (outcome.at_port.verdict == PORT_DROPPED) {
        soft_frames_give(&soft->frames, number);
        return;
    }
    if (outcome.at_port.verdict != PORT_QUEUED)
        cut(soft, outcome.at_port.cut);
    soft_kick(soft, soft->first_wire[at.node] + way.port);
}

/* ---- in and out ------------------------------------------------------------------------------ */

void soft_accept(struct soft *soft, uint32_t number, const uint8_t *bytes, uint32_t length)
{
    const struct soft_end *end = &soft->ends[number];
    struct soft_wire *wire = &soft->wires[end->entry];
    uint64_t start_ps = wire->free_ps > soft->now_ps ? wire->free_ps : soft->now_ps;
    uint32_t frame;

    if (length == 0 || length > SOFT_FRAME_BYTES || soft->frames.free_count == 0) {
        soft->no_buffer++;
        return;
    }
    frame = soft_frames_take(&soft->frames);
    memcpy(soft_frames_bytes(&soft->frames, frame), bytes, length);
    soft->frames.lengths[frame] = (uint16_t)length;
    if (end->is_launched) {
        enter_switch(soft, wire->peer, frame);
        return;
    }
    wire->free_ps = start_ps + length * UINT64_C(8000000000000) / wire->rate_bps;
    launch(soft, end->entry, frame, wire->free_ps);
}

void soft_flush(struct soft *soft, uint32_t number)
{
    struct soft_end *end = &soft->ends[number];
    struct iovec pieces[SOFT_OUTBOX_FRAMES];
    struct pktio_frame frames[SOFT_OUTBOX_FRAMES];
    uint32_t room;
    uint32_t count;

    if (end->outbox_count == 0)
        return;
    room = end->port ? pktio_port_room(end->port) : 0;
    count = end->outbox_count < room ? end->outbox_count : room;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t frame = end->outbox[i];

        pieces[i] =
            (struct iovec){ soft_frames_bytes(&soft->frames, frame), soft->frames.lengths[frame] };
        frames[i] = (struct pktio_frame){ &pieces[i], 1, soft->frames.lengths[frame] };
    }
    if (count > 0)
        pktio_port_send(end->port, frames, count);
    for (uint32_t i = 0; i < end->outbox_count; i++)
        soft_frames_give(&soft->frames, end->outbox[i]);
    end->under_way -= end->outbox_count;
    end->outbox_count = 0;
}

static void reach_end(struct soft *soft, struct soft_wire *wire, uint32_t frame)
{
    struct soft_end *end = &soft->ends[wire->exit];

    if (!end->port) {
        end->under_way--;
        lose(soft, wire, frame);
        return;
    }
    end->outbox[end->outbox_count++] = frame;
    if (end->outbox_count == SOFT_OUTBOX_FRAMES)
        soft_flush(soft, wire->exit);
}

/* ---- time ------------------------------------------------------------------------------------ */

void soft_advance(struct soft *soft)
{
    uint64_t until_ps = soft->now_ps;
    struct soft_event event;

    while (soft_queue_pop(&soft->queue, until_ps, &event)) {
        struct soft_wire *wire = &soft->wires[event.end];

        soft->now_ps = event.time_ps;
        if (event.frame == SOFT_NO_FRAME) {
            wire->is_scheduled = false;
            soft_kick(soft, event.end);
        } else if (wire->exit != SOFT_NO_END) {
            reach_end(soft, wire, event.frame);
        } else {
            enter_switch(soft, wire->peer, event.frame);
        }
    }
    soft->now_ps = until_ps;
}
