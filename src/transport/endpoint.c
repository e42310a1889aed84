/* SPDX-License-Identifier: Apache-2.0 */
/* Endpoint operations of a NIC: EV probes and port status updates (docs/protocol.md §16.2, §18). */
#include <errno.h>

#include "base/serial.h"
#include "transport/nic.h"
#include "wire/bth.h"
#include "wire/stamp.h"

enum {
    STAMP_TRUST_NS = 4 * 1000 * 1000,
    SECOND_NS = 1000 * 1000 * 1000,
    ANSWER_BURST = 1000, /* a millisecond's worth, by default */
};

int32_t nic_request_endpoint(struct transport *nic, const struct nic_endpoint *request)
{
    uint16_t id = nic->endpoint_id;
    struct nic_endpoint *slot = &nic->endpoints[id & (nic->endpoint_slots - 1)];

    if (slot->use != NIC_ENDPOINT_FREE && slot->waits) {
        if (nic->up_mask >> slot->port & 1)
            return -1;
        nic->endpoint_waiting--; /* for a port that is down: it gives way */
    }
    nic->endpoint_id++; /* the oldest one under way is forgotten: its answer, if any, is too late */
    *slot = *request;
    slot->id = id;
    slot->waits = true;
    nic->endpoint_waiting++;
    return id;
}

int transport_endpoint_probe(struct transport *nic, const struct ipv6_addr *dst, uint32_t ev,
    uint32_t port, enum dscp_class class, uint16_t *request_id, uint64_t now_ns)
{
    int32_t id;

    (void)now_ns;
    if (port >= nic->port_count || class >= DSCP_OTHER)
        return -EINVAL;
    id = nic_request_endpoint(nic, &(struct nic_endpoint){ .use = NIC_ENDPOINT_CALLER,
                                       .dst = *dst,
                                       .ev = ev,
                                       .port = (uint8_t)port,
                                       .class = (uint8_t) class });
    if (id < 0)
        return -EAGAIN;
    *request_id = (uint16_t)id;
    return 0;
}

static void fill_request(const struct transport *nic, const struct nic_endpoint *request,
    struct packet *out, uint64_t now_ns)
{
    bool is_update = request->use == NIC_ENDPOINT_UPDATE;

    out->src = nic->address;
    out->dst = request->dst;
    out->dest_qpn = BTH_ENDPOINT_QPN;
    out->psn = psn(request->id);
    out->ev = request->ev;
    out->port = request->port;
    out->class = request->class;
    out->ecn = request->class == DSCP_CONTROL ? ECN_NOT_ECT : ECN_ECT0;
    out->opcode = OPCODE_ENDPOINT_REQUEST;
    out->flags = 0;
    out->endpoint =
        (struct packet_endpoint){ .op = is_update ? ENDPOINT_PORT_STATUS_UPDATE : ENDPOINT_EV_PROBE,
            .port_status_mask =
                is_update ? nic->usable_mask << 1 : 0, /* ports count from 1 on the wire */
            .tx_timestamp = (uint16_t)(now_ns / STAMP_UNIT_NS) };
}

/* The oldest that waits for a port of the mask. Looked for from the newest on: few wait, and these
 * came last. */
static struct nic_endpoint *find_waiting(const struct transport *nic, uint32_t ready_ports)
{
    struct nic_endpoint *found = NULL;
    uint32_t seen = 0;

    for (uint32_t i = 1; seen < nic->endpoint_waiting && i <= nic->endpoint_slots; i++) {
        struct nic_endpoint *request =
            &nic->endpoints[(nic->endpoint_id - i) & (nic->endpoint_slots - 1)];

        if (request->use == NIC_ENDPOINT_FREE || !request->waits)
            continue;
        seen++;
        if (ready_ports >> request->port & 1)
            found = request;
    }
    return found;
}

bool nic_send_endpoint(
    struct transport *nic, uint32_t ready_ports, struct packet *out, uint64_t now_ns)
{
    struct nic_endpoint *request = find_waiting(nic, ready_ports);

    if (!request)
        return false;
    request->waits = false;
    request->sent_ns = now_ns;
    nic->endpoint_waiting--;
    fill_request(nic, request, out, now_ns);
    return true;
}

