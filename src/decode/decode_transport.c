/* SPDX-License-Identifier: Apache-2.0 */
/* Describes BTH and the headers that carry data and acknowledge messages. */
#include "decode/decode_describe.h"

#include "decode/decode_words.h"
#include "wire/ack.h"

enum {
    FIRST_BIT = 0x80,
    SECOND_BIT = 0x40,
};

/* A PSN appears once in a line: SACK has it as cack, Endpoint operations carry an id in it, and
 * Probes do not use it. */
static const char *psn_brief(uint8_t opcode)
{
    switch (opcode) {
    case OPCODE_SACK:
    case OPCODE_PROBE:
    case OPCODE_ENDPOINT_REQUEST:
    case OPCODE_ENDPOINT_RESPONSE:
        return NULL;
    default:
        return "psn";
    }
}

static const char *qp_brief(uint8_t opcode)
{
    bool is_endpoint = opcode == OPCODE_ENDPOINT_REQUEST || opcode == OPCODE_ENDPOINT_RESPONSE;

    return is_endpoint ? NULL : "qp";
}

static void describe_bth_start(
    const struct decode_packet *packet, enum decode_header bth, const struct field_visitor *visitor)
{
    const struct packet *decoded = &packet->frame.packet;

    decode_describe_field(
        visitor, &(struct field){ .key = "opcode",
                     .brief = opcode_is_defined(decoded->opcode) ? NULL : "opcode",
                     .form = FIELD_HEX,
                     .digits = 2,
                     .number = decoded->opcode,
                     .name = opcode_name(decoded->opcode) });
    decode_describe_hex(visitor, "dqp", qp_brief(decoded->opcode), 6, decoded->dest_qpn);
    decode_describe_hex(visitor, "psn", psn_brief(decoded->opcode), 6, decoded->psn.value);
    decode_describe_flag(visitor, "ackreq", "ackreq", decoded->flags & PACKET_ACK_REQUEST);
    decode_describe_flag(visitor, "se", "se", decoded->flags & PACKET_SOLICITED);
    decode_describe_number(visitor, "pad", NULL, decode_packet_bytes(packet, bth, 1, 1) >> 4 & 3);
    decode_describe_hex(visitor, "pkey", NULL, 4, decode_packet_bytes(packet, bth, 2, 2));
}

void decode_describe_bth(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct packet *decoded = &packet->frame.packet;
    uint8_t migration_bit = packet->format->m_before_se ? FIRST_BIT : SECOND_BIT;

    describe_bth_start(packet, DECODE_BTH, visitor);
    decode_describe_flag(visitor, "rtx", "rtx", decoded->flags & PACKET_RETRANSMISSION);
    decode_describe_flag(visitor, "ts", NULL, decoded->flags & PACKET_STAMPED);
    if (decode_packet_bytes(packet, DECODE_BTH, 1, 1) & migration_bit)
        decode_describe_flag(visitor, "m", NULL, true);
}

void decode_describe_roce_bth(
    const struct decode_packet *packet, const struct field_visitor *visitor)
{
    uint64_t variant = decode_packet_bytes(packet, DECODE_ROCE_BTH, 4, 1);

    describe_bth_start(packet, DECODE_ROCE_BTH, visitor);
    decode_describe_flag(
        visitor, "m", NULL, decode_packet_bytes(packet, DECODE_ROCE_BTH, 1, 1) & SECOND_BIT);
    decode_describe_flag(visitor, "fecn", "fecn", variant & FIRST_BIT);
    decode_describe_flag(visitor, "becn", "becn", variant & SECOND_BIT);
}

void decode_describe_meth(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct packet *decoded = &packet->frame.packet;
    bool has_immediate = opcode_has_immediate(decoded->opcode);

    decode_describe_number(visitor, "msn", "msn", decoded->write.msn);
    decode_describe_field(visitor, &(struct field){ .key = "rqmsn",
                                       .brief = has_immediate ? "rqmsn" : NULL,
                                       .number = decoded->write.rqmsn,
                                       .note = has_immediate ? NULL : "no meaning here" });
}

void decode_describe_tseth(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    decode_describe_stamp(packet, visitor, packet->frame.packet.write.tx_timestamp);
    decode_describe_flag(visitor, "tsr", NULL, packet->frame.packet.flags & PACKET_OWN_UNIT);
}

void decode_describe_reth(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct packet_write *write = &packet->frame.packet.write;

    decode_describe_field(visitor,
        &(struct field){
            .key = "va", .brief = "va", .form = FIELD_WIDE, .digits = 16, .number = write->va });
    decode_describe_hex(visitor, "rkey", NULL, 8, write->rkey);
    decode_describe_number(visitor, "dmalen", "dmalen", write->message_bytes);
}

void decode_describe_immdt(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    decode_describe_hex(visitor, "imm", "imm", 8, packet->frame.packet.write.immediate);
}

void decode_describe_aeth(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct packet_ack *ack = &packet->frame.packet.ack;

    decode_describe_field(
        visitor, &(struct field){ .key = "syndrome",
                     .brief = ack_is_nak(ack->syndrome) ? "" : NULL,
                     .form = FIELD_HEX,
                     .digits = 2,
                     .number = ack->syndrome,
                     .name = decode_words_syndrome(packet->format, ack->syndrome) });
    decode_describe_field(visitor, &(struct field){ .key = "msn",
                                       .brief = "msn",
                                       .number = ack->messages_done,
                                       .note = "messages completed" });
}
