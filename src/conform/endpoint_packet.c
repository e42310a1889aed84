/* SPDX-License-Identifier: Apache-2.0 */
/* Packets to an endpoint and from it. */
#include "conform/endpoint_packet.h"

#include "wire/bth.h"

enum { PATTERN_STARTS = 1 << 20, PAD_MASK = 3, BITMAP_PSNS = 64 };

/* ---- to the device --------------------------------------------------------------------------- */

/* EVs differ in both halves, and neither is 0. */
static uint32_t fresh_ev(struct endpoint_bench *bench)
{
    return (uint32_t)prng_next(&bench->prng) | 0x00010001;
}

static uint16_t fresh_stamp(struct endpoint_bench *bench)
{
    return (uint16_t)(prng_next(&bench->prng) | 1); /* 0: none */
}

/* Returns a packet to the QP of the session, without contents. */
static struct packet empty_packet(struct endpoint_bench *bench, uint8_t opcode)
{
    return (struct packet){ .src = bench->device->peer,
        .dst = bench->address,
        .ev = fresh_ev(bench),
        .dest_qpn = bench->session.qpn,
        .opcode = opcode,
        .class = DSCP_CONTROL,
        .ecn = ECN_NOT_ECT };
}

void endpoint_packet_take(struct endpoint_bench *bench, struct endpoint_packet_message *message)
{
    struct endpoint_session *session = &bench->session;
    uint32_t pmtu_bytes = session->terms.pmtu_bytes;

    message->first = session->next_psn;
    message->packet_count = message->bytes > 0 ? (message->bytes + pmtu_bytes - 1) / pmtu_bytes : 1;
    message->msn = session->next_msn++;
    message->rqmsn = message->has_immediate ? session->next_rqmsn++ : 0;
    message->payload = bench->pattern + prng_below(&bench->prng, PATTERN_STARTS);
    session->next_psn = psn_add(session->next_psn, (int32_t)message->packet_count);
}

static uint8_t opcode_of(const struct endpoint_packet_message *message, uint32_t index)
{
    bool is_last = index + 1 == message->packet_count;

    if (message->packet_count == 1)
        return message->has_immediate ? OPCODE_WRITE_ONLY_IMM : OPCODE_WRITE_ONLY;
    if (is_last)
        return message->has_immediate ? OPCODE_WRITE_LAST_IMM : OPCODE_WRITE_LAST;
    return index == 0 ? OPCODE_WRITE_FIRST : OPCODE_WRITE_MIDDLE;
}

struct packet endpoint_packet_of(
    struct endpoint_bench *bench, const struct endpoint_packet_message *message, uint32_t index)
{
    const struct endpoint_session *session = &bench->session;
    uint32_t done_bytes = index * session->terms.pmtu_bytes;
    uint32_t left_bytes = message->bytes - done_bytes;
    uint32_t length =
        left_bytes < session->terms.pmtu_bytes ? left_bytes : session->terms.pmtu_bytes;
    bool is_last = index + 1 == message->packet_count;
    struct packet packet = empty_packet(bench, opcode_of(message, index));

    packet.class = DSCP_TRIMMABLE;
    packet.ecn = ECN_ECT0;
    packet.psn = psn_add(message->first, (int32_t)index);
    packet.flags = (uint8_t)(PACKET_STAMPED | (is_last ? PACKET_ACK_REQUEST : 0));
    packet.write = (struct packet_write){ .va = session->va + message->offset + done_bytes,
        .rkey = session->rkey,
        .message_bytes = message->bytes,
        .payload = { .bytes = message->payload + done_bytes, .length = length },
        .msn = message->msn,
        .rqmsn = message->rqmsn,
        .immediate = message->immediate,
        .tx_timestamp = fresh_stamp(bench),
        .pad_bytes = (uint8_t)(-length & PAD_MASK) };
    return packet;
}

void endpoint_packet_send_all(
    struct endpoint_bench *bench, const struct endpoint_packet_message *message)
{
    for (uint32_t i = 0; i < message->packet_count; i++) {
        struct packet packet = endpoint_packet_of(bench, message, i);

        endpoint_bench_send(bench, &packet);
    }
}

struct packet endpoint_packet_probe(struct endpoint_bench *bench)
{
    struct packet packet = empty_packet(bench, OPCODE_PROBE);

    packet.class = DSCP_NO_TRIM;
    packet.ecn = ECN_ECT0;
    packet.probe = (struct packet_probe){ .probe_id = bench->next_id++,
        .spdcid = (uint16_t)bench->session.peer_qpn,
        .dpdcid = (uint16_t)bench->session.qpn,
        .tx_timestamp = fresh_stamp(bench) };
    return packet;
}

