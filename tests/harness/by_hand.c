/* SPDX-License-Identifier: Apache-2.0 */
/* A transport driven by hand. */
#include "by_hand.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "literal.h"
#include "wire/bth.h"

static enum transport_access place(void *context, void *owner, uint32_t qpn, uint32_t rkey,
    uint64_t va, const struct payload *payload)
{
    struct by_hand *nic = context;

    if (nic->refuses)
        return TRANSPORT_ACCESS_REFUSED;
    nic->placed_count++;
    nic->placed = (struct by_hand_placement){
        .va = va, .owner = owner, .qpn = qpn, .rkey = rkey, .length = payload->length
    };
    return TRANSPORT_ACCESS_OK;
}

static void note(void *context, const struct trace_event *event)
{
    struct by_hand *nic = context;

    if (nic->trace_count < BY_HAND_TRACES_MAX)
        nic->traces[nic->trace_count++] = *event;
}

struct ipv6_addr by_hand_address(uint32_t number)
{
    return (struct ipv6_addr){ .octets = {
                                   0xfd, [14] = (uint8_t)(number >> 8), [15] = (uint8_t)number } };
}

void by_hand_prepare(struct by_hand *nic)
{
    memset(nic, 0, sizeof(*nic));
    nic->now_ns = 1000000;
    nic->ready_ports = UINT32_MAX;
    nic->peer = 1;
    nic->sink = (struct trace_sink){ .on_event = note, .context = nic };
    nic->config = (struct transport_config){ .address = by_hand_address(0),
        .port_count = BY_HAND_PLANES,
        .qp_count_max = BY_HAND_QPS_MAX,
        .seed = 1,
        .nak_write_imm_limit = 0x65,
        .memory = { .place = place, .context = nic },
        .trace = &nic->sink };
    literal_parameters(&nic->config.parameters);
    nic->config.parameters.pmtu = BY_HAND_PMTU_BYTES;
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        nic->entries[i] = (struct path_entry){ .ev = i % 2 << 8 | i, .plane = (uint8_t)(i % 2) };
    path_profile_explicit(&nic->profile, nic->entries, BY_HAND_EVS, BY_HAND_PLANES);
    nic->init = (struct qp_init){ .send_depth = 16,
        .recv_depth = 16,
        .window_psns_max = 128,
        .window_psns_max_dest = 128,
        .write_imm_max_dest = 32,
        .paths = &nic->profile,
        .cc = &nic->cc };
}

void by_hand_open(struct by_hand *nic)
{
    struct cc_settings settings;
    struct arena arena;
    bool known;

    transport_cc_settings(&nic->config.parameters, nic->config.port_count, &settings);
    known = cc_profile_init(&nic->cc, &settings);
    assert(known);
    arena_init(&arena, NULL, 0);
    transport_init(&arena, &nic->config);
    nic->memory = malloc(arena.used_bytes);
    assert(nic->memory);
    arena_init(&arena, nic->memory, arena.used_bytes);
    nic->transport = transport_init(&arena, &nic->config);
}

void by_hand_close(struct by_hand *nic)
{
    for (uint32_t i = 0; i < nic->qp_memory_count; i++)
        free(nic->qp_memory[i]);
    free(nic->memory);
}

/* ---- queue pairs ---------------------------------------------------------------------------- */

int by_hand_create(struct by_hand *nic, uint32_t qpn)
{
    void *memory = malloc(transport_qp_bytes(&nic->init));
    int error = transport_qp_create(nic->transport, qpn, &nic->init, memory);

    assert(memory && nic->qp_memory_count < BY_HAND_QPS_MAX);
    if (error)
        free(memory);
    else
        nic->qp_memory[nic->qp_memory_count++] = memory;
    return error;
}

int by_hand_move(struct by_hand *nic, uint32_t qpn, enum qp_state state)
{
    struct qp_attributes attributes = { .state = state };
    int error = transport_qp_modify(nic->transport, qpn, &attributes, QP_ATTR_STATE, nic->now_ns);

    transport_check(nic->transport);
    return error;
}

