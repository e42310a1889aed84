/* SPDX-License-Identifier: Apache-2.0 */
/* Frames on wires. Frames on one wire arrive in the order in which they left, so the queue of
 * events contains only the first frame of every wire. */
#include "lab/soft_state.h"
#include "wire/frame.h"

static uint32_t ev_of(const struct soft *soft, uint32_t frame)
{
    struct frame parsed;

    frame_parse(&format_default, soft_frames_bytes(&soft->frames, frame),
        soft->frames.list[frame].length, &parsed);
    return parsed.packet.ev;
}

static void damage_frame(struct soft *soft, uint32_t frame)
{
    soft_loan_copy(soft, frame);
    soft_frames_bytes(&soft->frames, frame)[soft->frames.list[frame].length - 1] ^= 1;
    soft_frames_read(&soft->frames, frame);
}

/* Applies the faults of the wire to a frame. Returns false if the frame is lost. */
static bool passes_faults(
    struct soft *soft, const struct soft_wire *wire, uint32_t frame, uint64_t end_ps)
{
    struct link_passage passage = link_carry(&wire->link, &wire->fault, soft->holds,
        &(struct link_packet){ .end_ps = end_ps,
            .coin = prng_next(&soft->prng),
            .ev = wire->asks_ev ? ev_of(soft, frame) : 0 });

    if (passage.is_damaged)
        damage_frame(soft, frame);
    if (passage.is_damaged || passage.is_lost)
        soft->lost[passage.reason]++;
    return !passage.is_lost;
}

static bool has_receiver(struct soft *soft, const struct soft_end *end)
{
    if (!end || end->port_count > 0)
        return true;
    soft->lost[LOST_NO_ROUTE]++;
    return false;
}

void soft_wire_lose(struct soft *soft, uint32_t wire_number, uint32_t frame)
{
    soft->wires[wire_number].lost++;
    soft_give(soft, frame);
}

/* Appends a frame. Returns true if the wire was empty. */
static bool append_frame(struct soft *soft, struct soft_wire *wire, uint32_t frame)
{
    bool is_first = wire->first == SOFT_NO_FRAME;

    soft->frames.list[frame].next = SOFT_NO_FRAME;
    if (is_first)
        wire->first = frame;
    else
        soft->frames.list[wire->last].next = frame;
    wire->last = frame;
    return is_first;
}

void soft_wire_launch(struct soft *soft, uint32_t wire_number, uint32_t frame, uint64_t end_ps)
{
    struct soft_wire *wire = &soft->wires[wire_number];
    struct soft_end *end = wire->exit == SOFT_NO_END ? NULL : &soft->ends[wire->exit];
    uint64_t arrives_ps = link_arrival_ps(&wire->link, end_ps);
    bool is_first;

    wire->frames++;
    wire->bytes += soft->frames.list[frame].length;
    if ((!fault_link_is_healthy(&wire->fault) && !passes_faults(soft, wire, frame, end_ps)) ||
        !has_receiver(soft, end)) {
        soft_wire_lose(soft, wire_number, frame);
        return;
    }
    soft->frames.list[frame].due_ps = arrives_ps;
    is_first = append_frame(soft, wire, frame);
    if (end)
        end->under_way++;
    else if (is_first)
        soft_queue_push(&soft->queues[wire->part], arrives_ps, wire_number, SOFT_ARRIVAL);
}

/* Prefetches the next frame of this wire. There are hundreds of frames at a time, so it is not in a
 * near cache. */
static void prefetch_frame(const struct soft_frames *frames, uint32_t frame)
{
    __builtin_prefetch(&frames->list[frame]);
    __builtin_prefetch(soft_frames_bytes(frames, frame));
}

uint32_t soft_wire_take(struct soft *soft, uint32_t wire_number)
{
    struct soft_wire *wire = &soft->wires[wire_number];
    uint32_t frame = wire->first;

    wire->first = soft->frames.list[frame].next;
    if (wire->first != SOFT_NO_FRAME)
        prefetch_frame(&soft->frames, wire->first);
    return frame;
}

bool soft_wire_is_cut(struct soft *soft, uint32_t wire_number, uint32_t frame)
{
    const struct soft_wire *wire = &soft->wires[wire_number];
    const struct soft_frame *arrived = &soft->frames.list[frame];

    if (!link_was_cut(wire->cut_ps, arrived->due_ps,
            wire->link.delay_ps + byte_time_ps(wire->byte_time, arrived->length)))
        return false;
    soft->lost[LOST_LINK_DOWN]++;
    soft_wire_lose(soft, wire_number, frame);
    return true;
}
