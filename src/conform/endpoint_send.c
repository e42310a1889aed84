/* SPDX-License-Identifier: Apache-2.0 */
/* Sends packets to an endpoint. */
#include <string.h>

#include "conform/conform_frame.h"
#include "conform/endpoint_bench.h"

#define SEND_NS UINT64_C(2000000000)

void endpoint_bench_send_bytes(
    struct endpoint_bench *bench, uint32_t port, const uint8_t *bytes, uint32_t length)
{
    struct iovec piece = { .iov_base = (void *)(uintptr_t)bytes, .iov_len = length };
    struct pktio_frame frame = { .pieces = &piece, .piece_count = 1, .length_bytes = length };
    uint64_t until_ns = conform_port_now_ns() + SEND_NS;

    if (endpoint_bench_has_ended(bench))
        return;
    if (conform_port_send(&bench->ports[port], &frame, 1, until_ns) != 1)
        endpoint_bench_end(bench, "port %s: %s", bench->ports[port].name,
            conform_port_trouble(&bench->ports[port]));
}

static uint32_t build_bytes(
    struct endpoint_bench *bench, struct frame *frame, const struct ipv6_addr *path, uint8_t *bytes)
{
    const struct wire_format *format = &bench->device->format;
    uint32_t length;

    frame_address(format, frame, path, NULL);
    length = frame_build(format, frame, bytes, CONFORM_FRAME_BYTES_MAX);
    if (length == 0 || frame_is_trimmed(frame))
        return length;
    if (opcode_has_payload(frame->packet.opcode) && frame->packet.write.payload.length > 0)
        memcpy(bytes + frame->payload_offset, frame->packet.write.payload.bytes,
            frame->packet.write.payload.length);
    frame_seal(frame, bytes);
    return length;
}

void endpoint_bench_send(struct endpoint_bench *bench, const struct packet *packet)
{
    const struct endpoint_port *port = &bench->device->ports[packet->port];
    struct frame frame = { .packet = *packet };
    uint8_t bytes[CONFORM_FRAME_BYTES_MAX];
    uint32_t length = build_bytes(bench, &frame, port->has_path ? &port->path : NULL, bytes);

    if (length > 0)
        endpoint_bench_send_bytes(bench, packet->port, bytes, length);
}

void endpoint_bench_send_inside(struct endpoint_bench *bench, const struct packet *packet,
    const struct ipv6_addr *path, uint8_t traffic_class)
{
    struct frame frame = { .packet = *packet };
    uint8_t bytes[CONFORM_FRAME_BYTES_MAX];
    uint32_t length = build_bytes(bench, &frame, path, bytes);

    if (length == 0)
        return;
    bytes[0] = (uint8_t)(0x60 | traffic_class >> 4);
    bytes[1] = (uint8_t)(traffic_class << 4 | (bytes[1] & 0x0f));
    endpoint_bench_send_bytes(bench, packet->port, bytes, length);
}
