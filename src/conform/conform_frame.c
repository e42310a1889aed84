/* SPDX-License-Identifier: Apache-2.0 */
/* Builds valid frames. */
#include "conform/conform_frame.h"

static struct packet_write write_of(const struct conform_frame *from)
{
    return (struct packet_write){ .va = UINT64_C(0x7f0000000000) + from->psn,
        .rkey = 0x12345678,
        .message_bytes = from->payload_bytes,
        .payload = { .length = from->payload_bytes },
        .msn = (uint16_t)from->psn,
        .tx_timestamp = (uint16_t)(from->psn + 1),
        .pad_bytes = (uint8_t)(-from->payload_bytes & 3) };
}

static struct packet packet_of(const struct conform_frame *from)
{
    struct packet packet = { .src = from->source,
        .dst = from->destination,
        .ev = from->ev,
        .dest_qpn = from->dest_qpn,
        .psn = psn(from->psn),
        .opcode = from->opcode ? from->opcode : OPCODE_WRITE_ONLY,
        .class = (uint8_t)from->class,
        .ecn = from->ecn };

    if (opcode_is_write(packet.opcode)) {
        packet.flags = from->is_unstamped ? 0 : PACKET_STAMPED;
        packet.write = write_of(from);
    } else if (packet.opcode == OPCODE_SACK) {
        packet.sack.cack_psn = packet.psn;
    } else if (packet.opcode == OPCODE_NACK) {
        packet.nack = (struct packet_nack){ .nack_psn = packet.psn, .reason = NACK_TRIMMED };
    } else if (packet.opcode == OPCODE_ACK) {
        packet.ack.syndrome = ACK_SYNDROME_ACK;
    }
    return packet;
}

static void fill_payload(struct prng *prng, uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)prng_next(prng);
}

uint32_t conform_frame_build(const struct wire_format *format, const struct conform_frame *from,
    struct prng *prng, uint8_t *bytes, size_t room)
{
    struct frame frame = { .packet = packet_of(from) };
    uint32_t length;

    frame_address(format, &frame, from->path, from->segment);
    length = frame_build(format, &frame, bytes, room);
    if (length == 0)
        return 0;
    if (opcode_has_payload(frame.packet.opcode) && !frame_is_trimmed(&frame))
        fill_payload(prng, bytes + frame.payload_offset, from->payload_bytes);
    frame_seal(&frame, bytes);
    return length;
}