static void take_port_update(struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    for (uint32_t i = 0; i < nic->qp_count_max; i++) {
        struct qp *qp = nic->qps[i];

        if (!qp || !ip_address_equal(&qp->attributes.peer_address, &packet->src))
            continue;
        qp->attributes.peer_ports = packet->endpoint.port_status_mask >> 1;
        qp->port_update_seen = (uint16_t)packet->psn.value;
        qp->port_update_known = true;
        nic_trace(nic, EVENT_PLANES, qp->qpn, now_ns, qp_planes(nic, qp), qp->reverse.out_mask,
            qp->attributes.peer_ports);
        qp_update(nic, qp, now_ns);
    }
    nic_count(nic, COUNTER_PORT_UPDATES_TAKEN);
}

enum drop_reason nic_on_endpoint_request(
    struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    const struct qp *peer = nic_find_peer(nic, &packet->src);
    struct control_record answer = { .code = packet->endpoint.op,
        .psn = packet->psn,
        .tx_timestamp = packet->endpoint.tx_timestamp,
        .entropy = packet->ev,
        .port = packet->port };

    if (packet->endpoint.op == ENDPOINT_PORT_STATUS_UPDATE) {
        if (!peer)
            return DROP_STRANGER;
        if (peer->port_update_known &&
            serial16_distance(peer->port_update_seen, (uint16_t)packet->psn.value) < 0)
            return DROP_STALE_UPDATE;
        take_port_update(nic, packet, now_ns);
    } else if (!rate_allows(&nic->endpoint_answers,
                   SECOND_NS / nic->parameters->endpoint_answer_rate, ANSWER_BURST, now_ns)) {
        return DROP_RATE_LIMIT;
    }
    if (!control_queue_push_endpoint(&nic->control, answer, &packet->src)) {
        nic_count(nic, COUNTER_CONTROL_OVERFLOW);
        return DROP_NONE;
    }
    nic_count(nic, COUNTER_ENDPOINT_ANSWERED);
    return DROP_NONE;
}

static uint64_t round_trip_ns(
    const struct nic_endpoint *request, const struct packet *packet, uint64_t now_ns)
{
    uint64_t local_ns = now_ns - request->sent_ns;
    uint64_t stamp_ns = (uint16_t)(now_ns / STAMP_UNIT_NS - packet->endpoint.tx_timestamp) *
                        (uint64_t)STAMP_UNIT_NS;

    return local_ns < STAMP_TRUST_NS && stamp_ns < local_ns ? stamp_ns : local_ns;
}

/* The peer has heard of our ports: no QP needs to repeat it, unless they have changed since. And
 * the port it answers by is up. */
static void on_update_answered(struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    bool is_current = serial16_distance(nic->ports_told_from, (uint16_t)packet->psn.value) >= 0;

    for (uint32_t i = 0; i < nic->qp_count_max; i++) {
        struct qp *qp = nic->qps[i];

        if (!qp || !ip_address_equal(&qp->attributes.peer_address, &packet->src))
            continue;
        if (is_current) {
            qp->port_update_count = 0;
            qp->port_update_owed = false;
        }
        qp->attributes.peer_ports |= UINT32_C(1) << packet->port;
        qp_update(nic, qp, now_ns);
    }
}

static void report_answer(
    struct transport *nic, const struct nic_endpoint *request, uint64_t rtt_ns)
{
    nic_note(nic, &(struct nic_note){ .kind = TRANSPORT_ENDPOINT_ANSWER,
                      .port = request->port,
                      .request_id = request->id,
                      .rtt_ns = rtt_ns });
}

enum drop_reason nic_on_endpoint_response(
    struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    uint16_t id = (uint16_t)packet->psn.value;
    struct nic_endpoint *request = &nic->endpoints[id & (nic->endpoint_slots - 1)];
    enum nic_endpoint_use use = (enum nic_endpoint_use)request->use;

    if (use == NIC_ENDPOINT_FREE || request->waits || request->id != id ||
        !ip_address_equal(&request->dst, &packet->src))
        return DROP_UNASKED_ANSWER;
    request->use = NIC_ENDPOINT_FREE;
    switch (use) {
    case NIC_ENDPOINT_CALLER:
        report_answer(nic, request, round_trip_ns(request, packet, now_ns));
        break;
    case NIC_ENDPOINT_REVERSE:
        responder_on_reverse_answer(nic->qps[request->qp_index], id, request->ev_index, now_ns);
        break;
    case NIC_ENDPOINT_PORT:
        nic_port_on_answer(nic, request->port, now_ns);
        break;
    default:
        on_update_answered(nic, packet, now_ns);
        break;
    }
    return DROP_NONE;
}
