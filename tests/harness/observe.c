/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at packets, and meddling with them. */
#include "observe.h"

#include <assert.h>
#include <string.h>

/* ---- kinds of packets ----------------------------------------------------------------------- */

bool observe_is_data(const struct packet *packet)
{
    return opcode_is_write(packet->opcode);
}

bool observe_is_first(const struct packet *packet)
{
    return observe_is_data(packet) && !(packet->flags & PACKET_RETRANSMISSION);
}

bool observe_is_repeat(const struct packet *packet)
{
    return observe_is_data(packet) && packet->flags & PACKET_RETRANSMISSION;
}

bool observe_is_sack(const struct packet *packet)
{
    return packet->opcode == OPCODE_SACK;
}

bool observe_is_nack(const struct packet *packet)
{
    return packet->opcode == OPCODE_NACK;
}

bool observe_is_ack(const struct packet *packet)
{
    return packet->opcode == OPCODE_ACK;
}

bool observe_is_probe(const struct packet *packet)
{
    return packet->opcode == OPCODE_PROBE;
}

bool observe_is_request(const struct packet *packet)
{
    return packet->opcode == OPCODE_ENDPOINT_REQUEST;
}

bool observe_is_answer(const struct packet *packet)
{
    return packet->opcode == OPCODE_ENDPOINT_RESPONSE;
}

/* ---- one transport, by hand ------------------------------------------------------------------ */

void observe_prepare(struct by_hand *nic)
{
    by_hand_prepare(nic);
    nic->config.parameters.base_rtt_floor = nic->config.parameters.base_rtt;
    nic->rtt.fixed_ns = (uint32_t)nic->config.parameters.base_rtt;
}

void observe_open(struct by_hand *nic)
{
    observe_prepare(nic);
    by_hand_open(nic);
    by_hand_connect(nic, OBSERVE_QPN);
}

uint32_t observe_count(const struct by_hand *nic, observe_kind *is_wanted)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < nic->sent_count; i++)
        count += is_wanted(&nic->sent[i]);
    return count;
}

const struct packet *observe_nth(
    const struct by_hand *nic, observe_kind *is_wanted, uint32_t number)
{
    uint32_t i = 0;

    for (; i < nic->sent_count; i++)
        if (is_wanted(&nic->sent[i]) && number-- == 0)
            break;
    assert(i < nic->sent_count);
    return &nic->sent[i];
}

void observe_post(struct by_hand *nic, uint64_t id, uint32_t length_bytes)
{
    int error = by_hand_post(nic, OBSERVE_QPN, id, length_bytes, WORK_SIGNALED);

    assert(error == 0);
    by_hand_send(nic);
}

void observe_open_sending(struct by_hand *nic, struct packet *sent, uint32_t packet_count)
{
    observe_open(nic);
    observe_post(nic, 1, packet_count * BY_HAND_PMTU_BYTES);
    for (uint32_t i = 0; i < packet_count; i++)
        sent[i] = *observe_nth(nic, observe_is_first, i);
}

enum drop_reason observe_arrive(struct by_hand *nic, int32_t number, uint8_t flags)
{
    struct packet packet =
        by_hand_write(nic, OBSERVE_QPN, OPCODE_WRITE_ONLY, observe_in(number), 64);

    packet.flags |= flags;
    return by_hand_receive(nic, &packet);
}

uint32_t observe_answers(struct by_hand *nic, int32_t number, uint8_t flags)
{
    observe_arrive(nic, number, flags);
    return by_hand_send(nic);
}

struct packet observe_sack_of(
    const struct by_hand *nic, const struct packet *trigger, struct psn cack)
{
    struct packet packet = by_hand_sack(nic, OBSERVE_QPN, cack);

    packet.flags |= trigger->flags & PACKET_RETRANSMISSION;
    packet.sack.ack_psn_offset = (int16_t)psn_distance(cack, trigger->psn);
    packet.sack.entropy = trigger->ev;
    packet.sack.tx_timestamp = trigger->write.tx_timestamp;
    return packet;
}

enum drop_reason observe_sack_with(struct by_hand *nic, const struct packet *trigger, int32_t cack,
    uint64_t bitmap, uint16_t ooo_count)
{
    struct packet sack = observe_sack_of(nic, trigger, observe_out(cack));

    sack.sack.bitmap = bitmap;
    sack.sack.ooo_count = ooo_count;
    return by_hand_receive(nic, &sack);
}

enum drop_reason observe_sacked(struct by_hand *nic, const struct packet *trigger, struct psn cack)
{
    struct packet packet = observe_sack_of(nic, trigger, cack);

