/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that go down and come up, as one NIC lives through it (docs/protocol.md §18). */
#include "by_hand.h"
#include "spec.h"
#include "transport/nic.h"

enum {
    QPN = 7,
    OTHER_QPN = 8,
    BOTH = 3,
    HOLDDOWN_NS = 100000000,
    PROBE_TIMEOUT_NS = 100000,
};

#define TIMEOUT_NS (UINT64_C(1024) << 14)

static struct by_hand nic;

static void open_connected(void)
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
}

static void ports(uint32_t up_mask)
{
    transport_ports_changed(nic.transport, up_mask, nic.now_ns);
    transport_check(nic.transport);
}

static void expect_port_event(enum transport_event_kind kind, uint32_t port)
{
    struct transport_event event;

    EXPECT(by_hand_event(&nic, &event));
    EXPECT_EQ(event.kind, kind);
    EXPECT_EQ(event.port, port);
}

static void expect_no_event(void)
{
    struct transport_event event;

    EXPECT(!by_hand_event(&nic, &event));
}

static uint32_t plane_mask(uint32_t qpn)
{
    struct qp_status status;

    EXPECT_EQ(transport_qp_status(nic.transport, qpn, &status), 0);
    return status.plane_mask;
}

/* The peer answers the Endpoint Request at this place of what was sent. */
static void answer(uint32_t index)
{
    const struct packet *request = &nic.sent[index];
    struct packet packet = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_RESPONSE,
        (enum endpoint_op)request->endpoint.op, (uint16_t)request->psn.value);

    EXPECT_EQ(request->opcode, OPCODE_ENDPOINT_REQUEST);
    packet.src = request->dst;
    packet.endpoint.tx_timestamp = request->endpoint.tx_timestamp;
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
}

/* ---- down ----------------------------------------------------------------------------------- */

SPEC("bits of ports that the NIC lacks are ignored, and no change causes no event")
{
    open_connected();
    ports(UINT32_MAX);
    expect_no_event();
    ports(BOTH);
    expect_no_event();
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_close(&nic);
}

SPEC("§18: a QP that is connected again sends no update of its earlier connection")
{
    open_connected();
    ports(2);
    by_hand_send(&nic);
    by_hand_wait(&nic, 10 * TIMEOUT_NS);
    by_hand_move(&nic, QPN, QP_RESET);
    by_hand_reconnect(&nic, QPN);
    by_hand_post(&nic, QPN, 1, 10, 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].opcode, OPCODE_WRITE_ONLY);
    by_hand_close(&nic);
}

SPEC("§18: a peer whose reported ports differ from ours is asked after a timeout, and believed")
{
    struct packet packet;
    struct packet response;

    open_connected();
    packet = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_PORT_STATUS_UPDATE, 1);
    packet.endpoint.port_status_mask = 1 << 1; /* port 0 alone */
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    ports(2); /* and we have port 1 alone */
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), 1);
    by_hand_post(&nic, QPN, 1, 1024, 0);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_EQ(plane_mask(QPN), 0);
    by_hand_wait(&nic, 6 * TIMEOUT_NS); /* all tries are spent */
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_SENT), 0);
    nic.sent_count = 0;
    while (nic.sent_count == 0) {
        nic.now_ns = transport_deadline_ns(nic.transport);
        transport_expire(nic.transport, nic.now_ns);
        by_hand_send(&nic);
    }
    EXPECT_EQ(nic.sent_count, 1);
    EXPECT_EQ(nic.sent[0].endpoint.op, ENDPOINT_PORT_STATUS_UPDATE);
    EXPECT_EQ(nic.sent[0].endpoint.port_status_mask, 1 << 2);
    EXPECT_EQ(nic.sent[0].port, 1);
    response = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_RESPONSE, ENDPOINT_PORT_STATUS_UPDATE,
        (uint16_t)nic.sent[0].psn.value);
    response.port = 1;
    EXPECT_EQ(by_hand_receive(&nic, &response), DROP_NONE);
    EXPECT_EQ(plane_mask(QPN), 2);
    EXPECT_GT(by_hand_send(&nic), 0);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_DATA_SENT), 1);
    by_hand_close(&nic);
}

