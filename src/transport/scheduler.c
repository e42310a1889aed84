/* SPDX-License-Identifier: Apache-2.0 */
/* Packets out: answers first, then Endpoint Requests, then the ready QPs in turn (docs/protocol.md
 * §21). */
#include "transport/nic.h"

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
    uint32_t most = (uint32_t)nic->parameters->send_burst;
    uint32_t full_bytes = qp->requester->full_bytes;
    uint32_t of_window = (qp->cc.window_bytes / 8 + full_bytes - 1) / full_bytes;

    if (of_window > most)
        most = of_window;
    qp->burst_call = nic->send_call;
    qp->burst_left = (uint16_t)(most < UINT16_MAX ? most : UINT16_MAX);
}

/* Packets that a QP may send in this turn. With no other in the ring the next turn is its own. */
static uint32_t turn_packets(const struct transport *nic, struct qp *qp, uint32_t out_max)
{
    bool is_alone = nic->ready.head == nic->ready.tail;
    uint32_t packets = (uint32_t)nic->parameters->send_quantum;

    if (packets > out_max || is_alone)
        packets = out_max;
    if (!nic->counts_bursts)
        return packets;
    if (qp->burst_call != nic->send_call)
        begin_burst(nic, qp);
    return packets < qp->burst_left ? packets : qp->burst_left;
}

/* A turn of one QP. Yields how many packets it wrote. */
static uint32_t take_turn(struct transport *nic, struct qp *qp, uint32_t ready_ports,
    struct packet *out, uint32_t out_max, uint64_t now_ns)
{
    uint32_t most;
    uint32_t count = 0;

    if (qp->port_update_count > 0)
        send_port_update(nic, qp, now_ns);
    if (qp->attributes.state != QP_RTS || !qp->requester)
        return 0;
    most = turn_packets(nic, qp, out_max);
    while (count < most && requester_send(nic, qp, ready_ports, &out[count], now_ns))
        count++;
    if (nic->counts_bursts)
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
    nic->counts_bursts = out_max > nic->parameters->send_burst;
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

struct transport_wants transport_wants(const struct transport *nic)
{
    return (struct transport_wants){ .to_send = transport_wants_to_send(nic),
        .to_tell = nic->eventful.head != nic->eventful.tail ||
                   (nic->port_events_up | nic->port_events_down) != 0 ||
                   nic->note_head != nic->note_tail };
}
