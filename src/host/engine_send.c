/* SPDX-License-Identifier: Apache-2.0 */
/* Sends packets: builds headers, gathers payload without copying it, and hands frames to the ports
 * in batches. */
#include <assert.h>
#include <string.h>

#include "base/fetch_ahead.h"
#include "host/engine.h"
#include "host/ev_profile.h"
#include "wire/crc32.h"
#include "wire/icrc.h"

enum {
    SEND_ROUNDS = 8, /* batches before the engine receives again */
    SEND_ROOM = UINT16_MAX,
};

/* Returns the bytes of a piece of a work request. Inline bytes are in the QP; other memory must
 * still be registered. */
static const uint8_t *piece_bytes(
    const struct engine *engine, struct host_qp *qp, const struct qp_piece *piece)
{
    if (piece->lkey == 0)
        return (const uint8_t *)(uintptr_t)piece->address;
    return memory_table_resolve(&engine->nic->memory,
        &(struct memory_want){ .key = piece->lkey,
            .domain = qp->config.domain,
            .va = piece->address,
            .length_bytes = piece->length_bytes },
        &qp->last_lkey);
}

/* Adds the pieces of the request's gather list that the packet carries. Returns their number, or 0
 * if memory is no longer registered. */
static uint32_t gather_pieces(const struct engine *engine, struct host_qp *qp, uint32_t position,
    const struct payload *payload, struct iovec *out)
{
    uint32_t slot = position & qp->send.mask;
    const struct qp_piece *piece = &qp->send.pieces[(size_t)slot * qp->config.pieces_max];
    uint32_t skip = payload->offset_bytes;
    uint32_t left = payload->length;
    uint32_t count = 0;

    while (skip >= piece->length_bytes)
        skip -= piece++->length_bytes;
    for (; left > 0; piece++, skip = 0) {
        uint32_t length = piece->length_bytes - skip;
        const uint8_t *bytes = piece_bytes(engine, qp, piece);

        if (!bytes)
            return 0;
        if (length > left)
            length = left;
        if (length == 0)
            continue;
        assert(count < ENGINE_PIECES_MAX);
        out[count++] =
            (struct iovec){ .iov_base = (void *)(uintptr_t)(bytes + skip), .iov_len = length };
        left -= length;
    }
    return count;
}

static void put_icrc(uint8_t *at, uint32_t icrc)
{
    for (uint32_t i = 0; i < FRAME_ICRC_BYTES; i++, icrc >>= 8)
        at[i] = (uint8_t)icrc;
}

/* Prefetches the bytes after those of this packet: usually the next packet carries them. */
static void fetch_next(const struct iovec *last)
{
    fetch_ahead_to_read((const uint8_t *)last->iov_base + last->iov_len, last->iov_len);
}

/* Appends the pad and the iCRC, which covers the header and then the payload in place. */
static void seal_data(
    const struct frame *frame, uint32_t pad_bytes, struct engine_frame *out, uint32_t piece_count)
{
    uint32_t icrc = icrc_compute(
        out->header + frame->inner_offset, (size_t)frame->payload_offset - frame->inner_offset);

    if (piece_count > 0)
        fetch_next(&out->pieces[piece_count]);
    for (uint32_t i = 1; i <= piece_count; i++)
        icrc = crc32_add(icrc, out->pieces[i].iov_base, out->pieces[i].iov_len);
    memset(out->trailer, 0, pad_bytes);
    if (pad_bytes > 0)
        icrc = crc32_add(icrc, out->trailer, pad_bytes);
    put_icrc(out->trailer + pad_bytes, icrc);
    out->pieces[piece_count + 1] =
        (struct iovec){ .iov_base = out->trailer, .iov_len = pad_bytes + FRAME_ICRC_BYTES };
}

/* Writes the headers; the payload is not copied. */
static void build_headers(struct engine *engine, const struct host_qp *qp,
    const struct packet *packet, struct frame *frame, struct engine_frame *out)
{
    const struct wire_format *format = &engine->nic->config.format;
    struct template_addresses addresses;
    uint32_t address_count = engine_route(engine, qp, packet, &addresses);

    frame_address_packet(format, frame, packet, address_count ? &addresses.destination : NULL,
        address_count == 2 ? &addresses.segment : NULL);
    frame_build_packet(format, frame, packet, out->header, SEND_ROOM);
}

/* Returns false if there is nothing to send. */
static bool build_data(struct engine *engine, const struct packet *packet, struct engine_frame *out,
    struct pktio_frame *sent, uint64_t now_ns)
{
    struct host_qp *qp = transport_sender(engine->transport, packet);
    uint32_t position = (uint32_t)transport_request(engine->transport, packet)->local;
    struct frame frame;
    uint32_t count = 0;

    if (packet->write.payload.length > 0) {
        count = gather_pieces(engine, qp, position, &packet->write.payload, out->pieces + 1);
        if (count == 0) {
            engine_fail_local(engine, qp, position, now_ns);
            return false;
        }
    }
    if (engine_has_siblings(engine))
        engine_share_sends(engine, &packet->dst, now_ns);
    build_headers(engine, qp, packet, &frame, out);
    out->pieces[0] = (struct iovec){ .iov_base = out->header, .iov_len = frame.payload_offset };
    seal_data(&frame, packet->write.pad_bytes, out, count);
    *sent = (struct pktio_frame){
        .pieces = out->pieces, .piece_count = count + 2, .length_bytes = frame.length
    };
    return true;
}