SPEC("§18: with all ports down a QP stays in RTS until its retries are exhausted")
{
    open_connected();
    by_hand_post(&nic, QPN, 1, 1024, WORK_SIGNALED);
    by_hand_send(&nic);
    ports(0);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT(!transport_wants_to_send(nic.transport));
    by_hand_wait(&nic, 257 * TIMEOUT_NS);
    EXPECT_EQ(by_hand_state(&nic, QPN), QP_RTS);
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_wait(&nic, 2 * TIMEOUT_NS);
    EXPECT_EQ(by_hand_state(&nic, QPN), QP_ERR);
    EXPECT(by_hand_completed(&nic, TRANSPORT_SEND_DONE, 1, COMPLETION_RETRY_EXCEEDED));
    by_hand_close(&nic);
}

/* ---- up ------------------------------------------------------------------------------------- */

/* Answers the update of the loss of port 0 and waits out the hold-down. */
static void bring_up_to_probes(void)
{
    ports(2);
    by_hand_send(&nic);
    answer(0);
    by_hand_discard_events(&nic);
    ports(BOTH);
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_wait(&nic, HOLDDOWN_NS - 1000);
    EXPECT_EQ(nic.sent_count, 0);
    nic.now_ns = transport_deadline_ns(nic.transport);
    transport_expire(nic.transport, nic.now_ns);
    EXPECT_EQ(by_hand_send(&nic), 1);
}

SPEC("§18: a probe of the port that is not answered in time is followed by another that counts")
{
    uint32_t id;

    open_connected();
    bring_up_to_probes();
    answer(0);
    EXPECT_EQ(by_hand_send(&nic), 1); /* the second */
    id = nic.sent[0].psn.value;
    by_hand_wait(&nic, PROBE_TIMEOUT_NS - 1000);
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_wait(&nic, 1000 + 256);
    EXPECT_EQ(nic.sent_count, 1); /* the second again, with another number */
    EXPECT_EQ(nic.sent[0].psn.value, id + 1);
    answer(0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(plane_mask(QPN), 2);
    answer(0);
    EXPECT_EQ(plane_mask(QPN), BOTH);
    by_hand_close(&nic);
}

SPEC("§18: a port is verified by EVs that are not known to be bad, while there is one")
{
    struct path_set *paths;

    open_connected();
    paths = transport_qp_paths(nic.transport, QPN);
    for (uint32_t i = 0; i < 3; i++) /* of four */
        path_on_mark(paths, i, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    EXPECT_EQ(path_bad_count(paths), 3);
    ports(2);
    ports(BOTH);
    for (uint32_t i = 0; i < 12; i++) {
        while (by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT) < 100) {
            nic.now_ns = transport_deadline_ns(nic.transport);
            transport_expire(nic.transport, nic.now_ns);
            by_hand_send(&nic);
            if (by_hand_sent(&nic, OPCODE_ENDPOINT_REQUEST) == 1 &&
                by_hand_first(&nic, OPCODE_ENDPOINT_REQUEST)->endpoint.op == ENDPOINT_EV_PROBE)
                break;
        }
        EXPECT_EQ(by_hand_first(&nic, OPCODE_ENDPOINT_REQUEST)->ev, nic.entries[3].ev);
    }
    by_hand_close(&nic);
}

/* The EV by which the first probe verifies port 0, of those that are not in `bad`. */
static uint32_t verifying_ev(uint64_t seed, uint32_t bad)
{
    const struct packet *probe = NULL;
    struct path_set *paths;

    by_hand_prepare(&nic);
    nic.config.seed = seed;
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    paths = transport_qp_paths(nic.transport, QPN);
    for (uint32_t i = 0; i < BY_HAND_EVS / 2; i++)
        if (bad >> i & 1)
            path_on_mark(paths, i, PATH_MARKED_ALWAYS_SKIP, nic.now_ns);
    ports(2);
    by_hand_send(&nic);
    ports(BOTH);
    while (!probe || probe->endpoint.op != ENDPOINT_EV_PROBE) {
        nic.now_ns = transport_deadline_ns(nic.transport);
        transport_expire(nic.transport, nic.now_ns);
        by_hand_send(&nic);
        probe = by_hand_first(&nic, OPCODE_ENDPOINT_REQUEST);
    }
    by_hand_close(&nic);
    return path_profile_find(&nic.profile, probe->ev);
}

SPEC(
    "§18: EVs of the plane that are not known to be bad are drawn uniformly, or all if all are bad")
{
    static const struct {
        uint32_t bad;
        uint32_t drawn;
    } cases[] = { { 0, 15 }, { 1, 14 }, { 6, 9 }, { 15, 15 } };

    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t counts[BY_HAND_EVS] = { 0 };

        for (uint64_t seed = 1; seed <= 80; seed++)
            counts[verifying_ev(seed, cases[i].bad)]++;
        for (uint32_t ev = 0; ev < BY_HAND_EVS; ev++) {
            if (cases[i].drawn >> ev & 1)
                EXPECT_GT(counts[ev], 40 / (uint32_t)__builtin_popcount(cases[i].drawn));
            else
                EXPECT_EQ(counts[ev], 0);
        }
    }
}