    return by_hand_receive(nic, &packet);
}

enum drop_reason observe_nacked(struct by_hand *nic, const struct packet *of, uint8_t reason)
{
    struct packet packet = by_hand_nack(nic, OBSERVE_QPN, of, reason);

    return by_hand_receive(nic, &packet);
}

enum drop_reason observe_acked(struct by_hand *nic, int32_t last, uint32_t messages_done)
{
    struct packet packet = by_hand_ack(nic, OBSERVE_QPN, observe_out(last), messages_done);

    return by_hand_receive(nic, &packet);
}

void observe_modify(struct by_hand *nic, struct qp_attributes attributes, uint32_t mask)
{
    int error = transport_qp_modify(nic->transport, OBSERVE_QPN, &attributes, mask, nic->now_ns);

    assert(error == 0);
    transport_check(nic->transport);
}

struct qp_status observe_status(const struct by_hand *nic)
{
    struct qp_status status;
    int error = transport_qp_status(nic->transport, OBSERVE_QPN, &status);

    assert(error == 0);
    return status;
}

enum path_ev_state observe_ev(const struct by_hand *nic, uint32_t ev)
{
    uint32_t ev_index = path_profile_find(&nic->profile, ev);

    assert(ev_index != PATH_NONE);
    return path_state_of(transport_qp_paths(nic->transport, OBSERVE_QPN), ev_index);
}

uint64_t observe_wait_for(struct by_hand *nic, observe_kind *is_wanted, uint64_t limit_ns)
{
    uint64_t begin_ns = nic->now_ns;

    while (transport_deadline_ns(nic->transport) <= begin_ns + limit_ns) {
        uint64_t deadline_ns = transport_deadline_ns(nic->transport);

        if (deadline_ns > nic->now_ns)
            nic->now_ns = deadline_ns;
        transport_expire(nic->transport, nic->now_ns);
        transport_check(nic->transport);
        by_hand_send(nic);
        if (observe_count(nic, is_wanted) > 0)
            return nic->now_ns - begin_ns;
    }
    nic->now_ns = begin_ns + limit_ns;
    nic->sent_count = 0;
    return UINT64_MAX;
}

static enum transport_access place(void *context, void *owner, uint32_t qpn, uint32_t rkey,
    uint64_t va, const struct payload *payload)
{
    struct observe_memory *memory = context;

    (void)owner;
    (void)qpn;
    if (rkey != BY_HAND_RKEY || va < memory->va ||
        va - memory->va + payload->length > sizeof(memory->bytes))
        return TRANSPORT_ACCESS_REFUSED;
    memory->placed_count++;
    if (payload->bytes)
        memcpy(memory->bytes + (va - memory->va), payload->bytes, payload->length);
    return TRANSPORT_ACCESS_OK;
}

struct transport_memory observe_memory_of(struct observe_memory *memory)
{
    return (struct transport_memory){ .place = place, .context = memory };
}

/* ---- on the way through a network ------------------------------------------------------------ */

static void on_send(void *context, const struct network_sight *sight, struct fault_effect *effect)
{
    struct observe_filter *filter = context;

    for (uint32_t i = 0; i < OBSERVE_RULES_MAX && filter->rules[i].kind; i++) {
        struct observe_rule *rule = &filter->rules[i];
        uint32_t number;

        if ((rule->from != OBSERVE_ANY && rule->from != sight->from) || !rule->kind(sight->packet))
            continue;
        number = rule->seen++;
        if (number >= rule->first &&
            (rule->count == OBSERVE_ANY || number - rule->first < rule->count)) {
            *effect = rule->effect;
            return;
        }
    }
}

void observe_filter(struct network_config *config, struct observe_filter *filter)
{
    config->filter = (struct network_filter){ .on_send = on_send, .context = filter };
}

static bool is_of(const struct network_record *record, uint32_t from, observe_kind *is_wanted)
{
    return (from == OBSERVE_ANY || record->from == from) && is_wanted(&record->packet);
}

uint32_t observe_recorded(const struct network *network, uint32_t from, observe_kind *is_wanted)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < network_record_count(network); i++)
        count += is_of(network_record_at(network, i), from, is_wanted);
    return count;
}

const struct network_record *observe_record(
    const struct network *network, uint32_t from, observe_kind *is_wanted, uint32_t number)
{
    uint32_t i = 0;

    while (!is_of(network_record_at(network, i), from, is_wanted) || number-- > 0)
        i++;
    return network_record_at(network, i);
}
