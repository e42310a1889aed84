/* SPDX-License-Identifier: Apache-2.0 */
/* Endpoint operations by hand: EV probes, port status updates, answers (docs/protocol.md §16.2,
 * §18). */
#include "by_hand.h"
#include "spec.h"

#include <errno.h>

enum {
    QPN = 7,
    OTHER_QPN = 8,
    REQUESTS_MAX = 64, /* that may wait or be under way */
    ANSWERS_MAX = 64,  /* that may wait */
};

static struct by_hand nic;

static void open_nic(void)
{
    by_hand_prepare(&nic);
    by_hand_open(&nic);
}

/* Of peer 1, by port 1. */
static int probe(uint16_t *request_id)
{
    struct ipv6_addr peer = by_hand_address(1);

    return transport_endpoint_probe(
        nic.transport, &peer, 0x1ab, 1, DSCP_NO_TRIM, request_id, nic.now_ns);
}

static struct packet answer_of(uint16_t request_id)
{
    struct packet answer =
        by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_RESPONSE, ENDPOINT_EV_PROBE, request_id);

    answer.endpoint.tx_timestamp = (uint16_t)(nic.now_ns / 128);
    return answer;
}

/* ---- our requests --------------------------------------------------------------------------- */

SPEC("a probe beyond the limit of waiting probes is refused until some have left")
{
    uint16_t id;

    open_nic();
    for (uint32_t i = 0; i < REQUESTS_MAX; i++)
        EXPECT_EQ(probe(&id), 0);
    EXPECT_EQ(probe(&id), -EAGAIN);
    EXPECT_EQ(probe(&id), -EAGAIN);
    EXPECT_EQ(by_hand_send(&nic), REQUESTS_MAX);
    EXPECT_EQ(probe(&id), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    by_hand_close(&nic);
}

SPEC("probes leave in the order they were requested")
{
    uint16_t ids[REQUESTS_MAX];

    open_nic();
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 40; i++)
            EXPECT_EQ(probe(&ids[i]), 0);
        EXPECT_EQ(by_hand_send(&nic), 40);
        for (uint32_t i = 0; i < 40; i++)
            EXPECT_EQ(nic.sent[i].psn.value, ids[i]);
    }
    by_hand_close(&nic);
}

SPEC("a round trip is the shorter of clock and echoed stamp, or that of the clock if the stamp "
     "wraps")
{
    struct transport_event event;
    struct packet answer;
    uint16_t id;

    open_nic();
    probe(&id);
    by_hand_send(&nic);
    answer = answer_of(id);
    answer.endpoint.tx_timestamp += 10; /* the peer has taken its own time out */
    nic.now_ns += 12800;
    by_hand_receive(&nic, &answer);
    by_hand_event(&nic, &event);
    EXPECT_EQ(event.rtt_ns, 12800 - 1280);

    probe(&id);
    by_hand_send(&nic);
    answer = answer_of(id);
    nic.now_ns += 65536 * 128 + 1280; /* looks like 1280 */
    by_hand_receive(&nic, &answer);
    by_hand_event(&nic, &event);
    EXPECT_EQ(event.rtt_ns, 65536 * 128 + 1280);
    by_hand_close(&nic);
}

/* The round trip of a probe that is answered after this time, of which the peer kept 1,280 ns. */
static uint64_t round_trip_after(uint64_t elapsed_ns)
{
    struct transport_event event;
    struct packet answer;
    uint16_t id;

    open_nic();
    probe(&id);
    by_hand_send(&nic);
    answer = answer_of(id);
    answer.endpoint.tx_timestamp += 10;
    nic.now_ns += elapsed_ns;
    by_hand_receive(&nic, &answer);
    EXPECT(by_hand_event(&nic, &event));
    by_hand_close(&nic);
    return event.rtt_ns;
}

