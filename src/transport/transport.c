/* SPDX-License-Identifier: Apache-2.0 */
/* The transport of one NIC, as the world sees it: packets in, packets out, time passing, events. */
#include "transport/transport.h"

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <string.h>

#include "base/power.h"
#include "transport/nic.h"

enum {
    MESSAGE_BYTES_MAX_LOG2 = 31,
    PROBE_TIMEOUT_RTTS = 4,
    PROBE_TIMEOUT_LEAST_NS = 100 * 1000,
};

static void ring_init(struct nic_ring *ring, struct arena *arena, uint32_t qp_count_max)
{
    uint32_t slot_count = power_of_two_at_least(qp_count_max);
    uint32_t *slots = arena_take(arena, slot_count, sizeof(*slots), alignof(uint32_t));

    if (ring)
        *ring = (struct nic_ring){ .slots = slots, .slot_count = slot_count };
}

static void derive_path_config(struct transport *nic)
{
    const struct parameters *parameters = &nic->config.parameters;
    uint64_t timeout_ns = PROBE_TIMEOUT_RTTS * parameters->base_rtt;

    nic->path_config = (struct path_config){ .policy = (enum path_policy)parameters->path_policy,
        .loss_to_bad = (enum path_loss_to_bad)parameters->loss_to_bad,
        .skip_backoff = parameters->skip_backoff,
        .base_rtt_ns =
            (uint32_t)(parameters->skip_lapse ? parameters->skip_lapse : parameters->base_rtt),
        .probe_first_ns = parameters->ev_probe_first,
        .probe_longest_ns = parameters->ev_probe_longest,
        .probe_timeout_ns =
            timeout_ns > PROBE_TIMEOUT_LEAST_NS ? timeout_ns : PROBE_TIMEOUT_LEAST_NS,
        .probe_successes = (uint32_t)parameters->ev_probe_successes,
        .probe_successes_max = (uint32_t)parameters->ev_probe_successes_max };
    /* Without trimming a loss may be congestion (§24). */
    if (!parameters->network_trims && nic->path_config.loss_to_bad == PATH_LOSS_ADAPTIVE)
        nic->path_config.loss_to_bad = PATH_LOSS_3OF8;
}

struct transport *transport_init(struct arena *arena, const struct transport_config *config)
{
    struct transport *nic = arena_take(arena, 1, sizeof(*nic), alignof(struct transport));
    uint32_t table_count = 2 * power_of_two_at_least(config->qp_count_max);
    struct qp **qps =
        arena_take(arena, config->qp_count_max + 1, sizeof(*qps), alignof(struct qp *));
    struct qp **table = arena_take(arena, table_count, sizeof(*table), alignof(struct qp *));
    struct nic_endpoint *endpoints =
        arena_take(arena, NIC_ENDPOINT_SLOTS, sizeof(*endpoints), alignof(struct nic_endpoint));
    struct transport_event *ev_events =
        arena_take(arena, NIC_EV_EVENT_SLOTS, sizeof(*ev_events), alignof(struct transport_event));

    assert(config->port_count >= 1 && config->port_count <= PATH_PLANE_COUNT_MAX);
    wheel_init(nic ? &nic->wheel : NULL, arena, config->qp_count_max + 1);
    control_queue_init(nic ? &nic->control : NULL, arena, NIC_CONTROL_SLOTS);
    ring_init(nic ? &nic->ready : NULL, arena, config->qp_count_max);
    ring_init(nic ? &nic->eventful : NULL, arena, config->qp_count_max);
    if (!nic)
        return NULL;
    nic->config = *config;
    nic->prng = prng_stream(config->seed, 0);
    nic->qps = qps;
    nic->qpn_table = table;
    nic->qpn_table_count = table_count;
    nic->endpoints = endpoints;
    nic->ev_events = ev_events;
    nic->up_mask = nic->usable_mask = (UINT32_C(1) << config->port_count) - 1;
    for (uint32_t port = 0; port < config->port_count; port++)
        nic->ports[port].due_ns = UINT64_MAX;
    derive_path_config(nic);
    return nic;
}

void transport_set_parameters(struct transport *nic, const struct parameters *parameters)
{
    bool skip_backoff = nic->path_config.skip_backoff;

    nic->config.parameters = *parameters;
    derive_path_config(nic);
    if (nic->qp_count > 0) /* which were given memory for the former setting */
        nic->path_config.skip_backoff = skip_backoff;
}

