/* SPDX-License-Identifier: Apache-2.0 */
/* Visits the headers in order, then payload, trimming, iCRC and verdict. */
#include "decode/decode_fields.h"

#include <stdio.h>

#include "decode/decode_describe.h"

/* clang-format off */
static const struct {
    struct field_group group;
    decode_describe *describe;
} headers[DECODE_HEADER_COUNT] = {
    [DECODE_OUTER_IP] = { { "outer", "outer IPv6", FIELD_WAY }, decode_describe_outer },
    [DECODE_SRH]      = { { "srh", "SRH, segment routing header", FIELD_WAY }, decode_describe_srh },
    [DECODE_IP]       = { { "ip", "IP", FIELD_WAY }, decode_describe_ip },
    [DECODE_UDP]      = { { "udp", "UDP", FIELD_WAY }, decode_describe_udp },
    [DECODE_BTH]      = { { "bth", "BTH, base transport header", FIELD_MESSAGE }, decode_describe_bth },
    [DECODE_ROCE_BTH] = { { "bth", "BTH, base transport header (RoCEv2)", FIELD_MESSAGE }, decode_describe_roce_bth },
    [DECODE_METH]     = { { "meth", "METH, message header", FIELD_MESSAGE }, decode_describe_meth },
    [DECODE_TSETH]    = { { "tseth", "TSETH, time stamp", FIELD_MESSAGE }, decode_describe_tseth },
    [DECODE_RETH]     = { { "reth", "RETH, RDMA header", FIELD_MESSAGE }, decode_describe_reth },
    [DECODE_IMMDT]    = { { "immdt", "ImmDt, immediate data", FIELD_MESSAGE }, decode_describe_immdt },
    [DECODE_AETH]     = { { "aeth", "AETH, message acknowledgement", FIELD_MESSAGE }, decode_describe_aeth },
    [DECODE_SETH]     = { { "seth", "SETH, selective acknowledgement", FIELD_MESSAGE }, decode_describe_seth },
    [DECODE_CC_STATE] = { { "cc_state", "CC_STATE, congestion control", FIELD_MESSAGE }, decode_describe_cc_state },
    [DECODE_NETH]     = { { "neth", "NETH, negative acknowledgement", FIELD_MESSAGE }, decode_describe_neth },
    [DECODE_PETH]     = { { "peth", "PETH, probe", FIELD_MESSAGE }, decode_describe_peth },
    [DECODE_ERTH]     = { { "erth", "ERTH, endpoint request", FIELD_MESSAGE }, decode_describe_erth },
    [DECODE_EETH]     = { { "eeth", "EETH, endpoint response", FIELD_MESSAGE }, decode_describe_eeth },
    [DECODE_CNP]      = { { "cnp", "CNP, congestion notification", FIELD_MESSAGE }, NULL },
};
/* clang-format on */

static void begin_group(const struct field_visitor *visitor, const char *key, const char *title)
{
    visitor->on_group(visitor->context, &(struct field_group){ key, title, FIELD_MESSAGE });
}

static void begin_verdict(const struct field_visitor *visitor, const char *key, const char *title)
{
    visitor->on_group(visitor->context, &(struct field_group){ key, title, FIELD_VERDICT });
}

static void describe_text(
    const struct field_visitor *visitor, const char *key, const char *brief, const char *text)
{
    decode_describe_field(
        visitor, &(struct field){ .key = key, .brief = brief, .form = FIELD_TEXT, .text = text });
}

static void describe_headers(
    const struct decode_packet *packet, const struct field_visitor *visitor)
{
    for (uint32_t i = 0; i < packet->read_count; i++) {
        enum decode_header header = packet->layout.parts[i].header;

        visitor->on_group(visitor->context, &headers[header].group);
        if (headers[header].describe)
            headers[header].describe(packet, visitor);
        decode_describe_reserved(packet, header, visitor);
    }
}

static void describe_payload(
    const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct packet_write *write = &packet->frame.packet.write;

    begin_group(visitor, "payload", "payload");
    decode_describe_number(visitor, "bytes", "payload", write->payload.length);
    decode_describe_number(visitor, "pad_bytes", NULL, write->pad_bytes);
}

