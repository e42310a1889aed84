/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the headers about packets and paths: SACK, NACK, probes, endpoint operations. */
#include <stdio.h>

#include "decode/decode_describe.h"
#include "decode/decode_words.h"
#include "plan/plan.h"

void decode_describe_stamp(
    const struct decode_packet *packet, const struct field_visitor *visitor, uint16_t stamp)
{
    bool is_own_unit = packet->frame.packet.flags & PACKET_OWN_UNIT;
    char text[16];

    decode_words_stamp(stamp, text, sizeof(text));
    decode_describe_field(visitor, &(struct field){ .key = "tx_timestamp",
                                       .form = FIELD_HEX,
                                       .digits = 4,
                                       .number = stamp,
                                       .note = is_own_unit ? "in the sender's own unit" : text });
}

/* Describes an EV that the packet reports, as opposed to the EV of its own path. */
static void describe_entropy(
    const struct decode_packet *packet, const struct field_visitor *visitor, uint32_t ev)
{
    struct ev_path path = plan_ev_of(packet->format, ev);
    char text[24];

    decode_words_ev(packet->format, ev, text, sizeof(text));
    decode_describe_field(visitor, &(struct field){ .key = "entropy",
                                       .brief = "for",
                                       .form = FIELD_HEX,
                                       .digits = 8,
                                       .number = ev,
                                       .alias = text });
    if (!decode_words_ev_is_path(packet->format, ev))
        return;
    decode_describe_number(visitor, "entropy_plane", NULL, path.plane);
    decode_describe_number(visitor, "entropy_uplink", NULL, path.uplink);
}

static void describe_pdc_ids(const struct field_visitor *visitor, uint16_t source, uint16_t dest)
{
    decode_describe_hex(visitor, "spdcid", NULL, 4, source);
    decode_describe_hex(visitor, "dpdcid", NULL, 4, dest);
}

/* Lists received PSNs, and missing PSNs below the highest received. A 0 above that has no
 * meaning. */
static void describe_bitmap(const struct field_visitor *visitor, const struct packet_sack *sack)
{
    struct psn base = psn_add(sack->cack_psn, sack->sack_offset);
    struct field_list received = { .count = 0 };
    struct field_list missing = { .count = 0 };

    for (uint32_t bit = 0; bit < 64 && sack->bitmap >> bit; bit++) {
        struct psn at = psn_add(base, (int32_t)bit);

        if (sack->bitmap >> bit & 1)
            received.items[received.count++] = at.value;
        else if (psn_before(sack->cack_psn, at))
            missing.items[missing.count++] = at.value;
    }
    decode_describe_field(
        visitor, &(struct field){
                     .key = "bitmap", .form = FIELD_WIDE, .digits = 16, .number = sack->bitmap });
    decode_describe_field(
        visitor, &(struct field){
                     .key = "received", .brief = "got", .form = FIELD_PSNS, .list = &received });
    decode_describe_field(
        visitor, &(struct field){
                     .key = "missing", .brief = "missing", .form = FIELD_PSNS, .list = &missing });
}

static void describe_trigger(const struct field_visitor *visitor, const struct packet_sack *sack)
{
    struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);

    decode_describe_flag(visitor, "pr", "answers probe", sack->answers_probe);
    if (sack->answers_probe) {
        decode_describe_hex(visitor, "probe_id", "", 4, sack->probe_id);
        return;
    }
    decode_describe_field(visitor,
        &(struct field){
            .key = "ack_psn_offset", .form = FIELD_SIGNED, .signed_number = sack->ack_psn_offset });
    decode_describe_field(visitor, &(struct field){ .key = "ack_psn",
                                       .brief = "ack",
                                       .form = FIELD_HEX,
                                       .digits = 6,
                                       .number = trigger.value,
                                       .note = "the packet that caused this SACK" });
}

void decode_describe_seth(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct packet_sack *sack = &packet->frame.packet.sack;
    char range[32];

    snprintf(range, sizeof(range), sack->mpr ? "%u PSNs" : "not in use", sack->mpr * 128u);
    decode_describe_field(visitor, &(struct field){ .key = "cack_psn",
                                       .brief = "cack",
                                       .form = FIELD_HEX,
                                       .digits = 6,
                                       .number = sack->cack_psn.value,
                                       .note = "received, and all before it" });
    describe_trigger(visitor, sack);
    describe_entropy(packet, visitor, sack->entropy);
    decode_describe_field(visitor, &(struct field){ .key = "m",
                                       .brief = sack->mark == SACK_MARK_NONE ? NULL : "",
                                       .number = sack->mark,
                                       .name = decode_words_mark(sack->mark) });
    decode_describe_field(
        visitor, &(struct field){ .key = "mpr", .number = sack->mpr, .note = range });
    decode_describe_field(visitor,
        &(struct field){
            .key = "sack_offset", .form = FIELD_SIGNED, .signed_number = sack->sack_offset });
    describe_bitmap(visitor, sack);
    describe_pdc_ids(visitor, sack->spdcid, sack->dpdcid);
}

