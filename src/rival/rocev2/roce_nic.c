/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules the QPs of a NIC, answers packets, and completes messages. */
#include "rival/rocev2/roce_nic.h"

#include <assert.h>

#include "rival/rocev2/roce_schedule.h"

enum {
    ALIGNMENT = 8,
    ANSWERS_PER_RECEIVER = 4,
    ANSWERS_LEAST = 64,
};

void roce_nic_init(struct roce_nic *nic, struct arena *arena, const struct roce_profile *profile,
    const struct roce_nic_config *config)
{
    struct roce_nic made = { .profile = profile,
        .config = *config,
        .answer_room = config->receiver_count * ANSWERS_PER_RECEIVER + ANSWERS_LEAST };

    made.outlets = arena_take(arena, config->outlet_count, sizeof(*made.outlets), ALIGNMENT);
    made.inlets = arena_take(arena, config->inlet_count, sizeof(*made.inlets), ALIGNMENT);
    made.senders = arena_take(arena, config->sender_count, sizeof(*made.senders), ALIGNMENT);
    made.receivers = arena_take(arena, config->receiver_count, sizeof(*made.receivers), ALIGNMENT);
    made.ports = arena_take(arena, config->port_count, sizeof(*made.ports), ALIGNMENT);
    event_queue_init(&made.events, arena, config->event_count + config->sender_count);
    deadline_heap_init(&made.timers, arena, config->sender_count);
    for (uint32_t i = 0; i < config->port_count; i++) {
        struct roce_answer *answers =
            arena_take(arena, made.answer_room, sizeof(*answers), ALIGNMENT);

        if (made.ports)
            made.ports[i] = (struct roce_port){
                .first_ready = ROCE_NONE, .last_ready = ROCE_NONE, .answers = answers
            };
    }
    if (arena->memory)
        *nic = made;
}

static void count_one(struct roce_nic *nic, enum roce_counter counter)
{
    nic->counters[counter]++;
}

/* ---- messages -------------------------------------------------------------------------------- */

void roce_nic_post(struct roce_nic *nic, uint32_t outlet_index,
    const struct endpoint_message *message, uint64_t now_ps)
{
    struct roce_outlet *outlet = &nic->outlets[outlet_index];
    struct roce_division division;
    uint64_t done = 0;
    uint32_t number;

    if (outlet->port_count == 0) {
        count_one(nic, ROCE_COUNTER_QP_ERRORS);
        event_queue_push(
            &nic->events, (struct endpoint_event){ .kind = ENDPOINT_FAILED, .flow = outlet->flow });
        return;
    }
    division = roce_connection_divide(nic->profile, outlet, message->bytes);
    number = roce_connection_post(outlet, message->bytes, division.piece_count);
    for (uint32_t i = 0; i < division.piece_count; i++) {
        uint32_t index = roce_connection_sender(nic->profile, outlet, number, i);
        bool is_last = i + 1 == division.piece_count;

        roce_sender_post(&nic->senders[index], nic->profile,
            (struct roce_piece){ .offset_bytes = message->offset_bytes + done,
                .bytes = is_last ? message->bytes - done : division.piece_bytes,
                .message = number,
                .message_packets = division.packet_count,
                .tag = message->tag,
                .tells = message->tells });
        done += division.piece_bytes;
        roce_schedule_sender(nic, index, now_ps);
    }
}

static void complete_pieces(struct roce_nic *nic, struct roce_sender *sender)
{
    struct roce_outlet *outlet = &nic->outlets[sender->connection];
    struct roce_departure message;
    struct roce_piece piece;

    while (roce_sender_take_done(sender, &piece))
        roce_connection_piece_done(outlet, piece.message);
    while (roce_connection_take_sent(outlet, &message)) {
        count_one(nic, ROCE_COUNTER_MESSAGES_SENT);
        nic->counters[ROCE_COUNTER_BYTES_ACKNOWLEDGED] += message.bytes;
        event_queue_push(
            &nic->events, (struct endpoint_event){ .kind = ENDPOINT_SENT, .flow = outlet->flow });
    }
}

static void fail_sender(struct roce_nic *nic, const struct roce_sender *sender)
{
    count_one(nic, ROCE_COUNTER_QP_ERRORS);
    event_queue_push(&nic->events, (struct endpoint_event){ .kind = ENDPOINT_FAILED,
                                       .flow = nic->outlets[sender->connection].flow,
                                       .qpn = (uint32_t)(sender - nic->senders) });
}

