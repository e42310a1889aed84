/* SPDX-License-Identifier: Apache-2.0 */
/* Lets the connections of a NIC send in turn, answers packets, and completes messages. */
#include "rival/uet/uet_nic.h"

#include <assert.h>

enum {
    ALIGNMENT = 8,
    ANSWERS_PER_INLET = 16,
    ANSWERS_LEAST = 64,
};

void uet_nic_init(struct uet_nic *nic, struct arena *arena, const struct uet_profile *profile,
    const struct uet_nic_config *config)
{
    struct uet_nic made = { .profile = profile,
        .config = *config,
        .ports_up = (uint32_t)((UINT64_C(1) << config->port_count) - 1),
        .answer_room = config->inlet_count * ANSWERS_PER_INLET + ANSWERS_LEAST,
        .first_ready = UET_NONE,
        .last_ready = UET_NONE };

    made.outlets = arena_take(arena, config->outlet_count, sizeof(*made.outlets), ALIGNMENT);
    made.inlets = arena_take(arena, config->inlet_count, sizeof(*made.inlets), ALIGNMENT);
    made.ports = arena_take(arena, config->port_count, sizeof(*made.ports), ALIGNMENT);
    event_queue_init(&made.events, arena, config->event_count + config->outlet_count);
    deadline_heap_init(&made.timers, arena, config->outlet_count);
    rccc_pacer_init(&made.pacer, arena,
        &(struct rccc_pacer_config){ .grantee_count = config->inlet_count,
            .ps_per_byte = profile->grant_ps_per_byte,
            .packet_bytes = profile->packet_bytes,
            .window_bytes = profile->window_bytes });
    for (uint32_t i = 0; i < config->port_count; i++) {
        struct uet_answer *answers =
            arena_take(arena, made.answer_room, sizeof(*answers), ALIGNMENT);

        if (made.ports)
            made.ports[i].answers = answers;
    }
    if (arena->memory)
        *nic = made;
}