int by_hand_step(struct by_hand *nic, uint32_t qpn, enum qp_state state)
{
    struct qp_attributes attributes = { .state = state,
        .peer_address = by_hand_address(nic->peer),
        .peer_qpn = BY_HAND_PEER_QPN + qpn,
        .peer_ports = (1 << BY_HAND_PLANES) - 1,
        .rq_psn = psn(BY_HAND_RQ_PSN),
        .sq_psn = psn(BY_HAND_SQ_PSN) };
    uint32_t mask = QP_ATTR_STATE;

    if (state == QP_RTR)
        mask |= QP_ATTR_PEER | QP_ATTR_RQ_PSN;
    if (state == QP_RTS)
        mask |= QP_ATTR_SQ_PSN;
    return transport_qp_modify(nic->transport, qpn, &attributes, mask, nic->now_ns);
}

void by_hand_reconnect(struct by_hand *nic, uint32_t qpn)
{
    struct ipv6_addr peer = by_hand_address(nic->peer);
    int error = by_hand_step(nic, qpn, QP_INIT);

    if (!error)
        error = by_hand_step(nic, qpn, QP_RTR);
    if (!error)
        error = by_hand_step(nic, qpn, QP_RTS);
    assert(error == 0);
    if (nic->rtt.fixed_ns)
        transport_set_rtt(nic->transport, &peer, &nic->rtt);
    transport_check(nic->transport);
}

void by_hand_connect(struct by_hand *nic, uint32_t qpn)
{
    int error = by_hand_create(nic, qpn);

    assert(error == 0);
    by_hand_reconnect(nic, qpn);
}

static struct qp_attributes attributes_of(const struct by_hand *nic, uint32_t qpn)
{
    struct qp_attributes attributes;
    int error = transport_qp_query(nic->transport, qpn, &attributes);

    assert(error == 0);
    return attributes;
}

enum qp_state by_hand_state(const struct by_hand *nic, uint32_t qpn)
{
    return attributes_of(nic, qpn).state;
}

int by_hand_post(
    struct by_hand *nic, uint32_t qpn, uint64_t id, uint32_t length_bytes, uint32_t flags)
{
    struct work_request work = { .id = id,
        .remote_va = id << 32,
        .rkey = BY_HAND_RKEY,
        .length_bytes = length_bytes,
        .immediate = (uint32_t)id,
        .flags = flags };

    return transport_post_send(nic->transport, qpn, &work, nic->now_ns);
}

/* ---- packets -------------------------------------------------------------------------------- */

uint32_t by_hand_send(struct by_hand *nic)
{
    uint32_t count;

    nic->sent_count = 0;
    do {
        count = transport_send(nic->transport, nic->ready_ports, nic->sent + nic->sent_count,
            BY_HAND_PACKETS_MAX - nic->sent_count, nic->now_ns);
        nic->sent_count += count;
    } while (count > 0);
    transport_check(nic->transport);
    return nic->sent_count;
}

uint32_t by_hand_sent(const struct by_hand *nic, uint8_t opcode)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < nic->sent_count; i++)
        count += nic->sent[i].opcode == opcode;
    return count;
}

const struct packet *by_hand_first(const struct by_hand *nic, uint8_t opcode)
{
    for (uint32_t i = 0; i < nic->sent_count; i++)
        if (nic->sent[i].opcode == opcode)
            return &nic->sent[i];
    return NULL;
}

static struct packet from_peer(const struct by_hand *nic, uint32_t qpn, uint8_t opcode)
{
    return (struct packet){ .src = attributes_of(nic, qpn).peer_address,
        .dst = nic->config.address,
        .dest_qpn = qpn,
        .opcode = opcode,
        .ev = nic->entries[0].ev };
}

/* What a packet with this opcode lets its message have at least. */
static uint32_t message_bytes_of(uint8_t opcode, uint32_t length)
{
    switch (opcode) {
    case OPCODE_WRITE_FIRST:
        return 2 * BY_HAND_PMTU_BYTES;
    case OPCODE_WRITE_MIDDLE:
        return 3 * BY_HAND_PMTU_BYTES;
    case OPCODE_WRITE_LAST:
    case OPCODE_WRITE_LAST_IMM:
        return BY_HAND_PMTU_BYTES + length;
    default:
        return length;
    }
}

struct packet by_hand_write(
    const struct by_hand *nic, uint32_t qpn, uint8_t opcode, struct psn psn, uint32_t length)
{
    struct packet packet = from_peer(nic, qpn, opcode);

    packet.psn = psn;
    packet.class = DSCP_TRIMMABLE;
    packet.ecn = ECN_ECT0;
    packet.flags = PACKET_STAMPED;
    packet.write = (struct packet_write){ .va = UINT64_C(0x10000) + psn.value,
        .payload = { .length = length },
        .rkey = BY_HAND_RKEY,
        .message_bytes = message_bytes_of(opcode, length),
        .tx_timestamp = 1,
        .pad_bytes = (uint8_t)(-length & 3) };
    return packet;
}