SPEC("§18: an update that is due once does not use the retries of one that is due more often")
{
    struct peer *peer;

    open_connected();
    peer = nic_find(nic.transport, QPN)->env.peer;
    peer_tell_ports(nic.transport, peer, 1, 7);
    EXPECT_EQ(peer->update_count, 1);
    EXPECT_EQ(peer->update_ns, 7);
    peer_tell_ports(nic.transport, peer, 3, 8);
    EXPECT_EQ(peer->update_count, 3);
    peer_tell_ports(nic.transport, peer, 1, 9);
    EXPECT_EQ(peer->update_count, 3);
    EXPECT_EQ(peer->update_ns, 9);
    by_hand_close(&nic);
}

SPEC("§18: a port that goes down while it is verified is verified again")
{
    open_connected();
    bring_up_to_probes();
    answer(0);
    by_hand_send(&nic);
    ports(2);
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    answer(0); /* too late */
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    EXPECT_EQ(plane_mask(QPN), 2);
    EXPECT_EQ(by_hand_send(&nic), 0);
    ports(BOTH);
    by_hand_wait(&nic, HOLDDOWN_NS + 256);
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT_EQ(plane_mask(QPN), 2);
        answer(0);
        by_hand_send(&nic);
    }
    EXPECT_EQ(plane_mask(QPN), BOTH);
    by_hand_close(&nic);
}

SPEC("of a port that went down and came up between two calls, only the last state is reported")
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
    ports(2);
    ports(BOTH);
    by_hand_wait(&nic, HOLDDOWN_NS + 256);
    ports(1);
    expect_port_event(TRANSPORT_PORT_DOWN, 1);
    expect_port_event(TRANSPORT_PORT_UP, 0);
    expect_no_event();
    ports(BOTH);
    by_hand_wait(&nic, HOLDDOWN_NS + 256);
    ports(0);
    expect_port_event(TRANSPORT_PORT_DOWN, 0);
    expect_port_event(TRANSPORT_PORT_DOWN, 1);
    expect_no_event();
    by_hand_close(&nic);
}

SPEC("§18: a port that goes down during the hold-down stays down")
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
    ports(2);
    ports(BOTH);
    ports(2);
    by_hand_discard_events(&nic);
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    transport_expire(nic.transport, nic.now_ns + 2 * (uint64_t)HOLDDOWN_NS);
    expect_no_event();
    by_hand_close(&nic);
}