static struct uet_env env_of(struct uet_nic *nic, uint64_t now_ps)
{
    return (struct uet_env){ .profile = nic->profile, .counters = nic->counters, .now_ps = now_ps };
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void list_outlet(struct uet_nic *nic, uint32_t index)
{
    nic->outlets[index].is_listed = true;
    nic->outlets[index].next_ready = UET_NONE;
    if (nic->ready_count == 0)
        nic->first_ready = index;
    else
        nic->outlets[nic->last_ready].next_ready = index;
    nic->last_ready = index;
    nic->ready_count++;
}

static uint32_t take_ready(struct uet_nic *nic)
{
    uint32_t index = nic->first_ready;

    nic->first_ready = nic->outlets[index].next_ready;
    nic->outlets[index].is_listed = false;
    nic->ready_count--;
    return index;
}

/* Lists an outlet that may send now, and sets its timer. Called after every change. The timer is
 * left alone if it is early enough: it is set again when it has expired. */
static void schedule_outlet(struct uet_nic *nic, uint32_t index)
{
    struct uet_outlet *outlet = &nic->outlets[index];
    bool is_active = outlet->sender.backlog_bytes > 0 && !outlet->sender.has_failed;
    uint64_t deadline_ps = uet_sender_deadline_ps(&outlet->sender);

    if (is_active != outlet->is_active) {
        outlet->is_active = is_active;
        nic->active_count += is_active ? 1 : UINT32_MAX;
    }
    if (!outlet->is_listed && uet_sender_may_send(&outlet->sender, nic->profile))
        list_outlet(nic, index);
    if (deadline_ps < deadline_heap_of(&nic->timers, index))
        deadline_heap_set(&nic->timers, index, deadline_ps);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void fail_outlet(struct uet_nic *nic, uint32_t index)
{
    nic->counters[UET_COUNTER_CONNECTION_ERRORS]++;
    event_queue_push(&nic->events,
        (struct endpoint_event){
            .kind = ENDPOINT_FAILED, .flow = nic->outlets[index].peer.flow, .qpn = index });
}

void uet_nic_post(struct uet_nic *nic, uint32_t index, const struct endpoint_message *message)
{
    struct uet_outlet *outlet = &nic->outlets[index];

    if (outlet->peer.way_count == 0) {
        fail_outlet(nic, index);
        return;
    }
    uet_sender_post(&outlet->sender, nic->profile,
        (struct uet_message){ .offset_bytes = message->offset_bytes,
            .bytes = message->bytes,
            .tag = message->tag,
            .tells = message->tells });
    schedule_outlet(nic, index);
}

static void complete_messages(struct uet_nic *nic, struct uet_outlet *outlet)
{
    struct uet_message message;

    while (uet_sender_take_done(&outlet->sender, &message)) {
        nic->counters[UET_COUNTER_MESSAGES_SENT]++;
        nic->counters[UET_COUNTER_BYTES_ACKNOWLEDGED] += message.bytes;
        event_queue_push(&nic->events,
            (struct endpoint_event){ .kind = ENDPOINT_SENT, .flow = outlet->peer.flow });
    }
}

static void deliver_messages(struct uet_nic *nic, struct uet_inlet *inlet)
{
    struct message_arrival message;

    while (message_arrivals_take(&inlet->receiver.messages, &message)) {
        nic->counters[UET_COUNTER_MESSAGES_RECEIVED]++;
        if (message.tells)
            event_queue_push(&nic->events,
                (struct endpoint_event){
                    .kind = ENDPOINT_RECEIVED, .flow = inlet->peer.flow, .tag = message.tag });
    }
}

/* ---- out ------------------------------------------------------------------------------------- */

static void address_packet(const struct uet_nic *nic, const struct uet_peer *peer, uint32_t way,
    struct uet_leaving *leaving)
{
    leaving->packet.dest = peer->dest;
    leaving->to_nic = peer->nic;
    leaving->port = peer->ways[way].port;
    leaving->label = peer->ways[way].label;
    leaving->label.flow =
        ecmp_flow(nic->config.nic, peer->nic, (uint16_t)(peer->source_port + leaving->packet.ev));
}

static void send_answer(struct uet_nic *nic, struct uet_port *port, struct uet_leaving *leaving)
{
    struct uet_answer what = port->answers[port->answers_out++ % nic->answer_room];
    struct uet_inlet *inlet = &nic->inlets[what.inlet];
    static const enum uet_counter counters[UET_OPCODE_COUNT] = {
        [UET_ACK] = UET_COUNTER_ACK_SENT,
        [UET_NACK] = UET_COUNTER_NACK_SENT,
        [UET_CREDIT] = UET_COUNTER_CREDIT_SENT,
    };

    nic->answer_count--;
    nic->counters[counters[what.opcode]]++;
    *leaving = (struct uet_leaving){
        .packet = { .ev = what.ev,
            .opcode = what.opcode,
            .flags = what.flags & (uint8_t)~UET_ASKS_ACK,
            .body = { .psn = what.trigger, .credit = nic->pacer.grantees[what.inlet].granted } },
        .outlet = UINT32_MAX
    };
    if (what.opcode == UET_ACK)
        uet_receiver_fill_ack(
            &inlet->receiver, nic->profile, what.trigger, what.flags, &leaving->packet.body);
    address_packet(nic, &inlet->peer, what.way, leaving);
}

/* Returns the ways of a peer that begin at one of the ports. */
static uint32_t ready_ways(const struct uet_peer *peer, uint32_t ready_ports)
{
    uint32_t ready = 0;

    for (uint32_t i = 0; i < peer->way_count; i++)
        ready |= (ready_ports >> peer->ways[i].port & 1) << i;
    return ready;
}

static void send_data(struct uet_nic *nic, struct uet_outlet *outlet, uint32_t ways,
    struct uet_leaving *leaving, uint64_t now_ps)
{
    struct uet_env env = env_of(nic, now_ps);
    struct uet_sender *sender = &outlet->sender;
    uint32_t ev = uet_spray_next(&sender->spray, nic->profile, ways, outlet->peer.way_count);

    *leaving = (struct uet_leaving){ .packet = uet_sender_next(sender, &env, ev),
        .outlet = (uint32_t)(outlet - nic->outlets) };
    if (nic->profile->has_rccc)
        leaving->packet.body.credit =
            rccc_source_target(&sender->rccc, uet_sender_wanted_bytes(sender, nic->profile),
                nic->active_count > 0 ? nic->active_count : 1);
    address_packet(nic, &outlet->peer, ev % outlet->peer.way_count, leaving);
}

bool uet_nic_send(
    struct uet_nic *nic, uint32_t ready_ports, struct uet_leaving *leaving, uint64_t now_ps)
{
    for (uint32_t p = 0; nic->answer_count > 0 && p < nic->config.port_count; p++)
        if (ready_ports >> p & 1 && nic->ports[p].answers_in != nic->ports[p].answers_out) {
            send_answer(nic, &nic->ports[p], leaving);
            return true;
        }
    for (uint32_t left = nic->ready_count; left > 0; left--) {
        uint32_t index = take_ready(nic);
        struct uet_outlet *outlet = &nic->outlets[index];
        uint32_t ways = ready_ways(&outlet->peer, ready_ports);
        bool sends = ways != 0 && uet_sender_may_send(&outlet->sender, nic->profile);

        if (sends)
            send_data(nic, outlet, ways, leaving, now_ps);
        schedule_outlet(nic, index);
        if (sends)
            return true;
    }
    return false;
}

/* ---- in -------------------------------------------------------------------------------------- */

/* An answer uses the way of its packet, or another one if its port is down. */
static void push_answer(struct uet_nic *nic, struct uet_answer what)
{
    const struct uet_peer *peer = &nic->inlets[what.inlet].peer;
    struct uet_port *port;

    what.way = what.ev % peer->way_count;
    for (uint32_t i = 0; i < peer->way_count; i++) {
        if (nic->ports_up >> peer->ways[what.way].port & 1)
            break;
        what.way = what.way + 1 == peer->way_count ? 0 : what.way + 1;
    }
    port = &nic->ports[peer->ways[what.way].port];
    if (port->answers_in - port->answers_out == nic->answer_room) {
        nic->counters[UET_COUNTER_CONTROL_OVERFLOW]++;
        return;
    }
    port->answers[port->answers_in++ % nic->answer_room] = what;
    nic->answer_count++;
}

/* A packet that was trimmed, although it had arrived before, needs no NACK. */
static void receive_trimmed(
    struct uet_nic *nic, const struct uet_packet *packet, enum uet_fate fate, uint64_t now_ps)
{
    const struct uet_receiver *receiver = &nic->inlets[packet->dest].receiver;
    bool is_known = uet_receiver_has(receiver, nic->profile, packet->body.psn);

    nic->counters[UET_COUNTER_DATA_TRIMMED]++;
    push_answer(nic, (struct uet_answer){ .inlet = packet->dest,
                         .trigger = packet->body.psn,
                         .ev = packet->ev,
                         .opcode = is_known ? UET_ACK : UET_NACK,
                         .flags = (uint8_t)((packet->flags & UET_REPEATED) |
                                            (fate == UET_TRIMMED_LAST_HOP ? UET_LAST_HOP : 0)) });
    if (nic->profile->has_rccc && !is_known)
        rccc_pacer_on_trim(&nic->pacer, packet->dest, uet_packet_bytes(packet), now_ps);
}

static struct uet_placing receive_whole(
    struct uet_nic *nic, const struct uet_packet *packet, bool is_marked)
{
    struct uet_inlet *inlet = &nic->inlets[packet->dest];
    bool acks;
    bool is_new = uet_receiver_take(&inlet->receiver, nic->profile, packet, is_marked, &acks);
    struct uet_placing placing = { .flow = inlet->peer.flow, .va = packet->body.data.va };

    nic->counters[is_new ? UET_COUNTER_DATA_RECEIVED : UET_COUNTER_DATA_DUPLICATE]++;
    nic->counters[UET_COUNTER_DATA_MARKED] += is_marked;
    if (acks)
        push_answer(nic, (struct uet_answer){ .inlet = packet->dest,
                             .trigger = packet->body.psn,
                             .ev = packet->ev,
                             .opcode = UET_ACK,
                             .flags = (uint8_t)((packet->flags & (UET_REPEATED | UET_ASKS_ACK)) |
                                                (is_marked ? UET_MARKED : 0)) });
    if (!is_new)
        return placing;
    placing.length = packet->body.data.length;
    nic->counters[UET_COUNTER_BYTES_PLACED] += placing.length;
    message_arrivals_note(&inlet->receiver.messages, packet->body.data.message,
        &(struct message_arrival){ .packets_left = packet->body.data.message_packets,
            .tag = packet->body.data.tag,
            .tells = packet->flags & UET_TELLS });
    deliver_messages(nic, inlet);
    return placing;
}

/* A request is answered even if nothing is granted: the last credits may have been lost. */
static struct uet_placing receive_forward(
    struct uet_nic *nic, const struct uet_packet *packet, enum uet_fate fate, uint64_t now_ps)
{
    struct uet_placing placing = { 0 };

    if (packet->opcode != UET_DATA)
        push_answer(nic, (struct uet_answer){ .inlet = packet->dest,
                             .ev = packet->ev,
                             .opcode = packet->opcode == UET_PROBE ? UET_ACK : UET_CREDIT,
                             .flags = packet->opcode == UET_PROBE ? UET_OF_PROBE : 0 });
    else if (fate == UET_TRIMMED || fate == UET_TRIMMED_LAST_HOP)
        receive_trimmed(nic, packet, fate, now_ps);
    else
        placing = receive_whole(nic, packet, fate == UET_CE);
    if (nic->profile->has_rccc)
        rccc_pacer_on_target(&nic->pacer, packet->dest, packet->body.credit, now_ps);
    return placing;
}

struct uet_placing uet_nic_receive(
    struct uet_nic *nic, const struct uet_packet *packet, enum uet_fate fate, uint64_t now_ps)
{
    struct uet_env env = env_of(nic, now_ps);
    struct uet_outlet *outlet;

    if (packet->opcode == UET_DATA || packet->opcode == UET_PROBE || packet->opcode == UET_REQUEST)
        return receive_forward(nic, packet, fate, now_ps);
    outlet = &nic->outlets[packet->dest];
    if (packet->opcode == UET_ACK) {
        uet_sender_on_ack(&outlet->sender, &env, packet);
        complete_messages(nic, outlet);
    } else if (packet->opcode == UET_NACK) {
        uet_sender_on_nack(&outlet->sender, &env, packet);
    } else {
        uet_sender_on_credit(&outlet->sender, nic->profile, packet->body.credit);
    }
    schedule_outlet(nic, packet->dest);
    return (struct uet_placing){ 0 };
}

/* ---- time ------------------------------------------------------------------------------------ */

uint64_t uet_nic_deadline_ps(const struct uet_nic *nic)
{
    uint64_t grant_ps = nic->profile->has_rccc ? rccc_pacer_next_ps(&nic->pacer) : RCCC_NEVER_PS;
    uint64_t timer_ps = deadline_heap_next(&nic->timers);

    return grant_ps < timer_ps ? grant_ps : timer_ps;
}

static void grant_credits(struct uet_nic *nic, uint64_t now_ps)
{
    while (nic->profile->has_rccc && rccc_pacer_next_ps(&nic->pacer) <= now_ps) {
        uint32_t index = rccc_pacer_grant(&nic->pacer);

        push_answer(
            nic, (struct uet_answer){ .inlet = index,
                     .ev = (uint16_t)(nic->pacer.grantees[index].granted % nic->profile->paths),
                     .opcode = UET_CREDIT });
    }
}

uint32_t uet_nic_expire(struct uet_nic *nic, uint64_t now_ps)
{
    struct uet_env env = env_of(nic, now_ps);
    uint32_t timeouts = 0;

    grant_credits(nic, now_ps);
    while (deadline_heap_next(&nic->timers) <= now_ps) {
        uint32_t index = deadline_heap_first(&nic->timers);
        struct uet_sender *sender = &nic->outlets[index].sender;

        deadline_heap_set(&nic->timers, index, DEADLINE_HEAP_NEVER);
        if (uet_sender_expire(sender, &env)) {
            timeouts++;
            nic->counters[UET_COUNTER_TIMEOUT_FIRED]++;
            if (sender->has_failed)
                fail_outlet(nic, index);
        }
        schedule_outlet(nic, index);
    }
    return timeouts;
}

void uet_nic_check(const struct uet_nic *nic)
{
    uint32_t ready = 0;
    uint32_t active = 0;

    for (uint32_t i = 0; i < nic->config.outlet_count; i++) {
        const struct uet_outlet *outlet = &nic->outlets[i];

        uet_sender_check(&outlet->sender, nic->profile);
        assert(uet_sender_deadline_ps(&outlet->sender) >= deadline_heap_of(&nic->timers, i));
        ready += outlet->is_listed;
        active += outlet->is_active;
    }
    assert(ready == nic->ready_count);
    assert(active == nic->active_count);
}
