/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of answers that do not depend on what is answered: class, ECN, stamp, sender. */
#include <string.h>

#include "by_hand.h"
#include "spec.h"
#include "transport/nic.h"
#include "wire/stamp.h"

enum { QPN = 7, STAMP = 500, HELD = 100 /* units in which the answer waited */ };

static struct by_hand nic;

static void open_connected(bool service_time)
{
    struct qp_attributes attributes = {
        .service_time = service_time, .trim_nack = true, .peer_trim_nack = true
    };

    by_hand_prepare(&nic);
    by_hand_open(&nic);
    EXPECT_EQ(by_hand_create(&nic, QPN), 0);
    EXPECT_EQ(
        transport_qp_modify(nic.transport, QPN, &attributes, QP_ATTR_CAPABILITIES, nic.now_ns), 0);
    by_hand_reconnect(&nic, QPN);
}

static struct packet data(uint16_t stamp)
{
    struct packet packet =
        by_hand_write(&nic, QPN, OPCODE_WRITE_ONLY, psn(BY_HAND_RQ_PSN), BY_HAND_PMTU_BYTES);

    packet.flags |= PACKET_ACK_REQUEST;
    packet.write.tx_timestamp = stamp;
    return packet;
}

/* The packet arrives; its answers overwrite whatever the caller's packets held before. */
static void receive_and_answer(const struct packet *packet)
{
    EXPECT_EQ(by_hand_receive(&nic, packet), DROP_NONE);
    nic.now_ns += (uint64_t)HELD * STAMP_UNIT_NS;
    memset(nic.sent, 0x55, sizeof(nic.sent));
    EXPECT_GE(by_hand_send(&nic), 1);
}

static void expect_control(const struct packet *packet, uint32_t sender)
{
    EXPECT(packet);
    EXPECT_EQ(packet->class, DSCP_CONTROL);
    EXPECT_EQ(packet->ecn, ECN_NOT_ECT);
    EXPECT_EQ(packet->flags, 0);
    EXPECT_EQ(packet->sender, sender);
}

SPEC("§17: answers travel in the control class, without ECN, and name the QP that sends them")
{
    struct packet packet;

    open_connected(false);
    packet = data(STAMP);
    receive_and_answer(&packet);
    expect_control(by_hand_first(&nic, OPCODE_SACK), nic_find(nic.transport, QPN)->env.index);
    expect_control(by_hand_first(&nic, OPCODE_ACK), nic_find(nic.transport, QPN)->env.index);
    packet = by_hand_endpoint(&nic, 1, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, 1);
    receive_and_answer(&packet);
    expect_control(by_hand_first(&nic, OPCODE_ENDPOINT_RESPONSE), PACKET_NO_SENDER);
    by_hand_close(&nic);
}

SPEC("§16.2: Endpoint Responses are sent in the order of their requests, each to its peer")
{
    open_connected(false);
    for (uint8_t port = 0; port < BY_HAND_PLANES; port++) {
        struct packet request = by_hand_endpoint(
            &nic, 1u + port, OPCODE_ENDPOINT_REQUEST, ENDPOINT_EV_PROBE, 10u + port);

        request.port = port;
        EXPECT_EQ(by_hand_receive(&nic, &request), DROP_NONE);
    }
    nic.ready_ports = 2; /* the second waits for the first */
    EXPECT_EQ(by_hand_send(&nic), 0);
    nic.ready_ports = 3;
    EXPECT_EQ(by_hand_send(&nic), BY_HAND_PLANES);
    for (uint32_t i = 0; i < BY_HAND_PLANES; i++) {
        struct ipv6_addr peer = by_hand_address(1 + i);

        EXPECT_EQ(nic.sent[i].psn.value, 10 + i);
        EXPECT_MEM_EQ(nic.sent[i].dst.octets, peer.octets, sizeof(peer.octets));
    }
    by_hand_close(&nic);
}

/* An EV probe that the application asked for, in this class. */
static struct packet probe_in(enum dscp_class class)
{
    struct ipv6_addr peer = by_hand_address(1);
    uint16_t id;

    EXPECT_EQ(transport_endpoint_probe(nic.transport, &peer, 0x101, 1, class, &id, nic.now_ns), 0);
    memset(nic.sent, 0x55, sizeof(nic.sent));
    EXPECT_EQ(by_hand_send(&nic), 1);
    EXPECT_EQ(nic.sent[0].psn.value, id);
    return nic.sent[0];
}

SPEC("§16.2: Endpoint Requests can be marked unless they travel in the control class")
{
    struct packet packet;

    open_connected(false);
    packet = probe_in(DSCP_CONTROL);
    expect_control(&packet, PACKET_NO_SENDER);
    packet = probe_in(DSCP_NO_TRIM);
    EXPECT_EQ(packet.class, DSCP_NO_TRIM);
    EXPECT_EQ(packet.ecn, ECN_ECT0);
    EXPECT_EQ(packet.flags, 0);
    by_hand_close(&nic);
}

static uint16_t echoed(bool service_time, uint16_t stamp)
{
    struct packet packet;
    uint16_t echo;

    open_connected(service_time);
    packet = data(stamp);
    receive_and_answer(&packet);
    echo = by_hand_first(&nic, OPCODE_SACK)->sack.tx_timestamp;
    by_hand_close(&nic);
    return echo;
}

SPEC("§9: a SACK echoes the stamp, plus the time that it waited if the peer wants that")
{
    EXPECT_EQ(echoed(false, STAMP), STAMP);
    EXPECT_EQ(echoed(true, STAMP), STAMP + HELD);
    EXPECT_EQ(echoed(false, 0), 0);
    EXPECT_EQ(echoed(true, 0), 0); /* there was no stamp */
}

SPEC("§17: an answer for which no plane is left is dropped and counted")
{
    struct packet packet;

    open_connected(false);
    packet = data(STAMP);
    EXPECT_EQ(by_hand_receive(&nic, &packet), DROP_NONE);
    nic_find(nic.transport, QPN)->env.peer->way_back.reverse.plane_mask = 0;
    EXPECT_EQ(by_hand_send(&nic), 0);
    EXPECT_GE(by_hand_count(&nic, COUNTER_CONTROL_NO_PATH), 1);
    EXPECT_EQ(transport_answers_waiting(nic.transport), 0);
    by_hand_close(&nic);
}