static void deliver_messages(struct roce_nic *nic, struct roce_inlet *inlet)
{
    struct message_arrival message;

    while (message_arrivals_take(&inlet->arrivals, &message)) {
        count_one(nic, ROCE_COUNTER_MESSAGES_RECEIVED);
        if (message.tells)
            event_queue_push(&nic->events,
                (struct endpoint_event){
                    .kind = ENDPOINT_RECEIVED, .flow = inlet->flow, .tag = message.tag });
    }
}

/* ---- out ------------------------------------------------------------------------------------- */

static void push_answer(struct roce_nic *nic, struct roce_answer what)
{
    struct roce_port *port = &nic->ports[nic->receivers[what.receiver].port];

    if (port->answers_in - port->answers_out == nic->answer_room) {
        count_one(nic, ROCE_COUNTER_CONTROL_OVERFLOW);
        return;
    }
    port->answers[port->answers_in++ % nic->answer_room] = what;
    nic->answer_count++;
}

static void send_answer(struct roce_nic *nic, struct roce_port *port, struct roce_leaving *leaving)
{
    static const enum roce_counter counters[ROCE_OPCODE_COUNT] = {
        [ROCE_ACK] = ROCE_COUNTER_ACK_SENT,
        [ROCE_NAK] = ROCE_COUNTER_NAK_SENT,
        [ROCE_CNP] = ROCE_COUNTER_CNP_SENT,
    };
    struct roce_answer what = port->answers[port->answers_out++ % nic->answer_room];
    struct roce_receiver *receiver = &nic->receivers[what.receiver];
    uint32_t next = (uint32_t)receiver->expected;

    nic->answer_count--;
    if (what.opcode == ROCE_ACK)
        receiver->owes_ack = false;
    count_one(nic, counters[what.opcode]);
    *leaving = (struct roce_leaving){
        .packet = { .opcode = what.opcode,
            .flags = what.opcode == ROCE_NAK && nic->profile->selective ? ROCE_SACKS : 0,
            .dest_qp = receiver->dest_qp,
            .psn = psn(what.opcode == ROCE_ACK ? next - 1 : next),
            .sack = what.sack },
        .label = receiver->label,
        .to_nic = receiver->to_nic,
        .port = receiver->port,
        .sender = UINT32_MAX
    };
}

static void send_data(
    struct roce_nic *nic, struct roce_port *port, struct roce_leaving *leaving, uint64_t now_ps)
{
    uint32_t index = roce_schedule_take(nic, port);
    struct roce_sender *sender = &nic->senders[index];
    bool is_repeat;

    *leaving =
        (struct roce_leaving){ .packet = roce_sender_next(sender, nic->profile, now_ps, &is_repeat),
            .label = sender->label,
            .to_nic = sender->to_nic,
            .port = sender->port,
            .sender = index };
    count_one(nic, ROCE_COUNTER_DATA_SENT);
    if (is_repeat)
        count_one(nic, ROCE_COUNTER_DATA_RETRANSMITTED);
    roce_schedule_sent(nic, sender,
        roce_packet_bytes(&leaving->packet, nic->profile->header_bytes) +
            nic->profile->framing_bytes,
        now_ps);
    roce_schedule_sender(nic, index, now_ps);
}

bool roce_nic_send(
    struct roce_nic *nic, struct roce_ready ready, struct roce_leaving *leaving, uint64_t now_ps)
{
    for (uint32_t p = 0; p < nic->config.port_count; p++)
        if (ready.answers >> p & 1 && nic->ports[p].answers_in != nic->ports[p].answers_out) {
            send_answer(nic, &nic->ports[p], leaving);
            return true;
        }
    for (uint32_t p = 0; p < nic->config.port_count; p++) {
        roce_schedule_drop_idle(nic, &nic->ports[p], now_ps);
        if (ready.data >> p & 1 && nic->ports[p].first_ready != ROCE_NONE) {
            send_data(nic, &nic->ports[p], leaving, now_ps);
            return true;
        }
    }
    return false;
}

/* ---- in -------------------------------------------------------------------------------------- */