struct packet by_hand_write_imm(
    const struct by_hand *nic, uint32_t qpn, struct psn psn, uint16_t rqmsn, uint32_t immediate)
{
    struct packet packet = by_hand_write(nic, qpn, OPCODE_WRITE_ONLY_IMM, psn, 64);

    packet.flags |= PACKET_ACK_REQUEST;
    packet.write.rqmsn = rqmsn;
    packet.write.immediate = immediate;
    return packet;
}

static struct packet control(const struct by_hand *nic, uint32_t qpn, uint8_t opcode)
{
    struct packet packet = from_peer(nic, qpn, opcode);

    packet.class = DSCP_CONTROL;
    return packet;
}

struct packet by_hand_sack(const struct by_hand *nic, uint32_t qpn, struct psn cack)
{
    struct packet packet = control(nic, qpn, OPCODE_SACK);

    packet.psn = cack;
    packet.sack = (struct packet_sack){
        .cack_psn = cack, .sack_offset = 1, .entropy = nic->entries[0].ev, .tx_timestamp = 1
    };
    return packet;
}

struct packet by_hand_nack(
    const struct by_hand *nic, uint32_t qpn, const struct packet *of, uint8_t reason)
{
    struct packet packet = control(nic, qpn, OPCODE_NACK);

    packet.psn = of->psn;
    packet.nack = (struct packet_nack){ .nack_psn = of->psn,
        .entropy = of->ev,
        .tx_timestamp = of->write.tx_timestamp,
        .reason = reason };
    return packet;
}

struct packet by_hand_nak(const struct by_hand *nic, uint32_t qpn, struct psn offending,
    uint8_t syndrome, uint32_t messages_done)
{
    struct packet packet = control(nic, qpn, OPCODE_ACK);

    packet.psn = offending;
    packet.ack = (struct packet_ack){ .syndrome = syndrome, .messages_done = messages_done };
    return packet;
}

struct packet by_hand_ack(
    const struct by_hand *nic, uint32_t qpn, struct psn cack, uint32_t messages_done)
{
    return by_hand_nak(nic, qpn, cack, ACK_SYNDROME_ACK, messages_done);
}

struct packet by_hand_endpoint(const struct by_hand *nic, uint32_t peer, uint8_t opcode,
    enum endpoint_op op, uint16_t request_id)
{
    return (struct packet){ .src = by_hand_address(peer),
        .dst = nic->config.address,
        .dest_qpn = BTH_ENDPOINT_QPN,
        .opcode = opcode,
        .psn = psn(request_id),
        .ev = nic->entries[0].ev,
        .endpoint = { .op = (uint8_t)op } };
}

enum drop_reason by_hand_receive(struct by_hand *nic, const struct packet *packet)
{
    enum drop_reason reason = transport_receive(nic->transport, packet, nic->now_ns);

    transport_check(nic->transport);
    return reason;
}

/* ---- time and events ------------------------------------------------------------------------ */

uint32_t by_hand_wait(struct by_hand *nic, uint64_t duration_ns)
{
    uint64_t end_ns = nic->now_ns + duration_ns;
    uint32_t wakes = 0;

    while (transport_deadline_ns(nic->transport) <= end_ns) {
        uint64_t deadline_ns = transport_deadline_ns(nic->transport);

        if (deadline_ns > nic->now_ns)
            nic->now_ns = deadline_ns;
        transport_expire(nic->transport, nic->now_ns);
        transport_check(nic->transport);
        by_hand_send(nic);
        wakes++;
    }
    nic->now_ns = end_ns;
    return wakes;
}

bool by_hand_event(struct by_hand *nic, struct transport_event *event)
{
    return transport_next_event(nic->transport, event);
}

bool by_hand_completed(
    struct by_hand *nic, enum transport_event_kind kind, uint64_t id, enum completion_status status)
{
    struct transport_event event;

    return by_hand_event(nic, &event) && event.kind == kind && event.id == id &&
           event.status == status;
}

uint32_t by_hand_discard_events(struct by_hand *nic)
{
    struct transport_event event;
    uint32_t count = 0;

    while (by_hand_event(nic, &event))
        count++;
    return count;
}

uint64_t by_hand_count(const struct by_hand *nic, enum counter counter)
{
    return transport_counters(nic->transport)[counter];
}