const struct parameters *transport_parameters(const struct transport *nic)
{
    return &nic->config.parameters;
}

void transport_cc_settings(const struct parameters *parameters, struct cc_settings *settings)
{
    static const char *const algorithms[] = { "nscc", "none" };
    enum { AUTO = 2 };
    bool fair = parameters->nscc_unmarked_delay == AUTO
                    ? parameters->last_hop_ecn
                    : parameters->nscc_unmarked_delay == CC_UNMARKED_FAIR;

    *settings = (struct cc_settings){ .algorithm = algorithms[parameters->congestion_control],
        .link_bps = parameters->link_bps,
        .base_rtt_ns = (uint32_t)parameters->base_rtt,
        .mtu_bytes = (uint32_t)parameters->pmtu + (parameters->stamp ? 88 : 84),
        .network_trims = parameters->network_trims,
        .unmarked_delay = fair ? CC_UNMARKED_FAIR : CC_UNMARKED_DECREASE,
        .base_rtt_floor_ns = (uint32_t)parameters->base_rtt_floor,
        .target_floor_ns = (uint32_t)parameters->target_delay_floor,
        .about_zero_ns = (uint32_t)parameters->about_zero_delay,
        .sharing = (enum cc_sharing)parameters->nscc_sharing,
        .target_delay_ns = (uint32_t)parameters->target_delay,
        .max_window_bytes = (uint32_t)parameters->max_cwnd };
}

const uint64_t *transport_counters(const struct transport *nic)
{
    return nic->counters;
}

const uint64_t *transport_drops(const struct transport *nic)
{
    return nic->drops;
}

/* ---- packets in ----------------------------------------------------------------------------- */

static bool is_for_responder(uint8_t opcode)
{
    return opcode_is_write(opcode) || opcode == OPCODE_PROBE;
}

static enum drop_reason on_feedback(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    enum drop_reason reason;

    switch (packet->opcode) {
    case OPCODE_SACK:
        reason = requester_on_sack(nic, qp, packet, now_ns);
        break;
    case OPCODE_NACK:
        reason = requester_on_nack(nic, qp, packet, now_ns);
        break;
    case OPCODE_ACK:
        reason = requester_on_ack(nic, qp, packet, now_ns);
        break;
    default:
        return DROP_OPCODE;
    }
    qp_schedule(nic, qp, now_ns);
    return reason;
}

static enum drop_reason dispatch(
    struct transport *nic, struct qp *qp, const struct packet *packet, uint64_t now_ns)
{
    if (opcode_is_write(packet->opcode))
        return responder_on_write(nic, qp, packet, now_ns);
    if (packet->opcode == OPCODE_PROBE)
        return responder_on_probe(nic, qp, packet, now_ns);
    return on_feedback(nic, qp, packet, now_ns);
}

static enum drop_reason receive(struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    struct qp *qp;

    if (!ip_address_equal(&packet->dst, &nic->config.address))
        return DROP_ADDRESS;
    if (packet->opcode == OPCODE_ENDPOINT_REQUEST)
        return nic_on_endpoint_request(nic, packet, now_ns);
    if (packet->opcode == OPCODE_ENDPOINT_RESPONSE)
        return nic_on_endpoint_response(nic, packet, now_ns);
    qp = nic_find(nic, packet->dest_qpn);
    if (!qp)
        return DROP_UNKNOWN_QP;
    if (is_for_responder(packet->opcode)
            ? !qp->responder || (qp->attributes.state != QP_RTR && qp->attributes.state != QP_RTS)
            : !qp->requester || qp->attributes.state != QP_RTS)
        return DROP_QP_STATE;
    if (!ip_address_equal(&packet->src, &qp->attributes.peer_address))
        return DROP_PEER;
    return dispatch(nic, qp, packet, now_ns);
}

enum drop_reason transport_receive(
    struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    enum drop_reason reason = receive(nic, packet, now_ns);

    nic->drops[reason]++;
    return reason;
}

/* ---- packets out ---------------------------------------------------------------------------- */