static struct roce_placing receive_data(
    struct roce_nic *nic, const struct roce_packet *packet, bool is_marked, uint64_t now_ps)
{
    static const enum roce_counter counters[ROCE_VERDICT_COUNT] = {
        [ROCE_NEW] = ROCE_COUNTER_DATA_RECEIVED,
        [ROCE_DUPLICATE] = ROCE_COUNTER_DATA_DUPLICATE,
        [ROCE_DISCARDED] = ROCE_COUNTER_DATA_DISCARDED,
    };
    struct roce_receiver *receiver = &nic->receivers[packet->dest_qp];
    struct roce_inlet *inlet = &nic->inlets[receiver->connection];
    struct roce_reply reply = roce_receiver_take(receiver, nic->profile, packet);
    struct roce_placing placing = { .flow = inlet->flow, .va = packet->va };

    count_one(nic, counters[reply.verdict]);
    if (is_marked)
        count_one(nic, ROCE_COUNTER_DATA_MARKED);
    if (is_marked && roce_receiver_notifies(receiver, nic->profile, now_ps))
        push_answer(nic, (struct roce_answer){ .receiver = packet->dest_qp, .opcode = ROCE_CNP });
    if (reply.nak)
        push_answer(
            nic, (struct roce_answer){
                     .receiver = packet->dest_qp, .opcode = ROCE_NAK, .sack = packet->psn });
    if (reply.ack && !receiver->owes_ack) {
        receiver->owes_ack = true;
        push_answer(nic, (struct roce_answer){ .receiver = packet->dest_qp, .opcode = ROCE_ACK });
    }
    if (reply.verdict != ROCE_NEW)
        return placing;
    nic->counters[ROCE_COUNTER_BYTES_PLACED] += packet->length;
    placing.length = packet->length;
    message_arrivals_note(&inlet->arrivals, packet->message,
        &(struct message_arrival){ .packets_left = packet->message_packets,
            .tag = packet->tag,
            .tells = packet->flags & ROCE_TELLS });
    deliver_messages(nic, inlet);
    return placing;
}

static void receive_cnp(struct roce_nic *nic, struct roce_sender *sender, uint64_t now_ps)
{
    double before_bps = sender->dcqcn.rate_bps;

    count_one(nic, ROCE_COUNTER_CNP_RECEIVED);
    if (!nic->profile->has_dcqcn)
        return;
    dcqcn_on_cnp(&sender->dcqcn, &nic->profile->dcqcn, now_ps);
    roce_schedule_rate_changed(sender, before_bps, now_ps);
}

struct roce_placing roce_nic_receive(
    struct roce_nic *nic, const struct roce_packet *packet, bool is_marked, uint64_t now_ps)
{
    struct roce_sender *sender;
    bool had_failed;

    if (packet->opcode == ROCE_WRITE)
        return receive_data(nic, packet, is_marked, now_ps);
    sender = &nic->senders[packet->dest_qp];
    had_failed = sender->has_failed;
    if (packet->opcode == ROCE_CNP) {
        receive_cnp(nic, sender, now_ps);
    } else {
        roce_sender_on_answer(sender, nic->profile, packet, now_ps);
        complete_pieces(nic, sender);
        if (sender->has_failed && !had_failed)
            fail_sender(nic, sender);
    }
    roce_schedule_sender(nic, packet->dest_qp, now_ps);
    return (struct roce_placing){ 0 };
}

/* ---- time ------------------------------------------------------------------------------------ */

uint32_t roce_nic_expire(struct roce_nic *nic, uint64_t now_ps)
{
    uint32_t timeouts = 0;

    while (deadline_heap_next(&nic->timers) <= now_ps) {
        uint32_t index = deadline_heap_first(&nic->timers);
        struct roce_sender *sender = &nic->senders[index];

        deadline_heap_set(&nic->timers, index, DEADLINE_HEAP_NEVER);
        roce_schedule_advance(nic, sender, now_ps);
        if (sender->timeout_ps <= now_ps) {
            timeouts++;
            count_one(nic, ROCE_COUNTER_TIMEOUT_FIRED);
            roce_sender_on_timeout(sender, nic->profile, now_ps);
            if (sender->has_failed)
                fail_sender(nic, sender);
        }
        roce_schedule_sender(nic, index, now_ps);
    }
    return timeouts;
}

void roce_nic_check(const struct roce_nic *nic)
{
    uint32_t ready = 0;

    for (uint32_t i = 0; i < nic->config.sender_count; i++) {
        roce_sender_check(&nic->senders[i], nic->profile);
        ready += nic->senders[i].is_listed;
        assert(nic->senders[i].timeout_ps >= deadline_heap_of(&nic->timers, i));
    }
    assert(ready == nic->ready_count);
}