void decode_describe_cc_state(
    const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct packet_sack *sack = &packet->frame.packet.sack;
    char bytes[32];

    snprintf(bytes, sizeof(bytes), "%llu bytes", sack->received_units * 256ull);
    decode_describe_stamp(packet, visitor, sack->tx_timestamp);
    decode_describe_field(visitor, &(struct field){ .key = "ooo_count",
                                       .brief = "ooo",
                                       .number = sack->ooo_count,
                                       .note = "packets received above cack_psn" });
    decode_describe_flag(visitor, "r_c", "restore", sack->restore_window);
    decode_describe_number(
        visitor, "rcv_cwnd_pen", sack->window_penalty ? "penalty" : NULL, sack->window_penalty);
    decode_describe_field(visitor,
        &(struct field){ .key = "rcvd_bytes", .number = sack->received_units, .note = bytes });
}

void decode_describe_neth(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct packet_nack *nack = &packet->frame.packet.nack;

    decode_describe_field(visitor, &(struct field){ .key = "reason",
                                       .brief = "",
                                       .form = FIELD_HEX,
                                       .digits = 2,
                                       .number = nack->reason,
                                       .name = packet_nack_reason_name(nack->reason),
                                       .note = decode_words_nack(nack->reason) });
    decode_describe_hex(visitor, "psn", NULL, 6, nack->nack_psn.value);
    describe_entropy(packet, visitor, nack->entropy);
    decode_describe_stamp(packet, visitor, nack->tx_timestamp);
    describe_pdc_ids(visitor, nack->spdcid, nack->dpdcid);
}

void decode_describe_peth(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct packet_probe *probe = &packet->frame.packet.probe;

    decode_describe_hex(visitor, "probe_id", "id", 4, probe->probe_id);
    decode_describe_stamp(packet, visitor, probe->tx_timestamp);
    decode_describe_flag(visitor, "tsr", NULL, packet->frame.packet.flags & PACKET_OWN_UNIT);
    describe_pdc_ids(visitor, probe->spdcid, probe->dpdcid);
}

static void describe_operation(
    const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct packet *decoded = &packet->frame.packet;

    decode_describe_field(visitor, &(struct field){ .key = "op",
                                       .brief = "",
                                       .number = decoded->endpoint.op,
                                       .name = decode_words_endpoint_op(decoded->endpoint.op) });
    decode_describe_hex(visitor, "request_id", "id", 4, decoded->psn.value & 0xffff);
}

/* OpenMRC puts the incarnation of the sender into updates; other implementations send 0. */
static void describe_incarnation(
    const struct field_visitor *visitor, const struct packet_endpoint *endpoint)
{
    bool is_told = endpoint->op == ENDPOINT_PORT_STATUS_UPDATE && endpoint->incarnation != 0;

    decode_describe_field(visitor, &(struct field){ .key = "vendor_info",
                                       .brief = is_told ? "incarnation" : NULL,
                                       .number = endpoint->incarnation,
                                       .note = is_told ? "incarnation of the sender" : NULL });
}

void decode_describe_erth(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    const struct packet_endpoint *endpoint = &packet->frame.packet.endpoint;
    bool has_ports = endpoint->op == ENDPOINT_PORT_STATUS_UPDATE;
    char ports[96];

    decode_words_ports(endpoint->port_status_mask, ports, sizeof(ports));
    describe_operation(packet, visitor);
    decode_describe_field(visitor, &(struct field){ .key = "port_status_mask",
                                       .brief = has_ports ? "" : NULL,
                                       .form = FIELD_HEX,
                                       .digits = 8,
                                       .number = endpoint->port_status_mask,
                                       .alias = has_ports ? ports : NULL });
    describe_incarnation(visitor, endpoint);
    decode_describe_stamp(packet, visitor, endpoint->tx_timestamp);
    decode_describe_flag(visitor, "tsr", NULL, packet->frame.packet.flags & PACKET_OWN_UNIT);
}

void decode_describe_eeth(const struct decode_packet *packet, const struct field_visitor *visitor)
{
    describe_operation(packet, visitor);
    decode_describe_stamp(packet, visitor, packet->frame.packet.endpoint.tx_timestamp);
}