/* §18: on a plane that is left, control class, repeated until answered. */
static bool send_port_update(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    uint32_t plane;
    uint32_t ev_index;

    if (now_ns < qp->port_update_ns)
        return false;
    /* If all ports of the peer are said to be down, that may be as old as what it knows of ours. */
    plane = path_reverse_choose(
        &qp->reverse, qp_planes(nic, qp) ? qp_planes(nic, qp) : nic->usable_mask, PATH_NONE);
    if (plane == PATH_NONE)
        return false;
    ev_index = path_reverse_ev(&qp->reverse, plane);
    if (nic_request_endpoint(nic, &(struct nic_endpoint){ .use = NIC_ENDPOINT_UPDATE,
                                      .dst = qp->attributes.peer_address,
                                      .ev = qp_ev(qp, ev_index),
                                      .port = (uint8_t)plane,
                                      .class = DSCP_CONTROL }) < 0)
        return false;
    qp->port_update_count--;
    qp->port_update_owed = true;
    qp->port_update_ns = now_ns + (UINT64_C(1024) << qp->attributes.timeout);
    qp_arm(nic, qp, qp->port_update_ns);
    nic_count(nic, COUNTER_PORT_UPDATES_SENT);
    return true;
}

/* §21: so many packets in one call, or an eighth of the window if that is more. */
static void begin_burst(const struct transport *nic, struct qp *qp)
{
    uint32_t most = (uint32_t)nic->config.parameters.send_burst;
    uint32_t full_bytes = qp->requester->full_bytes;
    uint32_t of_window = (qp->cc.window_bytes / 8 + full_bytes - 1) / full_bytes;

    if (of_window > most)
        most = of_window;
    qp->burst_call = nic->send_call;
    qp->burst_left = (uint16_t)(most < UINT16_MAX ? most : UINT16_MAX);
}

/* A turn of one QP. Yields how many packets it wrote. */
static uint32_t take_turn(struct transport *nic, struct qp *qp, uint32_t ready_ports,
    struct packet *out, uint32_t out_max, uint64_t now_ns)
{
    uint32_t quantum = (uint32_t)nic->config.parameters.send_quantum;
    uint32_t count = 0;

    if (qp->port_update_count > 0)
        send_port_update(nic, qp, now_ns);
    if (qp->attributes.state != QP_RTS || !qp->requester)
        return 0;
    if (qp->burst_call != nic->send_call)
        begin_burst(nic, qp);
    if (quantum > out_max)
        quantum = out_max;
    if (quantum > qp->burst_left)
        quantum = qp->burst_left;
    while (count < quantum && requester_send(nic, qp, ready_ports, &out[count], now_ns))
        count++;
    qp->burst_left = (uint16_t)(qp->burst_left - count);
    return count;
}

/* Ready QPs in turn, until there is no room or a whole round brought nothing. One that has sent
 * keeps its place in the round; only one that could not is asked whether it still wants to. */
static uint32_t send_turns(struct transport *nic, uint32_t ready_ports, struct packet *out,
    uint32_t out_max, uint64_t now_ns)
{
    struct nic_ring *ring = &nic->ready;
    uint32_t room = out_max;
    uint32_t idle_turns = 0;

    while (room > 0 && idle_turns < ring->tail - ring->head) {
        struct qp *qp = nic->qps[ring->slots[ring->head++ & (ring->slot_count - 1)]];
        uint32_t sent = take_turn(nic, qp, ready_ports, out, room, now_ns);

        if (sent) {
            ring->slots[ring->tail++ & (ring->slot_count - 1)] = qp->index;
            idle_turns = 0;
            out += sent;
            room -= sent;
        } else {
            qp->is_scheduled = false;
            qp_schedule(nic, qp, now_ns);
            idle_turns += qp->is_scheduled;
        }
    }
    return out_max - room;
}

uint32_t transport_send(struct transport *nic, uint32_t ready_ports, struct packet *out,
    uint32_t out_max, uint64_t now_ns)
{
    uint32_t count = 0;

    nic->send_call++;
    while (count < out_max && control_queue_peek(&nic->control) &&
           nic_send_answer(nic, ready_ports, &out[count], now_ns))
        count++;
    while (count < out_max && nic->endpoint_waiting > 0 &&
           nic_send_endpoint(nic, ready_ports, &out[count], now_ns))
        count++;
    count += send_turns(nic, ready_ports, out + count, out_max - count, now_ns);
    /* A turn may have queued an Endpoint Request. */
    while (count < out_max && nic->endpoint_waiting > 0 &&
           nic_send_endpoint(nic, ready_ports, &out[count], now_ns))
        count++;
    return count;
}

bool transport_wants_to_send(const struct transport *nic)
{
    return control_queue_peek(&nic->control) || nic->endpoint_waiting > 0 ||
           nic->ready.head != nic->ready.tail;
}

/* ---- time ----------------------------------------------------------------------------------- */

