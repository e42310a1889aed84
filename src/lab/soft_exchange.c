/* SPDX-License-Identifier: Apache-2.0 */
/* Frames come into the process and leave it. */
#include "lab/soft_state.h"
#include "pktio/pktio.h"

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
    soft_frames_fill(&soft->frames, frame, bytes, length);
    if (end->is_launched) {
        soft_forward(soft, wire->peer, frame);
        return;
    }
    wire->free_ps = start_ps + length * UINT64_C(8000000000000) / wire->rate_bps;
    soft_wire_launch(soft, end->entry, frame, wire->free_ps);
}

static bool is_due(const struct soft *soft, uint32_t frame, uint64_t now_ps)
{
    return frame != SOFT_NO_FRAME && soft->frames.list[frame].due_ps <= now_ps;
}

/* Up to `room` of them at once. */
static uint32_t hand_over(struct soft *soft, struct soft_end *end, uint32_t room)
{
    const struct soft_wire *wire = &soft->wires[end->at];
    struct iovec pieces[PKTIO_BATCH_MAX];
    struct pktio_frame frames[PKTIO_BATCH_MAX];
    uint32_t numbers[PKTIO_BATCH_MAX];
    uint32_t count = 0;

    while (count < room && is_due(soft, wire->first, soft->now_ps)) {
        uint32_t frame = soft_wire_take(soft, end->at);
        uint32_t length = soft->frames.list[frame].length;

        pieces[count] = (struct iovec){ soft_frames_bytes(&soft->frames, frame), length };
        frames[count] = (struct pktio_frame){ &pieces[count], 1, length };
        numbers[count++] = frame;
    }
    pktio_port_send(end->port, frames, count);
    for (uint32_t i = 0; i < count; i++)
        soft_frames_give(&soft->frames, numbers[i]);
    end->under_way -= count;
    return count;
}

/* Whatever has arrived where the port does not work any more. */
static void lose_arrived(struct soft *soft, struct soft_end *end)
{
    while (is_due(soft, soft->wires[end->at].first, soft->now_ps)) {
        soft_wire_lose(soft, end->at, soft_wire_take(soft, end->at));
        end->under_way--;
    }
}

uint32_t soft_flush(struct soft *soft, uint32_t number)
{
    struct soft_end *end = &soft->ends[number];
    uint32_t total = 0;

    while (is_due(soft, soft->wires[end->at].first, soft->now_ps)) {
        uint32_t room = pktio_port_room(end->port);

        if (room == 0 && !pktio_port_link_up(end->port))
            lose_arrived(soft, end);
        if (room == 0)
            break;
        total += hand_over(soft, end, room < PKTIO_BATCH_MAX ? room : PKTIO_BATCH_MAX);
    }
    return total;
}

uint64_t soft_exchange_next_ps(const struct soft *soft)
{
    uint64_t next_ps = UINT64_MAX;

    for (uint32_t i = 0; i < soft->attached_count; i++) {
        uint32_t first = soft->wires[soft->ends[soft->attached[i]].at].first;

        if (first != SOFT_NO_FRAME && soft->frames.list[first].due_ps < next_ps)
            next_ps = soft->frames.list[first].due_ps;
    }
    return next_ps;
}