SPEC("§18: a port is verified on an EV of its own plane, with a peer that can be reached by it")
{
    struct packet update;
    struct ipv6_addr reachable = by_hand_address(2);

    open_connected();
    nic.peer = 2;
    by_hand_connect(&nic, OTHER_QPN);
    update = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_PORT_STATUS_UPDATE, 1);
    update.endpoint.port_status_mask = 1 << 1;
    by_hand_receive(&nic, &update); /* peer 1 has lost its port 1, too */
    ports(1);
    ports(BOTH);
    by_hand_wait(&nic, HOLDDOWN_NS - 1000);
    nic.now_ns = transport_deadline_ns(nic.transport);
    transport_expire(nic.transport, nic.now_ns);
    by_hand_send(&nic);
    EXPECT_EQ(nic.sent_count, 1);
    EXPECT_EQ(nic.sent[0].endpoint.op, ENDPOINT_EV_PROBE);
    EXPECT(ip_address_equal(&nic.sent[0].dst, &reachable));
    EXPECT_EQ(nic.sent[0].port, 1);
    EXPECT_EQ(nic.sent[0].ev >> 8, 1);
    by_hand_close(&nic);
}

static uint32_t probes_sent(void)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < nic.sent_count; i++)
        count += nic.sent[i].endpoint.op == ENDPOINT_EV_PROBE;
    return count;
}

SPEC("§18: a port is verified with the one QP that is connected, wherever the search begins")
{
    for (uint32_t seed = 1; seed <= 8; seed++) {
        by_hand_prepare(&nic);
        nic.config.qp_count_max = 3;
        nic.config.seed = seed;
        by_hand_open(&nic);
        EXPECT_EQ(by_hand_create(&nic, OTHER_QPN), 0);
        by_hand_connect(&nic, QPN);
        ports(1);
        ports(BOTH);
        by_hand_wait(&nic, HOLDDOWN_NS - 1000);
        nic.now_ns += 2000;
        transport_expire(nic.transport, nic.now_ns);
        EXPECT_GE(by_hand_send(&nic), 1);
        EXPECT_EQ(probes_sent(), 1);
        by_hand_close(&nic);
    }
}

SPEC("§18: the peer is told at once of a port that came up, even if an older update is unanswered")
{
    by_hand_prepare(&nic);
    nic.config.parameters.port_up_probes = 0;
    nic.config.parameters.timeout = 20; /* over a second */
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    ports(2);
    by_hand_send(&nic);
    by_hand_post(&nic, QPN, 1, 4096, 0);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), 1); /* not with every packet */
    ports(BOTH);
    by_hand_wait(&nic, HOLDDOWN_NS + 256);
    EXPECT_EQ(plane_mask(QPN), BOTH);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), 2);
    by_hand_close(&nic);
}

SPEC("a port that the NIC lacks carries nothing, even if it is set up and ready")
{
    struct packet packet;

    by_hand_prepare(&nic);
    by_hand_open(&nic);
    ports(UINT32_MAX << BY_HAND_PLANES);
    packet = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, 1);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_close(&nic);
}

SPEC("§18: ports that are up or down set no timer, nor does a request that waits for its answer")
{
    struct ipv6_addr address = { .octets = { [10] = 0xff, 0xff, 10, 0, 0, 1 } };
    uint16_t id;

    by_hand_prepare(&nic);
    by_hand_open(&nic);
    EXPECT_EQ(
        transport_endpoint_probe(nic.transport, &address, 1, 0, DSCP_CONTROL, &id, nic.now_ns), 0);
    ports(2);
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    ports(BOTH);
    by_hand_wait(&nic, HOLDDOWN_NS + 256);
    EXPECT_EQ(transport_deadline_ns(nic.transport), UINT64_MAX);
    EXPECT_EQ(transport_ports(nic.transport).usable_mask, BOTH);
    by_hand_close(&nic);
}

SPEC("§18: two NICs that lost all their ports can still answer the probes that bring them back")
{
    struct packet packet;

    open_connected();
    packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, psn(BY_HAND_RQ_PSN), 8);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE); /* its SACK waits to leave */
    ports(0);
    ports(BOTH);
    by_hand_wait(&nic, HOLDDOWN_NS + 256);
    packet = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, 1);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_sent(&nic, OPCODE_ENDPOINT_RESPONSE), 1);
    by_hand_close(&nic);
}

SPEC("a QP created while a port is down does not use it")
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
    ports(1);
    by_hand_connect(&nic, QPN);
    by_hand_post(&nic, QPN, 1, 4 * 1024, 0);
    EXPECT_EQ(by_hand_send(&nic), 4);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(nic.sent[i].port, 0);
    by_hand_close(&nic);
}