uint64_t transport_deadline_ns(const struct transport *nic)
{
    return wheel_next_ns(&nic->wheel);
}

void transport_expire(struct transport *nic, uint64_t now_ns)
{
    uint32_t owner;

    while ((owner = wheel_take(&nic->wheel, now_ns)) != WHEEL_NONE) {
        struct qp *qp = owner < nic->config.qp_count_max ? nic->qps[owner] : NULL;

        if (!qp) {
            nic_ports_expire(nic, now_ns);
            continue;
        }
        if (qp->responder && (qp->attributes.state == QP_RTR || qp->attributes.state == QP_RTS))
            responder_expire(nic, qp, now_ns);
        if (qp->requester && qp->attributes.state == QP_RTS)
            requester_expire(nic, qp, now_ns);
        qp_update(nic, qp, now_ns);
    }
}

/* ---- work and events ------------------------------------------------------------------------ */

int transport_post_send(
    struct transport *nic, uint32_t qpn, const struct work_request *work, uint64_t now_ns)
{
    struct qp *qp = nic_find(nic, qpn);

    if (!qp || !qp->requester || qp->attributes.state < QP_RTS ||
        work->length_bytes > UINT32_C(1) << MESSAGE_BYTES_MAX_LOG2)
        return -EINVAL;
    if (send_queue_is_full(&qp->requester->queue))
        return -ENOMEM;
    send_queue_push(&qp->requester->queue, work, qp->attributes.pmtu_bytes);
    if (qp->attributes.state == QP_RTS && qp->requester->timeout_ns == UINT64_MAX)
        requester_arm_timeout(nic, qp, now_ns);
    if (qp->attributes.state == QP_ERR)
        qp_has_event(nic, qp);
    else
        qp_schedule(nic, qp, now_ns);
    if (qp->port_update_owed)
        qp_remind_of_ports(nic, qp, now_ns);
    return 0;
}

int transport_post_recv(struct transport *nic, uint32_t qpn, uint64_t id)
{
    struct qp *qp = nic_find(nic, qpn);

    if (!qp || !qp->responder || qp->attributes.state == QP_RESET)
        return -EINVAL;
    if (recv_queue_is_full(&qp->responder->queue))
        return -ENOMEM;
    recv_queue_push(&qp->responder->queue, id);
    if (qp->attributes.state == QP_ERR)
        qp_has_event(nic, qp);
    return 0;
}

const struct work_request *transport_request(
    const struct transport *nic, const struct packet *packet)
{
    const struct qp *qp = nic_find(nic, packet->local_qpn);

    return &qp->requester->queue.requests[packet->write.payload.request].work;
}

static bool next_port_event(struct transport *nic, struct transport_event *out)
{
    uint32_t *events = nic->port_events_down ? &nic->port_events_down : &nic->port_events_up;
    bool up = events == &nic->port_events_up;

    if (*events == 0)
        return false;
    *out = (struct transport_event){ .kind = up ? TRANSPORT_PORT_UP : TRANSPORT_PORT_DOWN,
        .port = (uint32_t)__builtin_ctz(*events) };
    *events &= *events - 1;
    return true;
}

bool transport_next_event(struct transport *nic, struct transport_event *out)
{
    struct nic_ring *ring = &nic->eventful;

    while (ring->head != ring->tail) {
        struct qp *qp = nic->qps[ring->slots[ring->head & (ring->slot_count - 1)]];

        if (qp_next_event(qp, out))
            return true;
        qp->is_eventful = false;
        ring->head++;
    }
    if (next_port_event(nic, out))
        return true;
    if (nic->ev_event_head == nic->ev_event_tail)
        return false;
    *out = nic->ev_events[nic->ev_event_head++ % NIC_EV_EVENT_SLOTS];
    return true;
}

struct path_set *transport_qp_paths(struct transport *nic, uint32_t qpn)
{
    struct qp *qp = nic_find(nic, qpn);

    return qp ? qp->paths : NULL;
}

void transport_check(const struct transport *nic)
{
    for (uint32_t i = 0; i < nic->config.qp_count_max; i++) {
        const struct qp *qp = nic->qps[i];

        if (!qp)
            continue;
        assert(nic_find(nic, qp->qpn) == qp);
        if (qp->paths)
            path_check(qp->paths);
        if (qp->requester && qp->attributes.state == QP_RTS)
            requester_check(qp);
        if (qp->responder && (qp->attributes.state == QP_RTR || qp->attributes.state == QP_RTS))
            responder_check(qp);
    }
}
