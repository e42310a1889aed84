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
    ANSWER_BURST = 1000, /* one millisecond at the default rate */
};

static bool is_update(const struct nic_endpoint *request)
{
    return request->use == NIC_ENDPOINT_UPDATE;
}

static struct nic_endpoint *find_request(const struct transport *nic, uint16_t id)
{
    for (uint32_t i = 0; i < nic->endpoint_slots; i++)
        if (nic->endpoints[i].use != NIC_ENDPOINT_FREE && nic->endpoints[i].id == id)
            return &nic->endpoints[i];
    return NULL;
}

/* Returns a slot for a request. Probes of ways back need a free one. All others may take the slot
 * of the oldest request in flight, whose answer is overdue, or of a request that waits for a port
 * that is down. NULL: all slots hold requests that wait to be sent. */
static struct nic_endpoint *take_slot(struct transport *nic, enum nic_endpoint_use use)
{
    struct nic_endpoint *oldest = NULL;

    for (uint32_t i = 0; i < nic->endpoint_slots; i++) {
        struct nic_endpoint *slot = &nic->endpoints[i];

        if (slot->use == NIC_ENDPOINT_FREE)
            return slot;
        if (use == NIC_ENDPOINT_REVERSE)
            continue;
        if (!slot->waits && (!oldest || oldest->waits || slot->sent_ns < oldest->sent_ns))
            oldest = slot;
        if (slot->waits && !oldest && !(nic->up_mask >> slot->port & 1))
            oldest = slot;
    }
    if (oldest)
        nic->endpoint_waiting -= oldest->waits;
    return oldest;
}

/* Returns the next id of its kind that no request of the other kind uses. */
static uint16_t take_id(struct transport *nic, bool for_update)
{
    uint16_t *next = for_update ? &nic->update_id : &nic->endpoint_id;
    const struct nic_endpoint *bearer;

    do {
        bearer = find_request(nic, *next);
        *next = (uint16_t)(*next + nic->id_step);
    } while (bearer && is_update(bearer) != for_update);
    return (uint16_t)(*next - nic->id_step);
}

int32_t nic_request_endpoint(struct transport *nic, const struct nic_endpoint *request)
{
    struct nic_endpoint *slot = take_slot(nic, (enum nic_endpoint_use)request->use);

    if (!slot)
        return -1;
    *slot = *request;
    slot->id = take_id(nic, is_update(request));
    slot->waits = true;
    nic->endpoint_waiting++;
    return slot->id;
}

void nic_forget_endpoint(struct transport *nic, uint16_t id)
{
    struct nic_endpoint *request = find_request(nic, id);

    if (!request)
        return;
    nic->endpoint_waiting -= request->waits;
    request->use = NIC_ENDPOINT_FREE;
}

int transport_endpoint_probe(struct transport *nic, const struct ipv6_addr *dst, uint32_t ev,
    uint32_t port, enum dscp_class class, uint16_t *request_id, uint64_t now_ns)
{
    int32_t id;

    (void)now_ns;
    if (port >= nic->env.port_count || class >= DSCP_OTHER)
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
    bool tells_ports = is_update(request);

    out->src = nic->env.address;
    out->dst = request->dst;
    out->dest_qpn = BTH_ENDPOINT_QPN;
    out->sender = PACKET_NO_SENDER;
    out->psn = psn(request->id);
    out->ev = request->ev;
    out->port = request->port;
    out->class = request->class;
    out->ecn = request->class == DSCP_CONTROL ? ECN_NOT_ECT : ECN_ECT0;
    out->opcode = OPCODE_ENDPOINT_REQUEST;
    out->flags = 0;
    out->endpoint = (struct packet_endpoint){ .op = tells_ports ? ENDPOINT_PORT_STATUS_UPDATE
                                                                : ENDPOINT_EV_PROBE,
        .port_status_mask =
            tells_ports ? nic->env.usable_mask << 1 : 0, /* ports are numbered from 1 on the wire */
        .incarnation = tells_ports ? nic->incarnation : 0,
        .tx_timestamp = (uint16_t)(now_ns / STAMP_UNIT_NS) };
}

/* Returns the oldest request that waits for a port of the mask; updates first. */
static struct nic_endpoint *find_waiting(const struct transport *nic, uint32_t ready_ports)
{
    struct nic_endpoint *found = NULL;