static void build_control(struct engine *engine, const struct packet *packet,
    struct engine_frame *out, struct pktio_frame *sent)
{
    struct frame frame;

    build_headers(engine, transport_sender(engine->transport, packet), packet, &frame, out);
    frame_seal_packet(&frame, packet, out->header);
    out->pieces[0] = (struct iovec){ .iov_base = out->header, .iov_len = frame.length };
    *sent = (struct pktio_frame){
        .pieces = out->pieces, .piece_count = 1, .length_bytes = frame.length
    };
}

static bool build_frame(struct engine *engine, const struct packet *packet,
    struct engine_frame *out, struct pktio_frame *sent, uint64_t now_ns)
{
    if (opcode_has_payload(packet->opcode))
        return build_data(engine, packet, out, sent, now_ns);
    build_control(engine, packet, out, sent);
    return true;
}

static uint32_t ready_ports(struct engine *engine)
{
    uint32_t ready = 0;

    for (uint32_t port = 0; port < engine->nic->config.port_count; port++)
        if (pktio_port_room(engine->ports[port]) >= ENGINE_BATCH)
            ready |= UINT32_C(1) << port;
    engine->full_ports = ~ready & ((UINT32_C(1) << engine->nic->config.port_count) - 1);
    return ready;
}

struct batch {
    struct engine *engine;
    uint32_t packet_count;
    uint32_t counts[HOST_PORT_COUNT_MAX]; /* frames built and not sent */
    uint64_t now_ns;
};

static void build_all(struct batch *batch)
{
    struct engine *engine = batch->engine;

    for (uint32_t i = 0; i < batch->packet_count; i++) {
        const struct packet *packet = &engine->packets[i];
        uint32_t *count = &batch->counts[packet->port];

        if (build_frame(engine, packet, &engine->frames[i], &engine->by_port[packet->port][*count],
                batch->now_ns))
            ++*count;
    }
}

static void flush_batch(struct batch *batch)
{
    struct engine *engine = batch->engine;

    for (uint32_t port = 0; port < engine->nic->config.port_count; port++) {
        if (batch->counts[port] == 0)
            continue;
        pktio_port_send(engine->ports[port], engine->by_port[port], batch->counts[port]);
        engine->unsent_ports |= UINT32_C(1) << port;
    }
}

/* Finds the ports that hold frames which would be lost with this process. On a link that is down
 * they are lost in any case. */
static void find_unsent(struct engine *engine)
{
    for (uint32_t ports = engine->unsent_ports; ports; ports &= ports - 1) {
        uint32_t port = (uint32_t)__builtin_ctz(ports);

        if (!pktio_port_link_up(engine->ports[port]) || pktio_port_is_sent(engine->ports[port]))
            engine->unsent_ports &= ~(UINT32_C(1) << port);
    }
}

/* Builds and sends one batch of at most `max` packets. Returns their number. */
static uint32_t send_batch(struct engine *engine, uint32_t max, uint64_t now_ns)
{
    uint32_t ready = ready_ports(engine);
    struct batch batch = { .engine = engine, .now_ns = now_ns };

    if (!ready)
        return 0;
    batch.packet_count = transport_send(engine->transport, ready, engine->packets, max, now_ns);
    build_all(&batch);
    if (!engine->holds_answers)
        engine_place(engine);
    flush_batch(&batch);
    return batch.packet_count;
}

static uint32_t send_answers(struct engine *engine, uint64_t now_ns)
{
    uint32_t total = 0;

    for (uint32_t round = 0; round < SEND_ROUNDS; round++) {
        uint32_t waiting = transport_answers_waiting(engine->transport);
        uint32_t count =
            waiting ? send_batch(engine, waiting < ENGINE_BATCH ? waiting : ENGINE_BATCH, now_ns)
                    : 0;

        if (count == 0)
            break;
        total += count;
    }
    return total;
}

static bool hold_ports(struct engine *engine)
{
    bool all = true;

    for (uint32_t port = 0; port < engine->nic->config.port_count; port++)
        all &= pktio_port_hold(engine->ports[port]);
    return all;
}

static void release_ports(struct engine *engine)
{
    for (uint32_t port = 0; port < engine->nic->config.port_count; port++)
        pktio_port_release(engine->ports[port]);
}

/* Two rules apply. The peer may tell the application by other means that a write is complete, so no
 * answer may be visible before the bytes are in place. The application may exit when it sees the
 * last byte, so the answers must survive the process before the bytes are in place. Ports that hold
 * frames satisfy both rules. Other ports satisfy the first: the bytes are copied when the answers
 * are built, just before they are sent. */
static uint32_t answer_and_place(struct engine *engine, uint64_t now_ns)
{
    uint32_t total;

    engine->holds_answers = hold_ports(engine);
    total = send_answers(engine, now_ns);
    engine_place(engine);
    release_ports(engine);
    engine->holds_answers = false;
    return total;
}

uint32_t engine_answer(struct engine *engine, uint64_t now_ns)
{
    uint32_t total =
        engine->write_count > 0 ? answer_and_place(engine, now_ns) : send_answers(engine, now_ns);

    find_unsent(engine);
    return total;
}

uint32_t engine_send(struct engine *engine, uint64_t now_ns)
{
    uint32_t total = 0;

    for (uint32_t round = 0; round < SEND_ROUNDS && transport_wants_to_send(engine->transport);
         round++) {
        uint32_t count = send_batch(engine, ENGINE_BATCH, now_ns);

        if (count == 0)
            break;
        total += count;
    }
    if (total > 0)
        find_unsent(engine);
    return total;
}
