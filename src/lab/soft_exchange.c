/* SPDX-License-Identifier: Apache-2.0 */
/* Takes frames into the process and hands them over to NICs. */
#include "lab/soft_state.h"
#include "pktio/pktio.h"

enum {
    LOAN_BYTES_MIN = 2 * SOFT_OWN_BYTES, /* shorter frames, such as acknowledgements, are copied */
    PREFETCH_BYTES = 256,
    CACHE_LINE_BYTES = 64,
};

static uint32_t fill_frame(
    struct soft *soft, uint32_t number, const uint8_t *bytes, uint32_t length)
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
    uint32_t frame;

    if (length == 0 || length > SOFT_FRAME_BYTES || soft->frames.free_count == 0) {
        soft->no_buffer++;
        if (end->loans.frames)
            soft_loan_note(soft, end_index, SOFT_NO_FRAME);
        return;
    }
    frame = fill_frame(soft, end_index, bytes, length);
    if (end->is_launched) {
        soft_forward(soft, &wire->link, frame);
        return;
    }
    soft_wire_launch(soft, end->entry, frame,
        link_occupy(&wire->free_ps, wire->byte_time,
            length + soft->fabric.topology.config.framing_bytes, soft->now_ps));
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

/* Frames that leave together, and the engine of each. */
struct leaving {
    uint32_t count;
    uint32_t frames[PKTIO_BATCH_MAX];
    uint32_t engines[PKTIO_BATCH_MAX];
};

/* Computes the engine that has the QP, without a look-up. */
static uint32_t engine_of(const struct soft *soft, const struct soft_end *first, uint32_t frame)
{
    uint8_t *bytes = soft_frames_bytes(&soft->frames, frame);

    if (first->engine_count <= 1)
        return 0;
    return shm_port_engine_of(switch_frame_dest_qpn(&(struct switch_frame){ .bytes = bytes,
                                  .length = soft->frames.list[frame].length,
                                  .present = soft_frames_present(&soft->frames, frame),
                                  .ip = bytes }),
        first->engine_count);
}

/* Sends the frames of one engine. */
static void send_to(
    struct soft *soft, const struct soft_end *first, uint32_t engine, const struct leaving *leaving)
{
    const struct soft_end *end = &soft->ends[soft_engine_end(soft, first->first, engine)];
    struct iovec pieces[PKTIO_BATCH_MAX][2];
    struct pktio_frame frames[PKTIO_BATCH_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < leaving->count; i++) {
        uint32_t frame = leaving->frames[i];

        if (leaving->engines[i] != engine)
            continue;
        if (!end->port) {
            soft->wires[first->at].lost++;
            continue;
        }
        frames[count] = (struct pktio_frame){ .pieces = pieces[count],
            .piece_count = pieces_of(soft, frame, pieces[count]),
            .length_bytes = soft->frames.list[frame].length };
        count++;
    }
    if (count > 0)
        pktio_port_send(end->port, frames, count);
}

/* Hands over up to `room` frames at once. */
static uint32_t hand_over(struct soft *soft, struct soft_end *first, uint32_t room)
{
    const struct soft_wire *wire = &soft->wires[first->at];
    struct leaving leaving = { .count = 0 };
    uint32_t engines = 0;

    while (leaving.count < room && is_due(soft, wire->first, soft->now_ps)) {
        uint32_t frame = soft_wire_take(soft, first->at);
        uint32_t engine = engine_of(soft, first, frame);

        if (!soft_wire_survives(soft, first->at, frame)) {
            first->under_way--;
            continue;
        }
        leaving.frames[leaving.count] = frame;
        leaving.engines[leaving.count++] = engine;
        engines |= UINT32_C(1) << engine;
    }
    for (; engines; engines &= engines - 1)
        send_to(soft, first, (uint32_t)__builtin_ctz(engines), &leaving);
    for (uint32_t i = 0; i < leaving.count; i++)
        soft_give(soft, leaving.frames[i]);
    first->under_way -= leaving.count;
    return leaving.count;
}

uint32_t soft_exchange_room(const struct soft *soft, const struct soft_end *first)
{
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < first->engine_count; i++) {
        const struct soft_end *end = &soft->ends[soft_engine_end(soft, first->first, i)];
        uint32_t room = end->port ? pktio_port_room(end->port) : UINT32_MAX;

        least = room < least ? room : least;
    }
    return least;
}

/* Returns whether the link of any attached engine is up. An engine that attaches later gets the
 * state of its link then. */
static bool link_is_up(const struct soft *soft, const struct soft_end *first)
{
    for (uint32_t i = 0; i < first->engine_count; i++) {
        const struct soft_end *end = &soft->ends[soft_engine_end(soft, first->first, i)];

        if (end->port && pktio_port_link_up(end->port))
            return true;
    }
    return false;
}

/* Discards the frames that have arrived at a port that is down. */
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
        uint32_t room = soft_exchange_room(soft, end);

        if (room == 0 && !link_is_up(soft, end))
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
