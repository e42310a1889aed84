/* SPDX-License-Identifier: Apache-2.0 */
/* Sends packets: answers first, then Endpoint Requests, then the ready QPs in turn
 * (docs/protocol.md §21). */
#include "transport/nic.h"
#include "transport/prefetch.h"

/* Sends a port status update on a remaining plane, in the control class, until it is answered
 * (§18). */
static void send_port_update(struct transport *nic, struct peer *peer, uint64_t now_ns)
{
    uint32_t planes = nic->env.usable_mask & peer->ports;
    uint32_t plane;
    int32_t id;

    if (now_ns < peer->update_ns || !peer->way_back.profile)
        return;
    /* If all ports of the peer are reported down, the report may be as outdated as what the peer
     * knows about our ports. */
    plane = path_reverse_choose(
        &peer->way_back.reverse, planes ? planes : nic->env.usable_mask, PATH_NONE);
    if (plane == PATH_NONE)
        return;
    id = nic_request_endpoint(nic, &(struct nic_endpoint){ .use = NIC_ENDPOINT_UPDATE,
                                       .dst = peer->address,
                                       .ev = way_back_ev(&peer->way_back, plane),
                                       .port = (uint8_t)plane,
                                       .class = DSCP_CONTROL });
    if (id < 0)
        return;
    peer->update_told = (uint16_t)id;
    peer->update_count--;
    peer->update_owed = true;
    peer->update_ns = now_ns + nic_update_interval_ns(nic, peer);
    peer_arm(nic, peer, peer->update_ns);
    nic_count(nic, COUNTER_PORT_UPDATES_SENT);
}

/* A QP may send `send_burst` packets in one call, or an eighth of the window if that is more
 * (§21). */
static void begin_burst(const struct transport *nic, struct qp *qp)
{
    uint32_t most = (uint32_t)nic->env.parameters->send_burst;
    uint32_t full_bytes = qp->requester->full_bytes;
    uint32_t of_window = (qp->env.peer->cc.window_bytes / 8 + full_bytes - 1) / full_bytes;

    if (of_window > most)
        most = of_window;
    qp->burst_call = nic->send_call;
    qp->burst_left = (uint16_t)(most < UINT16_MAX ? most : UINT16_MAX);
}

/* Returns the number of packets that a QP may send in this turn. If no other peer wants to send,
 * the next turns belong to the same peer; the QP then sends all packets until another QP is first
 * there. */
static uint32_t turn_packets(
    const struct transport *nic, struct qp *qp, uint32_t out_max, uint64_t now_ns)
{
    const struct peer *peer = qp->env.peer;
    uint32_t packets = peer->turn_left;

    if (nic_ring_count(&nic->ready) == 1) {
        uint32_t turn = peer->first_ready == peer->last_ready
                            ? out_max
                            : requester_turn_packets(qp->requester, &qp->env, now_ns);

        packets = turn > packets ? turn : packets;
    }
    if (packets > out_max)
        packets = out_max;
    if (!nic->counts_bursts)
        return packets;
    if (qp->burst_call != nic->send_call)
        begin_burst(nic, qp);
    return packets < qp->burst_left ? packets : qp->burst_left;
}

/* Fetches what the next QP touches, whose own lines were fetched in the last turn, and the lines of
 * the QP after it. Not inlined: with few QPs it is not called. */
__attribute__((noinline)) static void prefetch_turns(
    const struct transport *nic, const struct qp *qp)
{
    const struct qp *next;

    if (qp->next_ready == PEER_NO_QP)
        return;
    next = nic->qps[qp->next_ready];
    prefetch_next(next);
    if (next->next_ready != PEER_NO_QP)
        prefetch_requester(nic->qps[next->next_ready]);
}

/* A turn of one peer: its first QP sends. Returns the number of packets written. */
static uint32_t take_turn(struct transport *nic, struct peer *peer, uint32_t ready_ports,
    struct packet *out, uint32_t out_max, uint64_t now_ns)
{
    struct qp *qp;
    uint32_t most;
    uint32_t count;

