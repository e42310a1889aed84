/* SPDX-License-Identifier: Apache-2.0 */
/* BTH and the extension headers that its opcode calls for, without the network around them. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame_check.h"
#include "must.h"
#include "wire/ack.h"
#include "wire/bth.h"
#include "wire/endpoint.h"
#include "wire/nack.h"
#include "wire/probe.h"
#include "wire/sack.h"
#include "wire/write.h"

static enum drop_reason parse_extension(struct bytes_in *in, struct packet *packet)
{
    if (opcode_has_payload(packet->opcode))
        write_parse(in, packet);
    if (packet->opcode == OPCODE_ACK || packet->opcode == OPCODE_ROCE_ACK)
        return ack_parse(in, packet);
    if (packet->opcode == OPCODE_SACK)
        sack_parse(in, packet);
    if (packet->opcode == OPCODE_NACK)
        nack_parse(in, packet);
    if (packet->opcode == OPCODE_PROBE)
        probe_parse(in, packet);
    if (packet->opcode == OPCODE_ENDPOINT_REQUEST)
        endpoint_parse_request(in, packet);
    if (packet->opcode == OPCODE_ENDPOINT_RESPONSE)
        endpoint_parse_response(in, packet);
    return in->ok ? DROP_NONE : DROP_LENGTH;
}

static void build_extension(struct bytes_out *out, const struct packet *packet)
{
    if (opcode_has_payload(packet->opcode))
        write_build(out, packet);
    if (packet->opcode == OPCODE_ACK || packet->opcode == OPCODE_ROCE_ACK)
        ack_build(out, packet);
    if (packet->opcode == OPCODE_SACK)
        sack_build(out, packet);
    if (packet->opcode == OPCODE_NACK)
        nack_build(out, packet);
    if (packet->opcode == OPCODE_PROBE)
        probe_build(out, packet);
    if (packet->opcode == OPCODE_ENDPOINT_REQUEST)
        endpoint_build_request(out, packet);
    if (packet->opcode == OPCODE_ENDPOINT_RESPONSE)
        endpoint_build_response(out, packet);
}

static enum drop_reason parse(
    const struct wire_format *format, struct bytes_in *in, struct packet *packet)
{
    uint8_t pad_bytes;
    enum drop_reason reason;

    *packet = (struct packet){ 0 };
    reason = bth_parse(format, in, packet, &pad_bytes);
    if (reason)
        return reason;
    reason = parse_extension(in, packet);
    if (opcode_has_payload(packet->opcode))
        packet->write.pad_bytes = pad_bytes;
    return reason;
}

static void round_trip(const struct wire_format *format, const uint8_t *data, size_t length)
{
    struct bytes_in in = bytes_in(data, length);
    struct packet packet;
    struct packet again;
    uint8_t built[64];
    struct bytes_out out = bytes_out(built, sizeof(built));
    enum drop_reason reason = parse(format, &in, &packet);

    MUST(in.at >= data && in.at <= data + length);
    if (reason || !in.ok)
        return;
    bth_build(format, &out, &packet);
    build_extension(&out, &packet);
    MUST(out.ok);
    MUST(out.at - built == in.at - data);
    in = bytes_in(built, (size_t)(out.at - built));
    MUST(parse(format, &in, &again) == DROP_NONE);
    MUST_BE_NULL(frame_check_packets(&packet, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    struct wire_format other = format_default;

    other.m_before_se = true;
    round_trip(&format_default, data, length_bytes);
    round_trip(&other, data, length_bytes);
    return 0;
}