/* Of a trimmed packet, only the bytes up to the end of TSETH are valid; later bytes are only
 * counted. */
static void describe_trimming(
    const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct frame *frame = &packet->frame;
    uint32_t ip_bytes = frame->inner.is_v4 ? IP_V4_BYTES : IP_V6_BYTES;
    uint32_t original_bytes = frame->inner_offset + ip_bytes + packet_udp_bytes(&frame->packet);

    begin_group(visitor, "trimming", "trimmed by a switch");
    decode_describe_number(
        visitor, "payload_was_bytes", "payload was", frame->packet.write.payload.length);
    decode_describe_number(visitor, "packet_was_bytes", NULL, original_bytes);
    decode_describe_number(visitor, "survived_bytes", NULL, frame->length);
    decode_describe_field(visitor, &(struct field){ .key = "ignored_bytes",
                                       .number = frame->length - frame->payload_offset,
                                       .note = "present, but not valid" });
}

static void describe_icrc(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    static const char *const status[] = {
        [DECODE_ICRC_UNCHECKED] = "unchecked",
        [DECODE_ICRC_ABSENT] = "absent",
        [DECODE_ICRC_OK] = "ok",
        [DECODE_ICRC_BAD] = "bad",
    };

    begin_group(visitor, "icrc", "iCRC");
    describe_text(visitor, "status", NULL, status[packet->icrc]);
    if (packet->icrc < DECODE_ICRC_OK)
        return;
    decode_describe_hex(visitor, "stored", NULL, 8, packet->icrc_stored);
    decode_describe_hex(visitor, "computed", NULL, 8, packet->icrc_computed);
}

static const char *fault_name(const struct decode_packet *packet)
{
    if (packet->fault < packet->layout.part_count)
        return decode_layout_name(packet->layout.parts[packet->fault].header);
    if (packet->reason == DROP_ICRC)
        return "iCRC";
    return opcode_has_payload(packet->frame.packet.opcode) ? "payload" : "rest";
}

/* Shows the bytes at the fault, at most as many as a header has. */
static void describe_fault(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    char text[3 * 40 + 1] = "";
    size_t used = 0;

    for (uint32_t i = packet->fault_offset; i < packet->captured_bytes && used + 3 < sizeof(text);
         i++)
        used += (size_t)snprintf(
            text + used, sizeof(text) - used, "%s%02x", used ? " " : "", packet->bytes[i]);
    decode_describe_number(visitor, "offset", "at byte", packet->fault_offset);
    describe_text(visitor, "header", "in", fault_name(packet));
    describe_text(visitor, "bytes", NULL, text);
}

static void describe_verdict(
    const struct decode_packet *packet, const struct field_visitor *visitor)
{
    switch (packet->verdict) {
    case DECODE_GOOD:
        return;
    case DECODE_MALFORMED:
        begin_verdict(visitor, "malformed", "MALFORMED");
        describe_text(visitor, "reason", "MALFORMED", drop_name(packet->reason));
        describe_fault(packet, visitor);
        describe_text(visitor, "help", "-", drop_help(packet->reason));
        return;
    case DECODE_CUT:
        begin_verdict(visitor, "cut", "cut by the capture");
        decode_describe_number(visitor, "captured_bytes", "CUT to", packet->captured_bytes);
        decode_describe_number(visitor, "packet_bytes", "of", packet->length);
        describe_fault(packet, visitor);
        return;
    case DECODE_FOREIGN:
        begin_verdict(visitor, "foreign", "not MRC");
        describe_text(visitor, "what", "not MRC:", packet->foreign);
        return;
    }
}

void decode_fields_visit(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    bool is_parsed = packet->verdict == DECODE_GOOD || packet->reason == DROP_ICRC;

    if (packet->verdict != DECODE_FOREIGN)
        describe_headers(packet, visitor);
    if (is_parsed && frame_is_trimmed(&packet->frame))
        describe_trimming(packet, visitor);
    else if (is_parsed && opcode_has_payload(packet->frame.packet.opcode))
        describe_payload(packet, visitor);
    if (is_parsed)
        describe_icrc(packet, visitor);
    describe_verdict(packet, visitor);
}