    if (peer->update_count > 0)
        send_port_update(nic, peer, now_ns);
    if (peer->first_ready == PEER_NO_QP)
        return 0;
    qp = nic->qps[peer->first_ready];
    if (nic->has_many_qps)
        prefetch_turns(nic, qp);
    most = turn_packets(nic, qp, out_max, now_ns);
    count = qp_send(nic, qp, ready_ports, out, most, now_ns);
    if (nic->counts_bursts)
        qp->burst_left = (uint16_t)(qp->burst_left - count);
    peer_end_turn(nic, peer, count, now_ns);
    return count;
}

/* Returns the number of packets of a turn, so that a round of all ready peers takes a round trip.
 * Messages that began together would otherwise end together, and the wire would be idle until the
 * next ones are posted. For the same reason no turn leaves a short rest of a message (decision 37).
 */
static uint32_t quantum(const struct transport *nic, const struct peer *peer)
{
    enum { MOST = 16 };
    const struct cc_profile *profile = peer->cc.profile;
    double packets = profile->bytes_per_ns * profile->settings.base_rtt_ns /
                     profile->settings.mtu_bytes / nic_ring_count(&nic->ready);
    uint32_t turn = packets < 1 ? 1 : packets < MOST ? (uint32_t)packets : MOST;
    uint32_t rest = peer->first_ready == PEER_NO_QP
                        ? 0
                        : send_queue_rest(&nic->qps[peer->first_ready]->requester->queue);

    return rest > turn && rest <= turn + turn / 2 ? rest : turn;
}

static uint8_t turn_of(const struct transport *nic, const struct peer *peer)
{
    uint32_t set = (uint32_t)nic->env.parameters->send_quantum;

    return (uint8_t)(set > 0 ? set : quantum(nic, peer));
}

/* Takes the peer at `place` out of the ring. Places are few: those before it wait for a port. */
static void take_out(struct nic_ring *ring, uint32_t place)
{
    for (; place > 0; place--)
        *nic_ring_at(ring, place) = *nic_ring_at(ring, place - 1);
    ring->head++;
}

/* A peer keeps its turn until it has sent its quantum, in one call or in several. */
static void count_turn(struct transport *nic, struct peer *peer, uint32_t place, uint32_t sent)
{
    if (sent < peer->turn_left) {
        peer->turn_left = (uint8_t)(peer->turn_left - sent);
        return;
    }
    peer->turn_left = 0;
    take_out(&nic->ready, place);
    nic_ring_push(&nic->ready, peer->index);
    if (nic->early_index != peer->index)
        nic->early_index = NIC_NO_PEER;
}

/* Lets peers send in turn until `out` is full or no peer can send. A peer that waits for a port
 * keeps its place and its turn. */
static uint32_t send_turns(struct transport *nic, uint32_t ready_ports, struct packet *out,
    uint32_t out_max, uint64_t now_ns)
{
    struct nic_ring *ring = &nic->ready;
    uint32_t room = out_max;
    uint32_t place = 0;

    while (room > 0 && place < nic_ring_count(ring)) {
        struct peer *peer = &nic->peers[*nic_ring_at(ring, place)];
        bool is_alone = nic_ring_count(ring) == 1;
        uint32_t sent;

        if (peer->turn_left == 0 && !is_alone)
            peer->turn_left = turn_of(nic, peer);
        sent = take_turn(nic, peer, ready_ports, out, room, now_ns);
        out += sent;
        room -= sent;
        if (sent == 0 && peer_is_ready(nic, peer, now_ns)) {
            place++;
        } else if (sent == 0) {
            peer->is_scheduled = false;
            take_out(ring, place);
        } else if (!is_alone) {
            count_turn(nic, peer, place, sent);
        } else {
            nic->early_index = NIC_NO_PEER;
        }
    }
    return out_max - room;
}

uint32_t transport_send(struct transport *nic, uint32_t ready_ports, struct packet *out,
    uint32_t out_max, uint64_t now_ns)
{
    uint32_t count = 0;

    nic->send_call++;
    nic->counts_bursts = out_max > nic->env.parameters->send_burst;
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

uint32_t transport_answers_waiting(const struct transport *nic)
{
    return control_queue_count(&nic->control);
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
