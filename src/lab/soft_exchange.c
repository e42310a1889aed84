/* SPDX-License-Identifier: Apache-2.0 */
/* Frames come into the process and leave it. */
#include "lab/soft_state.h"
#include "pktio/pktio.h"

enum {
    LOAN_BYTES_MIN = 2 * SOFT_OWN_BYTES, /* what is shorter is copied: acknowledgements */
    PREFETCH_BYTES = 256,
    CACHE_LINE_BYTES = 64,
};

static uint32_t fill(struct soft *soft, uint32_t number, const uint8_t *bytes, uint32_t length)
{
    uint32_t frame = soft_frames_take(&soft->frames);
    bool is_lent = soft->ends[number].loans.frames && length >= LOAN_BYTES_MIN;

    if (is_lent)
        soft_frames_borrow(&soft->frames, frame, number, bytes, length);
    else
        soft_frames_fill(&soft->frames, frame, bytes, length);
    if (soft->ends[number].loans.frames)
        soft_loan_note(soft, number, is_lent ? frame : SOFT_NO_FRAME);
    return frame;
}

void soft_accept(struct soft *soft, uint32_t end_index, const uint8_t *bytes, uint32_t length)
{
    const struct soft_end *end = &soft->ends[end_index];
    struct soft_wire *wire = &soft->wires[end->entry];
    uint64_t start_ps = wire->free_ps > soft->now_ps ? wire->free_ps : soft->now_ps;
    uint32_t frame;

    if (length == 0 || length > SOFT_FRAME_BYTES || soft->frames.free_count == 0) {
        soft->no_buffer++;
        if (end->loans.frames)
            soft_loan_note(soft, end_index, SOFT_NO_FRAME);
        return;
    }
    frame = fill(soft, end_index, bytes, length);
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

static uint32_t pieces_of(const struct soft *soft, uint32_t number, struct iovec pieces[2])
{
    const struct soft_frame *frame = &soft->frames.list[number];
    bool is_lent = frame->lender != SOFT_NO_LENDER;

    pieces[0] = (struct iovec){ soft_frames_bytes(&soft->frames, number),
        is_lent ? SOFT_OWN_BYTES : frame->length };
    if (!is_lent)
        return 1;
    pieces[1] = (struct iovec){ (void *)(uintptr_t)frame->rest, frame->length - SOFT_OWN_BYTES };
    for (uint32_t at = 0; at < PREFETCH_BYTES; at += CACHE_LINE_BYTES)
        __builtin_prefetch(frame->rest + at);
    return 2;
}

/* Up to `room` of them at once. */
static uint32_t hand_over(struct soft *soft, struct soft_end *end, uint32_t room)
{
    const struct soft_wire *wire = &soft->wires[end->at];
    struct iovec pieces[PKTIO_BATCH_MAX][2];
    struct pktio_frame frames[PKTIO_BATCH_MAX];
    uint32_t numbers[PKTIO_BATCH_MAX];
    uint32_t count = 0;

    while (count < room && is_due(soft, wire->first, soft->now_ps)) {
        uint32_t frame = soft_wire_take(soft, end->at);

        frames[count] = (struct pktio_frame){ .pieces = pieces[count],
            .piece_count = pieces_of(soft, frame, pieces[count]),
            .length_bytes = soft->frames.list[frame].length };
        numbers[count++] = frame;
    }
    pktio_port_send(end->port, frames, count);
    for (uint32_t i = 0; i < count; i++)
        soft_give(soft, numbers[i]);
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

uint32_t soft_flush(struct soft *soft, uint32_t end_index)
{
    struct soft_end *end = &soft->ends[end_index];
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
