/* SPDX-License-Identifier: Apache-2.0 */
/* Receives frames: parses and checks them and hands them to the transport, which places their
 * bytes. */
#include <assert.h>

#include "base/fetch_ahead.h"
#include "host/engine.h"
#include "wire/bth.h"
#include "wire/opcode.h"

/* A frame that is parsed and not yet received. */
struct parsed {
    struct frame frame;
    enum drop_reason reason;
    bool has_windows; /* transport_prefetch_windows() can fetch more */
};

/* Parses one frame ahead, so that the transport prefetches the state of the packet while the
 * previous frame is received. */
static void parse_frame(struct engine *engine, uint32_t port, const struct pktio_received *received,
    struct parsed *parsed)
{
    parsed->reason = frame_parse(
        &engine->nic->config.format, received->bytes, received->length_bytes, &parsed->frame);
    if (parsed->reason)
        return;
    parsed->frame.packet.port = (uint8_t)port;
    parsed->has_windows = transport_prefetch(engine->transport, &parsed->frame.packet);
}

/* An immediate needs the receive that was posted for it. The receive may have been posted since
 * this pass began, if the peer learned of it by other means, for example over another engine of
 * this NIC. */
static enum drop_reason receive_frame(struct engine *engine, struct parsed *parsed,
    const struct pktio_received *received, uint64_t now_ns)
{
    struct packet *packet = &parsed->frame.packet;

    if (parsed->reason)
        return parsed->reason;
    if (parsed->has_windows)
        transport_prefetch_windows(engine->transport, packet); /* arrives during the iCRC */
    if (!frame_icrc_ok(&parsed->frame, received->bytes))
        return DROP_ICRC;
    if (opcode_is_write(packet->opcode) && opcode_has_immediate(packet->opcode))
        engine_take_posted(engine, now_ns);
    if (packet->dest_qpn == BTH_ENDPOINT_QPN && map_probe_take(engine, packet))
        return DROP_NONE;
    if (engine_has_siblings(engine) && packet->dest_qpn == BTH_ENDPOINT_QPN)
        engine_mail_endpoint(engine, packet, now_ns);
    else
        transport_receive(engine->transport, packet, now_ns);
    return DROP_NONE;
}

/* Prefetches a frame: another processor has written it, and fetching it takes as long as processing
 * the previous one. */
static void prefetch_frame(const struct pktio_received *received)
{
    fetch_ahead_to_read(received->bytes, received->length_bytes);
}

static uint32_t receive_port(struct engine *engine, uint32_t port, uint64_t now_ns)
{
    uint32_t count = pktio_port_receive(engine->ports[port], engine->received, ENGINE_BATCH);
    struct parsed parsed[2]; /* this one and the next */

    if (count > 1)
        prefetch_frame(&engine->received[1]);
    if (count > 0)
        parse_frame(engine, port, &engine->received[0], &parsed[0]);
    for (uint32_t i = 0; i < count; i++) {
        enum drop_reason reason;

        if (i + 2 < count)
            prefetch_frame(&engine->received[i + 2]);
        if (i + 1 < count)
            parse_frame(engine, port, &engine->received[i + 1], &parsed[(i + 1) % 2]);
        reason = receive_frame(engine, &parsed[i % 2], &engine->received[i], now_ns);
        if (reason) {
            transport_count_drop(engine->transport, reason);
            engine->port_receive_drops[port]++;
        }
    }
    return count;
}

uint32_t engine_receive(struct engine *engine, uint64_t now_ns)
{
    uint32_t count = 0;

    assert(engine->write_count == 0); /* ports release the frames that they lent */
    for (uint32_t port = 0; port < engine->nic->config.port_count; port++)
        count += receive_port(engine, port, now_ns);
    return count;
}