SPEC("a stamp is trusted for less than 4 ms, half of its range")
{
    EXPECT_EQ(round_trip_after(3999872), 3999872 - 1280);
    EXPECT_EQ(round_trip_after(4000000), 4000000);
}

SPEC("a new probe replaces the oldest probe without an answer")
{
    struct packet answer;
    uint16_t first;
    uint16_t id;

    open_nic();
    probe(&first);
    by_hand_send(&nic);
    for (uint32_t i = 0; i < REQUESTS_MAX; i++) {
        EXPECT_EQ(probe(&id), 0);
        by_hand_send(&nic);
    }
    answer = answer_of(first);
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_UNASKED_ANSWER);
    answer = answer_of((uint16_t)(first + 1));
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_NONE);
    by_hand_close(&nic);
}

SPEC("answers that are not fetched are counted once there is no room for them")
{
    struct packet answer;
    uint16_t id;

    open_nic();
    for (uint32_t i = 0; i < 70; i++) {
        probe(&id);
        by_hand_send(&nic);
        answer = answer_of(id);
        EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_NONE);
    }
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_EVENTS_LOST), 6);
    EXPECT_EQ(by_hand_discard_events(&nic), 64);
    by_hand_close(&nic);
}

SPEC("a probe that waits for a port that went down does not block others")
{
    struct ipv6_addr peer = by_hand_address(1);
    uint16_t id;

    open_nic();
    EXPECT_EQ(probe(&id), 0);
    transport_ports_changed(nic.transport, 1, nic.now_ns);
    nic.ready_ports = 1;
    for (uint32_t i = 0; i < 2 * REQUESTS_MAX; i++) {
        EXPECT_EQ(
            transport_endpoint_probe(nic.transport, &peer, 1, 0, DSCP_CONTROL, &id, nic.now_ns), 0);
        EXPECT_EQ(by_hand_send(&nic), 1);
    }
    nic.ready_ports = 2;
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT(!transport_wants_to_send(nic.transport));
    by_hand_close(&nic);
}

SPEC("when all probes wait for a port that is down, a probe for another replaces one of them")
{
    struct ipv6_addr peer = by_hand_address(1);
    uint16_t id;

    open_nic();
    for (uint32_t i = 0; i < REQUESTS_MAX; i++)
        EXPECT_EQ(probe(&id), 0);
    transport_ports_changed(nic.transport, 1, nic.now_ns);
    nic.ready_ports = 1;
    EXPECT_EQ(
        transport_endpoint_probe(nic.transport, &peer, 1, 0, DSCP_CONTROL, &id, nic.now_ns), 0);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].psn.value, id);
    nic.ready_ports = 2;
    EXPECT_EQ(by_hand_send(&nic), REQUESTS_MAX - 1);
    EXPECT(!transport_wants_to_send(nic.transport));
    by_hand_close(&nic);
}

/* ---- requests of others --------------------------------------------------------------------- */

SPEC("§17: a probe of a peer with a QP is answered on the way back of the QP")
{
    struct packet request;
    bool found = false;

    open_nic();
    by_hand_connect(&nic, QPN);
    request = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, 1);
    request.port = 1;
    request.ev = 0x177;
    by_hand_receive(&nic, &request);
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].port, 1);
    for (uint32_t i = BY_HAND_EVS / 2; i < BY_HAND_EVS; i++) /* those of plane 1 */
        found |= nic.entries[i].ev == nic.sent[0].ev;
    EXPECT(found);
    by_hand_close(&nic);
}

SPEC("answers beyond the limit of waiting answers are not sent, and counted")
{
    struct packet request;

    open_nic();
    request = by_hand_endpoint(&nic, 99, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, 1);
    for (uint32_t i = 0; i < ANSWERS_MAX + 3; i++)
        EXPECT_EQ(by_hand_receive(&nic, &request), DROP_NONE);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_CONTROL_OVERFLOW), 3);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_ENDPOINT_ANSWERED), ANSWERS_MAX);
    EXPECT_EQ(by_hand_send(&nic), ANSWERS_MAX);
    by_hand_close(&nic);
}