    for (uint32_t i = 0; i < nic->endpoint_slots; i++) {
        struct nic_endpoint *request = &nic->endpoints[i];

        if (request->use == NIC_ENDPOINT_FREE || !request->waits ||
            !(ready_ports >> request->port & 1))
            continue;
        if (!found || is_update(request) > is_update(found) ||
            (is_update(request) == is_update(found) &&
                serial16_distance(found->id, request->id) < 0))
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

static void note_update(const struct transport *nic, struct peer *peer, const struct packet *packet)
{
    uint32_t engine = peer_engine_of(peer, packet->endpoint.incarnation);

    if (!nic->ports_cross)
        peer->ports = (uint16_t)(packet->endpoint.port_status_mask >> 1);
    peer->update_seen[engine] = (uint16_t)packet->psn.value;
    peer->incarnations[engine] = packet->endpoint.incarnation;
    peer->updates_known =
        (peer->updates_known | 1u << engine) & ((1u << TRANSPORT_ENGINES_MAX) - 1);
    peer->update_engine = engine & (TRANSPORT_ENGINES_MAX - 1);
}

static void take_port_update(struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    for (uint32_t i = 0; i < nic->qp_count_max; i++) {
        struct peer *peer = &nic->peers[i];

        if (peer->live_count == 0 || !ip_address_equal(&peer->address, &packet->src))
            continue;
        note_update(nic, peer, packet);
    }
    for (uint32_t i = 0; i < nic->qp_count_max; i++) {
        struct qp *qp = nic->qps[i];

        if (!qp || !qp->env.peer || !ip_address_equal(&qp->env.peer->address, &packet->src))
            continue;
        nic_trace(nic, EVENT_PLANES, qp->env.qpn, now_ns, env_planes(&qp->env),
            qp->env.peer->way_back.reverse.out_mask, qp->env.peer->ports);
        qp_update(nic, qp, now_ns);
    }
    nic_count(nic, COUNTER_PORT_UPDATES_TAKEN);
}

/* True if the update is older than one already accepted (§18). A peer that restarts begins to count
 * again; its incarnation shows that. */
static bool is_stale(const struct peer *peer, const struct packet *packet)
{
    uint8_t incarnation = packet->endpoint.incarnation;
    uint32_t engine = peer_engine_of(peer, incarnation);

    if (!(peer->updates_known >> engine & 1) ||
        (incarnation != 0 && incarnation != peer->incarnations[engine]))
        return false;
    return serial16_distance(peer->update_seen[engine], (uint16_t)packet->psn.value) < 0;
}

static enum drop_reason on_port_update(
    struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    const struct qp *qp = nic_find_peer(nic, &packet->src);
    uint32_t ports = packet->endpoint.port_status_mask >> 1;

    if (!qp)
        return DROP_STRANGER;
    /* The update left through a port of the peer that is up, so at least that port must be in the
     * mask. */
    if (!(ports >> packet->port & 1))
        return DROP_PORT_MASK;
    if (is_stale(qp->env.peer, packet))
        return DROP_STALE_UPDATE;
    take_port_update(nic, packet, now_ns);
    return DROP_NONE;
}

static enum drop_reason on_probe(struct transport *nic, uint64_t now_ns)
{
    uint64_t gap_ns = SECOND_NS / nic->env.parameters->endpoint_answer_rate;

    return rate_allows(&nic->endpoint_answers, gap_ns, ANSWER_BURST, now_ns) ? DROP_NONE
                                                                             : DROP_RATE_LIMIT;
}

/* MRC 1.0 leaves two operations undefined (wire §11.1). An answer would acknowledge what was not
 * understood. Operation 2 is for agents, which see it before the transport does. */
static enum drop_reason take_request(
    struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    switch (packet->endpoint.op) {
    case ENDPOINT_PORT_STATUS_UPDATE:
        return on_port_update(nic, packet, now_ns);
    case ENDPOINT_EV_PROBE:
        return on_probe(nic, now_ns);
    default:
        return DROP_OPCODE;
    }
}

enum drop_reason nic_on_endpoint_request(
    struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    struct control_record answer = { .code = packet->endpoint.op,
        .psn = packet->psn,
        .tx_timestamp = packet->endpoint.tx_timestamp,
        .entropy = packet->ev,
        .port = packet->port };
    enum drop_reason reason = take_request(nic, packet, now_ns);

    if (reason != DROP_NONE || (packet->flags & PACKET_ANSWERED))
        return reason;
    if (control_queue_push_endpoint(&nic->control, answer, &packet->src))
        nic_count(nic, COUNTER_ENDPOINT_ANSWERED);
    else
        nic_count(nic, COUNTER_CONTROL_OVERFLOW);
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

/* The peer knows the state of our ports, unless they have changed since, so the update is not
 * repeated. The port on which the answer arrived is up. */
static void on_update_answered(struct transport *nic, const struct packet *packet, uint64_t now_ns)
{
    bool is_current = serial16_distance(nic->ports_told_from, (uint16_t)packet->psn.value) >= 0;

    for (uint32_t i = 0; i < nic->qp_count_max; i++) {
        struct peer *peer = &nic->peers[i];

        if (peer->live_count == 0 || !ip_address_equal(&peer->address, &packet->src))
            continue;
        if (is_current) {
            peer->update_count = 0;
            peer->update_owed = false;
        }
        peer->ports |= (uint16_t)(1u << packet->port);
    }
    for (uint32_t i = 0; i < nic->qp_count_max; i++) {
        struct qp *qp = nic->qps[i];

        if (qp && qp->env.peer && ip_address_equal(&qp->env.peer->address, &packet->src))
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
    struct nic_endpoint *request = find_request(nic, id);
    enum nic_endpoint_use use;

    if (!request || request->waits || !ip_address_equal(&request->dst, &packet->src)) {
        nic_on_unasked_answer(nic, packet, now_ns);
        return DROP_UNASKED_ANSWER;
    }
    use = (enum nic_endpoint_use)request->use;
    request->use = NIC_ENDPOINT_FREE;
    switch (use) {
    case NIC_ENDPOINT_CALLER:
        report_answer(nic, request, round_trip_ns(request, packet, now_ns));
        break;
    case NIC_ENDPOINT_REVERSE:
        way_back_on_answer(&nic->peers[request->peer_index], id, request->ev_index, now_ns);
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
