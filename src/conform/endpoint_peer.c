/* SPDX-License-Identifier: Apache-2.0 */
/* The kit as a responder. */
#include "conform/endpoint_peer.h"

#include "conform/endpoint_packet.h"

enum { BITMAP_PSNS = 64, UNIT_BYTES = 256 };

void endpoint_peer_begin(struct endpoint_peer *peer, struct psn first)
{
    *peer = (struct endpoint_peer){ .first = first };
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Returns a packet to the device on the port of its trigger, if there is one. */
static struct packet answer_to(
    const struct endpoint_bench *bench, const struct endpoint_frame *trigger, uint8_t opcode)
{
    return (struct packet){ .src = bench->device->peer,
        .dst = bench->address,
        .ev = 0x0507,
        .dest_qpn = bench->session.qpn,
        .opcode = opcode,
        .class = DSCP_CONTROL,
        .ecn = ECN_NOT_ECT,
        .port = (uint8_t)(trigger ? trigger->port : 0) };
}

static uint64_t bitmap_of(const struct endpoint_peer *peer)
{
    uint64_t bitmap = 0;

    for (uint32_t i = 0; i < BITMAP_PSNS && peer->taken + i < ENDPOINT_PEER_PSNS; i++)
        bitmap |= (uint64_t)peer->is_taken[peer->taken + i] << i;
    return bitmap;
}

struct packet endpoint_peer_sack(
    const struct endpoint_bench *bench, const struct endpoint_frame *trigger)
{
    const struct endpoint_peer *peer = &bench->peer;
    struct packet packet = answer_to(bench, trigger, OPCODE_SACK);
    struct packet_sack *sack = &packet.sack;
    const struct packet *data = trigger ? &trigger->frame.packet : NULL;

    sack->cack_psn = psn_add(peer->first, (int32_t)peer->taken - 1);
    sack->sack_offset = 1;
    sack->bitmap = bitmap_of(peer);
    sack->mpr = peer->mpr;
    sack->mark = peer->mark;
    sack->ooo_count = (uint16_t)peer->taken_above;
    sack->received_units = (uint32_t)((peer->received_bytes + UNIT_BYTES - 1) / UNIT_BYTES);
    sack->spdcid = (uint16_t)bench->session.peer_qpn;
    sack->dpdcid = (uint16_t)bench->session.qpn;
    packet.psn = sack->cack_psn;
    if (!data)
        return packet;
    packet.flags = data->flags & PACKET_RETRANSMISSION;
    sack->entropy = data->ev;
    if (data->opcode == OPCODE_PROBE) {
        sack->answers_probe = true;
        sack->probe_id = data->probe.probe_id;
        sack->tx_timestamp = data->probe.tx_timestamp;
        return packet;
    }
    sack->ack_psn_offset = (int16_t)psn_distance(sack->cack_psn, data->psn);
    sack->tx_timestamp = data->flags & PACKET_STAMPED ? data->write.tx_timestamp : 0;
    return packet;
}

struct packet endpoint_peer_ack(const struct endpoint_bench *bench)
{
    const struct endpoint_peer *peer = &bench->peer;
    struct packet packet = answer_to(bench, NULL, OPCODE_ACK);

    packet.psn = psn_add(peer->first, (int32_t)peer->taken - 1);
    packet.ack =
        (struct packet_ack){ .syndrome = ACK_SYNDROME_ACK, .messages_done = peer->messages_done };
    return packet;
}

struct packet endpoint_peer_nack(
    const struct endpoint_bench *bench, const struct endpoint_frame *from, uint8_t reason)
{
    const struct packet *data = &from->frame.packet;
    struct packet packet = answer_to(bench, from, OPCODE_NACK);

    packet.psn = data->psn;
    packet.nack = (struct packet_nack){ .nack_psn = data->psn,
        .entropy = data->ev,
        .reason = reason,
        .spdcid = (uint16_t)bench->session.peer_qpn,
        .dpdcid = (uint16_t)bench->session.qpn,
        .tx_timestamp = data->flags & PACKET_STAMPED ? data->write.tx_timestamp : 0 };
    return packet;
}

void endpoint_peer_answer(struct endpoint_bench *bench, const struct endpoint_frame *trigger)
{
    const struct endpoint_peer *peer = &bench->peer;
    struct packet sack = endpoint_peer_sack(bench, trigger);
    struct packet ack = endpoint_peer_ack(bench);

    if (!peer->withholds_sacks)
        endpoint_bench_send(bench, &sack);
    if (!peer->withholds_acks && peer->messages_done > 0 &&
        trigger->frame.packet.flags & PACKET_ACK_REQUEST) {
        ack.port = (uint8_t)trigger->port;
        endpoint_bench_send(bench, &ack);
    }
}

/* ---- packets --------------------------------------------------------------------------------- */

static bool find_index(const struct endpoint_peer *peer, struct psn psn, uint32_t *index)
{
    int32_t distance = psn_distance(peer->first, psn);

    *index = (uint32_t)distance;
    return distance >= 0 && distance < ENDPOINT_PEER_PSNS;
}

void endpoint_peer_take(struct endpoint_bench *bench, const struct endpoint_frame *from)
{
    struct endpoint_peer *peer = &bench->peer;
    const struct packet *packet = &from->frame.packet;
    uint32_t index;

    if (!find_index(peer, packet->psn, &index) || peer->is_taken[index])
        return;
    peer->is_taken[index] = true;
    peer->ends[index] = opcode_ends_message(packet->opcode);
    peer->received_bytes += packet_nominal_bytes(packet);
    peer->taken_above++;
    while (peer->taken < ENDPOINT_PEER_PSNS && peer->is_taken[peer->taken]) {
        peer->messages_done += peer->ends[peer->taken];
        peer->taken++;
        peer->taken_above--;
    }
}

static void answer_probe(struct endpoint_bench *bench, const struct endpoint_frame *from)
{
    struct packet answer = endpoint_peer_sack(bench, from);

    bench->peer.probe_count++;
    if (!bench->peer.ignores_probes && !bench->peer.is_mute)
        endpoint_bench_send(bench, &answer);
}

void endpoint_peer_receive(struct endpoint_bench *bench, const struct endpoint_frame *from)
{
    struct endpoint_peer *peer = &bench->peer;
    const struct packet *packet = &from->frame.packet;
    uint32_t index;

    if (!bench->session.is_open || packet->dest_qpn != bench->session.peer_qpn)
        return; /* of a QP of an earlier check */
    if (packet->opcode == OPCODE_PROBE) {
        answer_probe(bench, from);
        return;
    }
    if (!find_index(peer, packet->psn, &index))
        return;
    if (peer->copies[index] < UINT8_MAX)
        peer->copies[index]++;
    if (index >= peer->seen)
        peer->seen = index + 1;
    if (peer->is_mute || (peer->loses && peer->loses(bench, index, peer->copies[index])))
        return;
    endpoint_peer_take(bench, from);
    endpoint_peer_answer(bench, from);
}