struct packet endpoint_packet_request(struct endpoint_bench *bench, enum endpoint_op op)
{
    struct packet packet = empty_packet(bench, OPCODE_ENDPOINT_REQUEST);
    uint32_t ports = ((uint32_t)1 << bench->port_count) - 1;

    packet.dest_qpn = BTH_ENDPOINT_QPN;
    packet.psn = psn(bench->next_id++);
    packet.class = op == ENDPOINT_EV_PROBE ? DSCP_NO_TRIM : DSCP_CONTROL;
    packet.ecn = op == ENDPOINT_EV_PROBE ? ECN_ECT0 : ECN_NOT_ECT;
    packet.endpoint = (struct packet_endpoint){ .op = (uint8_t)op,
        .port_status_mask = op == ENDPOINT_EV_PROBE ? 0 : ports << 1,
        .tx_timestamp = fresh_stamp(bench) };
    return packet;
}

struct packet endpoint_packet_response(struct endpoint_bench *bench, const struct packet *request)
{
    struct packet packet = empty_packet(bench, OPCODE_ENDPOINT_RESPONSE);

    packet.dest_qpn = BTH_ENDPOINT_QPN;
    packet.psn = request->psn;
    packet.endpoint = (struct packet_endpoint){ .op = request->endpoint.op,
        .tx_timestamp = request->endpoint.tx_timestamp };
    return packet;
}

/* ---- from the device ------------------------------------------------------------------------- */

/* Returns the PSN of the packet that caused a SACK. */
static struct psn trigger_of(const struct packet *sack)
{
    return psn_add(sack->sack.cack_psn, sack->sack.ack_psn_offset);
}

bool endpoint_packet_shows(const struct packet *packet, struct psn psn)
{
    const struct packet_sack *sack = &packet->sack;
    int32_t bit = psn_distance(psn_add(sack->cack_psn, sack->sack_offset), psn);

    return !psn_before(sack->cack_psn, psn) ||
           (!sack->answers_probe && psn_equal(trigger_of(packet), psn)) ||
           (bit >= 0 && bit < BITMAP_PSNS && (sack->bitmap >> bit & 1));
}

bool endpoint_packet_is_opcode(const struct endpoint_frame *from, uint32_t key)
{
    return from->frame.packet.opcode == key;
}

bool endpoint_packet_is_response(const struct endpoint_frame *from, uint32_t key)
{
    return from->frame.packet.opcode == OPCODE_ENDPOINT_RESPONSE &&
           from->frame.packet.psn.value == (key & 0xffff);
}

bool endpoint_packet_is_sack(const struct endpoint_frame *from, uint32_t key)
{
    const struct packet *packet = &from->frame.packet;

    return packet->opcode == OPCODE_SACK && !packet->sack.answers_probe &&
           trigger_of(packet).value == key;
}

bool endpoint_packet_is_prompt_sack(const struct endpoint_frame *from, uint32_t key)
{
    return endpoint_packet_is_sack(from, key) && from->frame.packet.sack.tx_timestamp != 0;
}

bool endpoint_packet_is_probe_answer(const struct endpoint_frame *from, uint32_t key)
{
    const struct packet *packet = &from->frame.packet;

    return packet->opcode == OPCODE_SACK && packet->sack.answers_probe &&
           packet->sack.probe_id == key;
}

bool endpoint_packet_is_nack(const struct endpoint_frame *from, uint32_t key)
{
    return from->frame.packet.opcode == OPCODE_NACK &&
           from->frame.packet.nack.nack_psn.value == key;
}

bool endpoint_packet_is_ack(const struct endpoint_frame *from, uint32_t key)
{
    return from->frame.packet.opcode == OPCODE_ACK && from->frame.packet.psn.value == key &&
           from->frame.packet.ack.syndrome < 0x20;
}

bool endpoint_packet_is_nak(const struct endpoint_frame *from, uint32_t key)
{
    return from->frame.packet.opcode == OPCODE_ACK && from->frame.packet.psn.value == key &&
           from->frame.packet.ack.syndrome >= 0x60;
}

bool endpoint_packet_is_write(const struct endpoint_frame *from, uint32_t key)
{
    return opcode_is_write(from->frame.packet.opcode) && from->frame.packet.psn.value == key;
}

bool endpoint_packet_is_any_write(const struct endpoint_frame *from, uint32_t key)
{
    (void)key;
    return opcode_is_write(from->frame.packet.opcode);
}

bool endpoint_packet_is_answer(const struct endpoint_frame *from, uint32_t key)
{
    uint8_t opcode = from->frame.packet.opcode;

    (void)key;
    return opcode == OPCODE_SACK || opcode == OPCODE_NACK || opcode == OPCODE_ACK;
}