SPEC("requests with an operation that MRC does not define are dropped and not answered")
{
    open_nic();
    for (uint8_t op = 2; op <= 3; op++) {
        struct packet request = by_hand_endpoint(
            &nic, 99, OPCODE_ENDPOINT_REQUEST, (enum endpoint_op)op, (uint16_t)(op + 1));

        EXPECT_EQ(by_hand_receive(&nic, &request), DROP_OPCODE);
    }
    EXPECT_EQ(by_hand_count(&nic, COUNTER_ENDPOINT_ANSWERED), 0);
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_close(&nic);
}

static struct packet update(uint32_t peer, uint16_t request_id, uint32_t port_status_mask)
{
    struct packet packet = by_hand_endpoint(
        &nic, peer, OPCODE_ENDPOINT_REQUEST, ENDPOINT_PORT_STATUS_UPDATE, request_id);

    packet.endpoint.port_status_mask = port_status_mask;
    packet.port = port_status_mask >> 2 & 1; /* by one that is up */
    return packet;
}

static uint32_t peer_ports(uint32_t qpn)
{
    struct qp_attributes attributes;

    EXPECT_EQ(transport_qp_query(nic.transport, qpn, &attributes), 0);
    return attributes.peer_ports;
}

SPEC("§18: a QP that is connected again ignores earlier updates, however high their number")
{
    struct packet packet;

    open_nic();
    by_hand_connect(&nic, QPN);
    packet = update(1, 1000, 1 << 2);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    by_hand_move(&nic, QPN, QP_RESET);
    by_hand_reconnect(&nic, QPN);
    EXPECT_EQ(peer_ports(QPN), 3);
    packet = update(1, 1, 1 << 1); /* the peer has started anew, too */
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    EXPECT_EQ(peer_ports(QPN), 1);
    by_hand_close(&nic);
}

SPEC("answers to a peer without a port do not delay answers to others")
{
    struct packet packet;

    open_nic();
    by_hand_connect(&nic, QPN);
    nic.peer = 2;
    by_hand_connect(&nic, OTHER_QPN);
    packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, psn(BY_HAND_RQ_PSN), 8);
    by_hand_receive(&nic, &packet);
    packet = update(1, 1, 1 << 2);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    transport_ports_changed(nic.transport, 1, nic.now_ns); /* ours is the other one */
    packet = by_hand_write(&nic, OTHER_QPN, OPCODE_WRITE_ONLY, psn(BY_HAND_RQ_PSN), 8);
    by_hand_receive(&nic, &packet);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_sent(&nic, OPCODE_SACK), 1);
    EXPECT_EQ(by_hand_first(&nic, OPCODE_SACK)->dest_qpn, BY_HAND_PEER_QPN + OTHER_QPN);
    EXPECT_EQ(by_hand_sent(&nic, OPCODE_ENDPOINT_RESPONSE), 1);
    by_hand_close(&nic);
}

SPEC("destroying a QP removes its probe of the way back if that still waits for a port")
{
    struct packet packet;

    open_nic();
    by_hand_connect(&nic, QPN);
    packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, psn(BY_HAND_RQ_PSN), 64);
    by_hand_receive(&nic, &packet);
    by_hand_send(&nic);
    nic.ready_ports = 0;
    by_hand_wait(&nic, 15000);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_REVERSE_PROBES), 1);
    EXPECT(transport_wants_to_send(nic.transport));
    EXPECT_EQ(transport_qp_destroy(nic.transport, QPN), 0);
    EXPECT(!transport_wants_to_send(nic.transport));
    nic.ready_ports = UINT32_MAX;
    EXPECT_EQ(by_hand_send(&nic), 0);
    by_hand_close(&nic);
}

/* A probe of the QP's way back has left: its request. */
static struct packet reverse_probe(void)
{
    struct packet packet = by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, psn(BY_HAND_RQ_PSN), 64);

    by_hand_receive(&nic, &packet);
    by_hand_send(&nic);
    nic.now_ns += 15000;
    transport_expire(nic.transport, nic.now_ns);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_sent(&nic, OPCODE_ENDPOINT_REQUEST), 1);
    return *by_hand_first(&nic, OPCODE_ENDPOINT_REQUEST);
}

SPEC("a peer whose QPs have all failed gets no update and awaits no answer")
{
    static struct path_entry fewer_entries[2];
    static struct path_profile fewer;
    struct packet answer;

    open_nic();
    by_hand_connect(&nic, QPN);
    do
        answer = answer_of((uint16_t)reverse_probe().psn.value);
    while (by_hand_first(&nic, OPCODE_ENDPOINT_REQUEST)->ev == nic.entries[0].ev);
    transport_ports_changed(nic.transport, 2, nic.now_ns); /* an update is due */
    EXPECT_EQ(by_hand_move(&nic, QPN, QP_ERR), 0);
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT(!transport_wants_to_send(nic.transport));
    by_hand_wait(&nic, UINT64_C(1) << 30);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_PORT_UPDATES_SENT), 0);
    fewer_entries[0] = nic.entries[0]; /* the EV probed has no index in this one */
    fewer_entries[1] = nic.entries[BY_HAND_EVS / 2];
    EXPECT(path_profile_explicit(&fewer, fewer_entries, 2, BY_HAND_PLANES));
    nic.init.paths = &fewer;
    by_hand_connect(&nic, OTHER_QPN);
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_UNASKED_ANSWER);
    by_hand_close(&nic);
}

SPEC("the answer to a probe of the way back is not awaited once its QP is gone or replaced")
{
    struct packet answer;

    open_nic();
    by_hand_connect(&nic, QPN);
    answer = answer_of((uint16_t)reverse_probe().psn.value);
    EXPECT_EQ(transport_qp_destroy(nic.transport, QPN), 0);
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_UNASKED_ANSWER);
    by_hand_connect(&nic, OTHER_QPN);
    EXPECT_EQ(by_hand_receive(&nic, &answer), DROP_UNASKED_ANSWER);
    by_hand_close(&nic);
}

/* ---- answers if EVs cover one port ----------------------------------------------------------- */

/* Has EVs to its peer on port 0 only. Sends the answer to a request that arrives on port 1. */
static struct packet answer_without_evs(bool ports_cross)
{
    struct packet request;

    by_hand_prepare(&nic);
    nic.config.ports_cross = ports_cross;
    for (uint32_t i = 0; i < BY_HAND_EVS; i++)
        nic.entries[i] = (struct path_entry){ .ev = i };
    path_profile_explicit(&nic.profile, nic.entries, BY_HAND_EVS, BY_HAND_PLANES);
    by_hand_open(&nic);
    by_hand_connect(&nic, QPN);
    request = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, 5);
    request.port = 1;
    request.ev = 0x1ff;
    EXPECT_EQ(by_hand_receive(&nic, &request), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(by_hand_sent(&nic, OPCODE_ENDPOINT_RESPONSE), 1);
    return *by_hand_first(&nic, OPCODE_ENDPOINT_RESPONSE);
}

SPEC("if paths cross, a request on a port without EVs to the peer is answered on one with EVs")
{
    struct packet answer = answer_without_evs(true);

    EXPECT_EQ(answer.port, 0);
    EXPECT_LE(answer.ev, BY_HAND_EVS - 1);
    by_hand_close(&nic);
}

SPEC("if paths do not cross, it is answered on its own port with its own EV")
{
    struct packet answer = answer_without_evs(false);

    EXPECT_EQ(answer.port, 1);
    EXPECT_EQ(answer.ev, 0x1ff);
    by_hand_close(&nic);
}
